/**
 * The forecast of an import against what the import then does, over random files and publications: counts agree, mails
 * are within their range, and nobody who has left becomes active. `TEST_SEED` repeats a run.
 */
import { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import { createClient } from '@newsletter-kit/core';
import { forecastImport, importSubscriptions, type ReadingCost, type Rejection } from '@newsletter-kit/core/import';
import { readCsv, type CsvSource } from '@newsletter-kit/core/node';
import { apiKeys, createSandbox, publicationId } from '@newsletter-kit/sandbox';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const runs = 100;
const people = 12;

/** Status of a person in the publication before the import; undefined where it does not know them. */
const statusBefore = fc.option(fc.constantFrom('active', 'inactive', 'pending', 'invalid'), { nil: undefined });

const row = fc.record({
  person: fc.nat(people - 1),
  upper: fc.boolean(),
  broken: fc.nat(9).map((n) => n === 0),
  status: fc.constantFrom('active', 'active', 'active', 'unsubscribed', 'bounced', 'unconfirmed', ''),
  welcome: fc.constantFrom('yes', 'no', ''),
  confirm: fc.constantFrom('on', 'off', ''),
  reactivate: fc.nat(9).map((n) => (n === 0 ? 'yes' : '')),
});

const world = fc.record({
  before: fc.array(statusBefore, { minLength: people, maxLength: people }),
  strangers: fc.nat(30),
  doubleOptIn: fc.boolean(),
  rows: fc.array(row, { maxLength: 40 }),
  kept: fc.array(fc.nat(people - 1), { maxLength: 3 }),
  batchSize: fc.integer({ min: 1, max: 15 }),
});

/** What all runs together met: none of it may stay zero. */
const met = { fresh: 0, present: 0, away: 0, returning: 0, left: 0, confirmation: 0, welcome: 0 };

const address = (person: number): string => `reader${person}@reader.example`;

async function prove({
  before,
  strangers,
  doubleOptIn,
  rows,
  kept,
  batchSize,
}: typeof world extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
  const known = before.flatMap((status, person) => (status === undefined ? [] : [{ email: address(person), status }]));
  const others = Array.from({ length: strangers }, (_, n) => ({ email: `stranger${n}@reader.example` }));
  const sandbox = createSandbox({
    profile: 'unlimited',
    now: () => Date.UTC(2026, 0, 1),
    seed: {
      publications: [
        { id: publicationId, name: 'Letter', double_opt_in: doubleOptIn, subscriptions: [...known, ...others] },
      ],
    },
  });
  try {
    const client = createClient({
      baseUrl: 'http://sandbox.test/v2',
      token: apiKeys.workspace,
      publicationId,
      fetch: sandbox.fetch,
    });
    const text = [
      'email,status,send_welcome_email,double_opt_override,reactivate_existing',
      ...rows.map(({ person, upper, broken, status, welcome, confirm, reactivate }) => {
        const email = broken ? `reader${person}` : address(person);
        return [upper ? email.toUpperCase() : email, status, welcome, confirm, reactivate].join(',');
      }),
    ].join('\n');
    const keptOut = new Set(kept.map(address));
    const keepOut = (email: string): string | undefined => (keptOut.has(email.toLowerCase()) ? 'kept' : undefined);
    const source = (): Promise<CsvSource> =>
      readCsv(Readable.from([Buffer.from(`${text}\n`)]), {
        leftBy: { status: { active: 'subscribed', unconfirmed: 'unconfirmed' } },
      });
    const statuses = async (): Promise<ReadonlyMap<string, unknown>> => {
      const all = new Map<string, unknown>();
      for await (const { email, status } of client.subscriptions.list({ limit: 100 }))
        all.set(String(email).toLowerCase(), status);
      return all;
    };

    const there = await statuses();
    const costs: ReadingCost[] = [];
    const common = { engine: client.engine, keepOut, batchSize };
    const requestsBefore = sandbox.requests().length;
    const forecast = await forecastImport({
      ...common,
      source: await source(),
      known: true,
      onCost: (cost) => costs.push(cost),
    });
    const reading = sandbox.requests().slice(requestsBefore);
    expect(reading.every(({ method }) => method === 'GET')).toBe(true);
    const offline = await forecastImport({ ...common, source: await source(), known: false });
    expect(sandbox.requests().length).toBe(requestsBefore + reading.length);
    expect(offline).toMatchObject({ sent: forecast.sent, left: forecast.left, known: undefined });
    for (const { requests, people: count } of costs) {
      expect(reading.length - 1).toBe(Math.max(1, requests));
      expect(count).toBe(there.size);
    }

    const rejected: Rejection[] = [];
    const result = await importSubscriptions({
      ...common,
      source: await source(),
      concurrency: 1,
      onRejected: (rejection) => rejected.push(rejection),
    });
    for (let hour = 0; hour < 3; hour += 1) {
      sandbox.clock.advance('PT1H');
      sandbox.settle();
    }
    const after = await statuses();

    const { read, rejected: refused, duplicates, left, unconfirmed, sent, requests } = forecast;
    expect(result).toMatchObject({
      read,
      rejected: refused,
      duplicates,
      left,
      unconfirmed,
      accepted: sent,
      batches: requests,
    });
    for (const [kind, examples] of Object.entries(forecast.leftOut))
      expect(examples).toEqual(rejected.filter((rejection) => rejection.kind === kind).slice(0, 10));

    const { fresh, present, away, returning } = forecast.known ?? { fresh: 0, present: 0, away: 0, returning: 0 };
    for (const [name, count] of Object.entries({ fresh, present, away, returning, left }))
      met[name as keyof typeof met] += count;
    expect(after.size - there.size).toBe(fresh);
    expect(fresh + present + away + returning).toBe(sent);
    const back = [...there].filter(([email, status]) => status === 'inactive' && after.get(email) !== 'inactive');
    expect(back.length).toBe(returning);
    const inbox = await sandbox.fetch('http://sandbox.test/_sandbox/inbox');
    const { data } = (await inbox.json()) as { data: readonly { kind: string; to: string }[] };
    const isNew = ({ to }: { readonly to: string }): boolean => !there.has(to.toLowerCase());
    for (const [kind, range] of [
      ['confirmation', forecast.confirmations],
      ['welcome', forecast.welcomes],
    ] as const) {
      const mails = data.filter((mail) => mail.kind === kind && isNew(mail)).length;
      met[kind] += mails;
      expect(mails, kind).toBeLessThanOrEqual(range.most);
      if (kind === 'confirmation') expect(mails, kind).toBeGreaterThanOrEqual(range.least);
    }
    // Who left by the file, or by any of its rows, or here, is not active because of the import.
    for (const { email, status } of rows.map(({ person, status }) => ({ email: address(person), status })))
      if (status === 'unsubscribed' || status === 'bounced') expect(after.get(email)).toBe(there.get(email));
  } finally {
    sandbox.close();
  }
}

test('the counts before an import are the counts after it', async () => {
  await fc.assert(fc.asyncProperty(world, prove), { numRuns: runs });
});
