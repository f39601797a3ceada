/**
 * The confirmation mails of a form in an hour: beyond half of them it asks for a proof, and what cannot prove is held
 * until an hour has room.
 */
import { describe, expect, it } from 'vitest';
import { suspicions } from '../../src/events.ts';
import { createFront } from '../../src/worker/front.ts';
import { createLog, readConfig } from '../../src/index.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { confirming, mailTo, settingsFor } from '../confirmation/confirming.ts';
import { startMailServer } from '../mail-server.ts';
import { environment, formPost, post, runRelay } from '../running-relay.ts';
import { asked, solve } from './ask.ts';
import { attack, fullHour, hourMs } from './mail-attack.ts';

const reason = suspicions['mails-per-hour'];
const nobody = settingsFor({ url: 'smtp://127.0.0.1:9' });

/** A relay with a form of four mails an hour whose clock the test moves; it sends none of them. */
function braking(settings: Readonly<Record<string, string>> = {}) {
  const clock = fullHour();
  const { now: start } = clock;
  const limits = { RELAY_PROOF: 'attack', RELAY_CONFIRMATION_MAILS_PER_HOUR: '4' };
  const relay = runRelay({ now: () => clock.now, settings: { ...nobody, ...limits, ...settings } });
  let people = 0;
  const someone = (): string => `p${(people += 1)}@example.com`;
  const asks = async (body: object = { email: someone() }, peer?: string) =>
    asked(await relay.fetch(post(body), peer), 'PROOF_REQUIRED');
  const accepts = async (more: object = {}, peer?: string) =>
    expect((await relay.fetch(post({ email: someone(), ...more }), peer)).status).toBe(202);
  return {
    relay,
    clock,
    someone,
    asks,
    accepts,
    fillHalf: async () => {
      for (let n = 0; n < 2; n += 1) await accepts();
    },
    /** When each mail is due, in minutes from the beginning. */
    async due() {
      const signups = await relay.store.list({ states: ['unconfirmed'] }, { limit: 99 });
      return signups.map(({ nextAttemptAt }) => ((nextAttemptAt ?? 0) - start) / 60_000).toReversed();
    },
  };
}

describe('bots that ask for twice the mails of an hour', () => {
  const plan = { mailsPerHour: 8, hours: 2, strangersPerHour: 16, people: 6, untilSent: true };

  it.each([
    ['ignore what they are asked', 'ignore', plan.people],
    ['post as browsers without JavaScript', 'page', plan.people],
    ['prove as people do', 'prove', 0],
  ] as const)('and %s: people with the tag get their mail, or it is held as all are', async (_case, bots, inTime) => {
    const { held, ...outcome } = await attack({ ...plan, bots });
    expect(outcome.peopleInTime).toBeGreaterThanOrEqual(inTime);
    expect(outcome.mostMailsInAnHour).toBeLessThanOrEqual(plan.mailsPerHour);
    const count = outcome.accepted - outcome.mailed;
    expect(held).toEqual(bots === 'ignore' ? [] : [{ state: 'unconfirmed', reason, count }]);
    expect(outcome.mailedInTheEnd).toBe(outcome.accepted);
  });
});

