/** Six hours of bots that ask for a thousand mails an hour, from 50 addresses, beside 60 people with the tag. */
import { expect, it } from 'vitest';
import { attack } from './mail-attack.ts';

const plan = { mailsPerHour: 1000, hours: 6, strangersPerHour: 1000, people: 60, untilSent: false };

it.each([
  ['ignore what they are asked', 'ignore'],
  ['post as browsers without JavaScript', 'page'],
  ['prove as people do', 'prove'],
] as const)('people get their mail within two minutes while bots %s', { timeout: 900_000 }, async (_case, bots) => {
  const { peopleInTime, mostMailsInAnHour, accepted, mailed, held } = await attack({ ...plan, bots });
  console.log(bots, { peopleInTime, mostMailsInAnHour, accepted, mailed, held });
  expect(peopleInTime).toBeGreaterThanOrEqual(58);
  expect(mostMailsInAnHour).toBeLessThanOrEqual(plan.mailsPerHour);
  expect(held.reduce((sum, { count }) => sum + count, 0)).toBe(accepted - mailed);
});
