/**
 * The confirmation mails of a form in an hour: beyond half of them it asks for a proof, and what cannot prove is held
 * until an hour has room.
 */
import { describe, expect, it } from 'vitest';
import { suspicions } from '../../src/events.ts';
import { createFront } from '../../src/worker/front.ts';
import { createLog, readConfig } from '../../src/index.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { confirming, mailTo, secret, settingsFor } from '../confirmation/confirming.ts';
import { startMailServer } from '../mail-server.ts';
import { environment, formPost, post, runRelay } from '../running-relay.ts';
import { asked, solve } from './ask.ts';
import { attack } from './mail-attack.ts';

const hourMs = 3_600_000;
const reason = suspicions['mails-per-hour'];
const nobody = settingsFor({ url: 'smtp://127.0.0.1:9' });

/** A relay with a form of four mails an hour whose clock the test moves; it sends none of them. */
function braking(settings: Readonly<Record<string, string>> = {}) {
  // The next full hour: a proof expires by the clock of the machine.
  const clock = { now: Math.ceil(Date.now() / hourMs) * hourMs };
  const relay = runRelay({
    now: () => clock.now,
    settings: {
      ...nobody,
      RELAY_PROOF: 'attack',
      RELAY_PROOF_EFFORT: '10',
      RELAY_CONFIRMATION_MAILS_PER_HOUR: '4',
      ...settings,
    },
  });
  let people = 0;
  const someone = (): string => `p${(people += 1)}@example.com`;
  return {
    relay,
    clock,
    someone,
    fillHalf: async () => {
      for (let n = 0; n < 2; n += 1) expect((await relay.fetch(post({ email: someone() }))).status).toBe(202);
    },
    /** When the mail of each signup is due, in minutes after the first hour began; the oldest signup first. */
    async due() {
      const start = Math.floor(clock.now / hourMs) * hourMs;
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
    expect(outcome.mailsInAnHour).toBeLessThanOrEqual(plan.mailsPerHour);
    expect(outcome.asked).toBe(plan.hours);
    // Each signup is mailed, or held and counted.
    const isHeld = bots !== 'ignore';
    expect(outcome.heldEvents).toBe(isHeld ? 1 : 0);
    expect(held).toEqual(isHeld ? [{ state: 'unconfirmed', reason, count: outcome.accepted - outcome.mailed }] : []);
    expect(outcome.mailedInTheEnd).toBe(outcome.accepted);
  });
});

describe('a form that has sent half of its mails of the hour', () => {
  it('asks for a proof whatever it knows of the address, and until the hour is over', async () => {
    const { relay, clock, fillHalf, someone } = braking({ RELAY_LIMIT_ADDRESS: '1/1d' });
    await fillHalf();
    for (const body of [
      { email: someone() },
      { email: someone() },
      { email: 'p1@example.com' },
      { email: 'p1@example.com', utm_term: 'other' },
      { email: someone(), hp_field: 'a bot' },
    ])
      expect(Object.keys(await asked(await relay.fetch(post(body)), 'PROOF_REQUIRED'))).toEqual(['proof_of_work']);
    expect(await relay.store.counts()).toMatchObject({ unconfirmed: 2, review: 0 });
    expect(relay.logged.filter((line) => line.includes('asks for proofs'))).toHaveLength(1);
    clock.now += hourMs;
    expect((await relay.fetch(post({ email: someone() }))).status).toBe(202);
  });

  it('counts nothing of what it asks: the same token and visitor sign up with a proof', async () => {
    const { relay, clock, someone } = braking({
      RELAY_FORM_TOKEN: 'true',
      RELAY_LIMIT_IP: '3/1h',
      RELAY_CONFIRMATION_MAILS_PER_HOUR: '2',
    });
    const tokens: (string | undefined)[] = [];
    for (let n = 0; n < 3; n += 1)
      tokens.push((await asked(await relay.fetch(post({ email: someone() })), 'TOKEN_REQUIRED')).token);
    clock.now += 2000;
    const peer = '203.0.113.9';
    const signUp = (fields: Readonly<Record<string, unknown>>) =>
      relay.fetch(post({ email: someone(), ...fields }), peer);
    expect((await signUp({ token: tokens[0] })).status).toBe(202);
    // The first that is asked had counted already.
    for (const token of tokens.slice(1)) {
      const ask = await asked(await signUp({ token }), 'PROOF_REQUIRED');
      expect([ask.token, ask.wait_seconds]).toEqual([token, 0]);
      if (token === tokens[1]) expect((await signUp({ token, proof: await solve(ask) })).status).toBe(202);
    }
  });

  it('has the other half for posts with a proof, each used once', async () => {
    const { relay, fillHalf, someone, due } = braking();
    await fillHalf();
    const proofs: string[] = [];
    for (let n = 0; n < 4; n += 1)
      proofs.push(await solve(await asked(await relay.fetch(post({ email: someone() })), 'PROOF_REQUIRED')));
    for (const proof of proofs) expect((await relay.fetch(post({ email: someone(), proof }))).status).toBe(202);
    // What is beyond both halves is spread over the next hour.
    expect(await due()).toEqual([0, 0, 0, 0, 60, 90]);
    for (const proof of [...proofs, 'x'])
      await asked(await relay.fetch(post({ email: someone(), proof })), 'PROOF_REQUIRED');
  });

  it('takes a proof that nothing required, and a wrong one as none', async () => {
    const { relay, clock, fillHalf, someone, due } = braking();
    await fillHalf();
    const proof = await solve(await asked(await relay.fetch(post({ email: someone() })), 'PROOF_REQUIRED'));
    clock.now += hourMs;
    expect((await relay.fetch(post({ email: someone(), proof: 'x' }))).status).toBe(202);
    expect((await relay.fetch(post({ email: someone(), proof }))).status).toBe(202);
    expect((await relay.fetch(post({ email: someone() }))).status).toBe(202);
    await asked(await relay.fetch(post({ email: someone() })), 'PROOF_REQUIRED');
    expect(await due()).toEqual([-60, -60, 0, 0, 0]);
  });

  it('holds what a browser without JavaScript posts, hour by hour, and answers it as ever', async () => {
    const { relay, clock, fillHalf, someone, due } = braking();
    await fillHalf();
    const answer = await relay.fetch(formPost({ email: someone() }));
    const answers = [answer];
    for (let n = 0; n < 4; n += 1) answers.push(await relay.fetch(formPost({ email: someone() })));
    expect(new Set(answers.map(({ status, headers }) => `${status} ${headers.get('location')}`)).size).toBe(1);
    expect(await due()).toEqual([0, 0, 60, 90, 120, 150, 180]);
    clock.now += hourMs;
    // This hour is full with what was held.
    await asked(await relay.fetch(post({ email: someone() })), 'PROOF_REQUIRED');
    await relay.fetch(formPost({ email: someone() }));
    expect(await due()).toEqual([-60, -60, 0, 30, 60, 90, 120, 150]);
  });

  it.each([
    ['off', ['p1', 'p2', 'p3', 'p4']],
    ['always', []],
  ])('has one budget with RELAY_PROOF=%s', async (proof, people) => {
    const { relay, someone, due } = braking({ RELAY_PROOF: proof });
    for (const _ of people) expect((await relay.fetch(post({ email: someone() }))).status).toBe(202);
    while ((await due()).length < 5) {
      const answer = await relay.fetch(post({ email: someone() }));
      if (answer.status === 202) continue;
      const solved = await solve(await asked(answer, 'PROOF_REQUIRED'));
      expect((await relay.fetch(post({ email: someone(), proof: solved }))).status).toBe(202);
    }
    expect(await due()).toEqual([0, 0, 0, 0, 60]);
  });
});