describe('a form that has sent half of its mails of the hour', () => {
  it('asks for a proof whatever it knows of the address, and until the hour is over', async () => {
    const { relay, clock, fillHalf, someone, asks, accepts } = braking({ RELAY_LIMIT_ADDRESS: '1/1d' });
    await fillHalf();
    const suspected = [{ email: 'p1@example.com' }, { email: 'p1@example.com', utm_term: 'x' }, { hp_field: 'a bot' }];
    for (const fields of [{}, {}, ...suspected])
      expect(Object.keys(await asks({ email: someone(), ...fields }))).toEqual(['proof_of_work']);
    expect(await relay.store.counts()).toMatchObject({ unconfirmed: 2, review: 0 });
    expect(relay.logged.filter((line) => line.includes('asks for proofs'))).toHaveLength(1);
    clock.now += hourMs;
    await accepts();
  });

  it('counts nothing of what it asks: the same token and visitor sign up with a proof', async () => {
    const limits = { RELAY_LIMIT_IP: '2/1h', RELAY_CONFIRMATION_MAILS_PER_HOUR: '2' };
    const { relay, clock, someone, asks, accepts } = braking({ RELAY_FORM_TOKEN: 'true', ...limits });
    const { token: first } = await asked(await relay.fetch(post({ email: someone() })), 'TOKEN_REQUIRED');
    const { token } = await asked(await relay.fetch(post({ email: someone() })), 'TOKEN_REQUIRED');
    clock.now += 2000;
    await accepts({ token: first }, '203.0.113.9');
    const ask = await asks({ email: someone(), token }, '203.0.113.9');
    expect([ask.token, ask.wait_seconds]).toEqual([token, 0]);
    await accepts({ token, proof: await solve(ask) }, '203.0.113.9');
  });

  it('has the other half for posts with a proof, each used once', async () => {
    const { fillHalf, someone, due, asks, accepts } = braking();
    await fillHalf();
    const proofs: string[] = [];
    for (let n = 0; n < 4; n += 1) proofs.push(await solve(await asks()));
    for (const proof of proofs) await accepts({ proof });
    // What is beyond both halves is spread over the next hour.
    expect(await due()).toEqual([0, 0, 0, 0, 60, 90]);
    for (const proof of [...proofs, 'x']) await asks({ email: someone(), proof });
  });

  it('leaves a tenth of that to visitors whose network has had no mail with a proof in the hour', async () => {
    const { asks, accepts, due } = braking({ RELAY_CONFIRMATION_MAILS_PER_HOUR: '20' });
    for (let n = 0; n < 10; n += 1) await accepts();
    for (let n = 0; n < 10; n += 1) await accepts({ proof: await solve(await asks()) }, '198.51.100.1');
    for (const peer of ['198.51.100.1', '203.0.113.1', '203.0.113.2'])
      await accepts({ proof: await solve(await asks()) }, peer);
    expect((await due()).map((minutes) => (minutes < 60 ? 'now' : 'later')).slice(18)).toEqual([
      'now',
      'later',
      'later',
      'now',
      'later',
    ]);
  });

  it('takes a proof that nothing required, and a wrong one as none', async () => {
    const { clock, fillHalf, asks, accepts, due } = braking();
    await fillHalf();
    const proof = await solve(await asks());
    clock.now += hourMs;
    for (const fields of [{ proof: 'x' }, { proof }, {}]) await accepts(fields);
    await asks();
    expect(await due()).toEqual([0, 0, 60, 60, 60]);
  });

  it('holds what a browser without JavaScript posts, hour by hour, and answers it as ever', async () => {
    const { relay, clock, fillHalf, someone, asks, due } = braking();
    await fillHalf();
    const answers = [];
    for (let n = 0; n < 5; n += 1) answers.push((await relay.fetch(formPost({ email: someone() }))).status);
    expect(answers).toEqual([303, 303, 303, 303, 303]);
    expect(await due()).toEqual([0, 0, 60, 90, 120, 150, 180]);
    clock.now += hourMs;
    // This hour is full with what was held.
    await asks();
    await relay.fetch(formPost({ email: someone() }));
    expect((await due()).at(-1)).toBe(210);
  });

  it.each([
    ['off', 4],
    ['always', 0],
  ])('has one budget with RELAY_PROOF=%s', async (proof, unproven) => {
    const { accepts, asks, due } = braking({ RELAY_PROOF: proof });
    for (let n = 0; n < 5; n += 1) await accepts(unproven > 0 ? {} : { proof: await solve(await asks()) });
    expect(await due()).toEqual([0, 0, 0, 0, 60]);
  });
});

it('sends a held mail when its hour has come, one of a mailbox, and then tells the operator that none is held', async () => {
  const mail = await startMailServer();
  let { now } = fullHour();
  const relay = confirming(mail, { now: () => now, settings: { RELAY_CONFIRMATION_MAILS_PER_HOUR: '2' } });
  for (const email of ['a@example.com', 'b@example.com', 'c@gmail.com', 'C+1@gmail.com']) await relay.signUp(email);
  await waitUntil('the mails', () => mail.received.length === 2);
  expect(await relay.store.overview(now)).toMatchObject({ held: [{ state: 'unconfirmed', reason, count: 2 }] });
  now += 1.5 * hourMs;
  // Wakes the relay, as a minute would.
  await relay.signUp('e@example.com');
  await mailTo(mail, 'c@gmail.com');
  now += hourMs;
  await relay.signUp('f@example.com');
  await mailTo(mail, 'f@example.com');
  expect(mail.received.map(({ recipient }) => recipient).filter((to) => to.includes('gmail'))).toHaveLength(1);
  expect(relay.events.filter((event) => 'what' in event)).toMatchObject([
    { type: 'failing', what: 'mails', forms: ['default'], reason: expect.stringContaining('2 confirmation') as string },
    { type: 'works', what: 'mails', scope: 'default' },
  ]);
});

it('is asked for by no front of a Worker, which passes on a right proof, a wrong one, and none', async () => {
  const config = readConfig({ ...environment, ...nobody, RELAY_PROOF: 'attack' });
  const pass = (): Promise<Response> => Promise.resolve(new Response('passed', { status: 202 }));
  const front = createFront(config, createLog({ level: 'silent' }), pass);
  const { fillHalf, someone, asks } = braking();
  await fillHalf();
  for (const fields of [{ proof: await solve(await asks()) }, { proof: 'x' }, {}])
    expect(await (await front(post({ email: someone(), ...fields }), null)).text()).toBe('passed');
});
