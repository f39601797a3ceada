/** Bots that ask for mails to strangers, beside people with the tag, on a relay whose clock the test moves. */
import type { Ask } from '@newsletter-kit/core/signup';
import { settingsFor } from '../confirmation/confirming.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { startMailServer } from '../mail-server.ts';
import { memoryDriver } from '../memory-store.ts';
import { formPost, post, runRelay } from '../running-relay.ts';
import { solve } from './ask.ts';

export const hourMs = 3_600_000;
const minuteMs = 60_000;

/** A clock, ahead of that of the machine, by which proofs expire: it begins with the next full hour. */
export const fullHour = () => ({ now: Math.ceil(Date.now() / hourMs) * hourMs });

export interface Attack {
  /** What bots do when they are asked for a proof; `page`: they post as browsers without JavaScript. */
  readonly bots: 'ignore' | 'page' | 'prove';
  readonly mailsPerHour: number;
  readonly hours: number;
  /** Addresses that bots enter in an hour. */
  readonly strangersPerHour: number;
  /** People who sign up, evenly over these hours. */
  readonly people: number;
  /** Whether the clock goes on until nothing is held. */
  readonly untilSent: boolean;
}

export async function attack({ bots, mailsPerHour, hours, strangersPerHour, people, untilSent }: Attack) {
  const clock = fullHour();
  const mail = await startMailServer();
  const relay = runRelay({
    // The disk is no part of it: of six hours' mails it would take most of the time.
    store: sqliteStore(memoryDriver()),
    now: () => clock.now,
    proof: { effort: 10 },
    settings: {
      ...settingsFor(mail),
      RELAY_PROOF: 'attack',
      RELAY_CONFIRMATION_MAILS_PER_HOUR: String(mailsPerHour),
    },
  });
  let accepted = 0;
  /** Posts as the tag does: answers what it is asked for, at most so many times. */
  const signUp = async (email: string, peer: string, resends: number): Promise<void> => {
    let answer = await relay.fetch(post({ email }), peer);
    for (let again = 0; answer.status === 403 && again < resends; again += 1) {
      const { ask } = (await answer.json()) as { readonly ask: Ask };
      answer = await relay.fetch(post({ email, proof: await solve(ask) }), peer);
    }
    if (answer.status === 202) accepted += 1;
  };
  const enter = async (n: number): Promise<void> => {
    const [email, peer] = [`stranger-${n}@victims.example`, `198.18.0.${n % 50}`];
    if (bots !== 'page') return signUp(email, peer, bots === 'prove' ? 2 : 0);
    if ((await relay.fetch(formPost({ email }), peer)).status === 303) accepted += 1;
  };

  const postedAt = new Map<string, number>();
  const mailedAt = new Map<string, number>();
  let nextDueAt: number | null = null;
  const deliver = async (): Promise<void> => {
    ({ nextDueAt } = await relay.deliver({ untilMs: clock.now + hourMs }));
    for (const { recipient } of mail.received.slice(mailedAt.size)) mailedAt.set(recipient, clock.now);
  };
  /** Ends a minute: what is due in it is sent in its last millisecond. */
  const passMinute = async (): Promise<void> => {
    clock.now += minuteMs - 1;
    if (nextDueAt !== null && nextDueAt <= clock.now) await deliver();
    clock.now += 1;
  };
  /** The numbers of those, of so many in all, whose turn is in a minute. */
  const inMinute = (minute: number, total: number): number[] => {
    const [first = 0, next = 0] = [minute, minute + 1].map((each) => Math.floor((each * total) / (hours * 60)));
    return Array.from({ length: next - first }, (_, n) => first + n);
  };
  for (let minute = 0; minute < hours * 60; minute += 1) {
    const before = accepted;
    await Promise.all(inMinute(minute, strangersPerHour * hours).map(enter));
    for (const n of inMinute(minute, people)) {
      postedAt.set(`person-${n}@example.com`, clock.now);
      await signUp(`person-${n}@example.com`, `203.0.113.${n}`, 2);
    }
    if (accepted > before) await deliver();
    await passMinute();
  }
  const { held } = await relay.store.overview(clock.now);
  const mailed = mail.received.length;
  while (untilSent && nextDueAt !== null) {
    clock.now = Math.floor(nextDueAt / minuteMs) * minuteMs;
    await passMinute();
  }
  const byHour = [...Map.groupBy(mailedAt.values(), (at) => Math.floor(at / hourMs)).values()];
  return {
    /** People whose mail came within two minutes. */
    peopleInTime: [...postedAt].filter(([to, at]) => (mailedAt.get(to) ?? Infinity) - at <= 2 * minuteMs).length,
    mostMailsInAnHour: Math.max(...byHour.map(({ length }) => length)),
    accepted,
    /** Mails during the attack, what was held then, and mails in the end. */
    mailed,
    held,
    mailedInTheEnd: mail.received.length,
  };
}
