/** Bots that ask for mails to strangers, beside people with the tag, on a relay whose clock the test moves. */
import { onTestFinished } from 'vitest';
import type { Ask } from '@newsletter-kit/core/signup';
import type { HeldSignups } from '../../src/store/overview.ts';
import { settingsFor } from '../confirmation/confirming.ts';
import { startMailServer } from '../mail-server.ts';
import { formPost, post, runRelay } from '../running-relay.ts';
import { solve } from './ask.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** What bots do when they are asked for a proof; `page`: they post as a browser without JavaScript, and are not asked. */
export type Bots = 'ignore' | 'page' | 'prove';

export interface Attack {
  readonly bots: Bots;
  readonly mailsPerHour: number;
  readonly hours: number;
  /** Strangers entered in an hour. */
  readonly strangersPerHour: number;
  /** People who sign up, evenly over these hours. */
  readonly people: number;
  /** Whether the clock goes on until nothing is held. */
  readonly untilSent: boolean;
}

/** What came of an attack. */
export interface Outcome {
  /** People whose mail came within two minutes. */
  readonly peopleInTime: number;
  /** The most mails in an hour of the clock, and the most to strangers in any sixty minutes. */
  readonly mailsInAnHour: number;
  readonly strangersInSixtyMinutes: number;
  /** Posts answered with 202 or 303. */
  readonly accepted: number;
  /** Mails that were sent during the attack, what was held then, and all mails that were sent. */
  readonly mailed: number;
  readonly held: readonly HeldSignups[];
  readonly mailedInTheEnd: number;
  /** How often the form began to ask, and to hold. */
  readonly asked: number;
  readonly heldEvents: number;
}

export async function attack(plan: Attack): Promise<Outcome> {
  // Challenges expire by the clock of the machine: this one runs ahead of it, from the next full hour.
  let now = Math.ceil(Date.now() / hourMs) * hourMs;
  const mail = await startMailServer();
  onTestFinished(() => mail.close());
  let heldEvents = 0;
  const relay = runRelay({
    now: () => now,
    onEvent: ({ type }) => void (heldEvents += Number(type === 'mailsHeld')),
    settings: {
      ...settingsFor(mail),
      RELAY_PROOF: 'attack',
      RELAY_PROOF_EFFORT: '10',
      RELAY_CONFIRMATION_MAILS_PER_HOUR: String(plan.mailsPerHour),
    },
  });
  let accepted = 0;
  /** Posts as the tag does, and answers what it is asked for, twice at most. */
  const signUp = async (email: string, peer: string, resends: number): Promise<void> => {
    let answer = await relay.fetch(post({ email }, { 'idempotency-key': email }), peer);
    for (let again = 0; answer.status === 403 && again < resends; again += 1) {
      const { ask } = (await answer.json()) as { readonly ask: Ask };
      const proof = await solve(ask);
      answer = await relay.fetch(post({ email, proof }, { 'idempotency-key': email }), peer);
    }
    if (answer.status === 202) accepted += 1;
  };
  const enter = async (n: number): Promise<void> => {
    const email = `stranger-${n}@victims.example`;
    const peer = `198.18.0.${n % 50}`;
    if (plan.bots !== 'page') return signUp(email, peer, plan.bots === 'prove' ? 2 : 0);
    if ((await relay.fetch(formPost({ email }), peer)).status === 303) accepted += 1;
  };

  const postedAt = new Map<string, number>();
  const mailedAt = new Map<string, number>();
  let nextDueAt: number | null = null;
  /** Sends what is due. */
  const deliver = async (): Promise<void> => {
    ({ nextDueAt } = await relay.deliver({ untilMs: now + 10 * minuteMs }));
    for (const { recipient } of mail.received.slice(mailedAt.size)) mailedAt.set(recipient, now);
  };
  /** Ends a minute: what is due in it is sent in its last millisecond. */
  const passMinute = async (): Promise<void> => {
    now += minuteMs - 1;
    if (nextDueAt !== null && nextDueAt <= now) await deliver();
    now += 1;
  };
  const minutes = plan.hours * 60;
  const until = (minute: number, total: number): number => Math.floor((minute * total) / minutes);
  const numbers = (minute: number, total: number): number[] =>
    Array.from({ length: until(minute + 1, total) - until(minute, total) }, (_, n) => until(minute, total) + n);
  for (let minute = 0; minute < minutes; minute += 1) {
    const before = accepted;
    await Promise.all(numbers(minute, plan.strangersPerHour * plan.hours).map(enter));
    for (const n of numbers(minute, plan.people)) {
      const email = `person-${n}@example.com`;
      postedAt.set(email, now);
      await signUp(email, `203.0.113.${n % 250}`, 2);
    }
    if (accepted > before) await deliver();
    await passMinute();
  }
  const { held } = await relay.store.overview(now);
  const mailed = mail.received.length;
  while (plan.untilSent && nextDueAt !== null) {
    now = Math.floor(nextDueAt / minuteMs) * minuteMs;
    await passMinute();
  }

  const strangers = [...mailedAt].filter(([to]) => to.startsWith('stranger')).map(([, at]) => at);
  const mailsOf = Map.groupBy(mailedAt.values(), (at) => Math.floor(at / hourMs));
  return {
    peopleInTime: [...postedAt].filter(([to, at]) => (mailedAt.get(to) ?? Infinity) - at <= 2 * minuteMs).length,
    mailsInAnHour: Math.max(...[...mailsOf.values()].map(({ length }) => length)),
    strangersInSixtyMinutes: Math.max(
      ...strangers.map((end) => strangers.filter((at) => at <= end && at > end - hourMs).length),
    ),
    accepted,
    mailed,
    held,
    mailedInTheEnd: mail.received.length,
    asked: relay.logged.filter((line) => line.includes('the form asks for proofs')).length,
    heldEvents,
  };
}
