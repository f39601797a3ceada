/** Six hours of bots that ask for a thousand mails an hour, from 50 addresses, beside 60 people with the tag. */
import { expect, it } from 'vitest';
import { attack } from './mail-attack.ts';

const plan = { mailsPerHour: 1000, hours: 6, strangersPerHour: 1000, people: 60, untilSent: false };

it.each([
  ['ignore what they are asked', 'ignore', 58],
  ['post as browsers without JavaScript', 'page', 58],
  // Who proves as people do cannot be told from them: mails at the end of an hour are held.
  ['prove as people do', 'prove', 50],
] as const)('people get their mail within two minutes while bots %s', async (_case, bots, inTime) => {
  const { peopleInTime, mostMailsInAnHour, accepted, mailed, held } = await attack({ ...plan, bots });
  console.log(bots, { peopleInTime, mostMailsInAnHour, accepted, mailed, held });
  expect(peopleInTime).toBeGreaterThanOrEqual(inTime);
  expect(mostMailsInAnHour).toBeLessThanOrEqual(plan.mailsPerHour);
  expect(held.reduce((sum, { count }) => sum + count, 0)).toBe(accepted - mailed);
});