describe('a held mail', () => {
  it('is sent when its hour has come, counts for its mailbox, and ends what the operator was told', async () => {
    const mail = await startMailServer();
    let now = Math.ceil(Date.now() / hourMs) * hourMs;
    const relay = confirming(mail, { now: () => now, settings: { RELAY_CONFIRMATION_MAILS_PER_HOUR: '2' } });
    for (const email of ['a@example.com', 'b@example.com', 'c@gmail.com', 'C+1@gmail.com']) await relay.signUp(email);
    await waitUntil('the mails', () => mail.received.length === 2);
    expect(await relay.store.overview(now)).toMatchObject({ held: [{ state: 'unconfirmed', reason, count: 2 }] });
    now += 1.5 * hourMs;
    // Wakes the relay, as a minute would.
    await relay.signUp('e@example.com');
    await mailTo(mail, 'c@gmail.com');
    await waitUntil('one is kept', async () => {
      const kept = await relay.store.list({ reason: 'the mailbox has one already' }, { limit: 9 });
      return kept.length === 1;
    });
    now += hourMs;
    await relay.signUp('f@example.com');
    await mailTo(mail, 'f@example.com');
    expect(mail.received.map(({ recipient }) => recipient).filter((to) => to.includes('gmail'))).toHaveLength(1);
    expect(relay.events.filter(({ type }) => type === 'mailsHeld' || type === 'mailsResumed')).toEqual([
      { type: 'mailsHeld', form: 'default', mailsPerHour: 2 },
      { type: 'mailsResumed', form: 'default' },
    ]);
  });

  it('is sent at once when an operator redrives its reason', async () => {
    const mail = await startMailServer();
    const relay = confirming(mail, {
      settings: { RELAY_CONFIRMATION_MAILS_PER_HOUR: '1' },
      operatorToken: secret,
    });
    for (const email of ['a@example.com', 'b@example.com']) await relay.signUp(email);
    const query = new URLSearchParams({ state: 'unconfirmed', reason }).toString();
    const answer = await relay.fetch(
      new Request(`http://relay.example/operator/api/redrive?${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}` },
      }),
    );
    expect(await answer.json()).toEqual({ redriven: 1 });
    await mailTo(mail, 'b@example.com');
    await waitUntil('both are sent', async () => (await relay.store.nextDueAt(['default'], 'unconfirmed')) === null);
    expect(await relay.store.redrive({}, Date.now())).toBe(0);
    expect(mail.received).toHaveLength(2);
  });
});

it('is passed on by the front of a Worker with a right proof, a wrong one, and none', async () => {
  const config = readConfig({ ...environment, ...nobody, RELAY_PROOF: 'attack', RELAY_PROOF_EFFORT: '10' });
  let passed = 0;
  const pass = (): Promise<Response> => Promise.resolve(new Response(String((passed += 1)), { status: 202 }));
  const front = createFront({ config, log: createLog({ level: 'silent' }), pass });
  const { relay, fillHalf, someone } = braking();
  await fillHalf();
  const proof = await solve(await asked(await relay.fetch(post({ email: someone() })), 'PROOF_REQUIRED'));
  for (const body of [{ proof }, { proof: 'x' }, {}])
    expect((await front(post({ email: someone(), ...body }), null)).status).toBe(202);
  expect(passed).toBe(3);
});
