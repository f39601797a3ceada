/**
 * The report on sources against a direct count, in generated publications of the sandbox with its clock: signups,
 * confirmations, leavings and returns over months, and a watch that keeps the history of them, crashes and goes on.
 *
 * 200 publications; `REPORT_RUNS` sets another number. The direct count knows the statuses of everybody at every poll
 * of the watch, and nothing else.
 */
import { createClient, createFetchHost } from '@newsletter-kit/core';
import { createHistory, createSourceReport, historyEvents, type Cohort } from '@newsletter-kit/core/report';
import { readWatchState, startWatch, watchSubscriptions, type WatchState } from '@newsletter-kit/core/watch';
import { apiKeys, createSandbox, publicationId } from '@newsletter-kit/sandbox';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';

const runs = Number(process.env['REPORT_RUNS'] ?? 200);
const day = 86_400;
const days = [7, 30, 90];
const sources = ['fair', 'Fair', 'blog', 'friends', undefined] as const;

const signup = fc.record({
  kind: fc.constant('sign up' as const),
  source: fc.constantFrom(...sources),
  optIn: fc.constantFrom('on' as const, 'off' as const, 'off' as const),
});
const status = fc.record({
  kind: fc.constant('status' as const),
  at: fc.nat(),
  status: fc.constantFrom('active' as const, 'inactive' as const, 'inactive' as const),
});
const poll = fc.record({
  kind: fc.constant('poll' as const),
  ends: fc.constantFrom('kept', 'kept', 'crash', 'restart'),
});
const time = fc.record({ kind: fc.constant('time' as const), hours: fc.integer({ min: 1, max: 500 }) });
const world = fc.record({
  minimum: fc.integer({ min: 1, max: 4 }),
  before: fc.array(fc.oneof(signup, signup, status, time), { maxLength: 12 }),
  steps: fc.array(
    fc.oneof(
      { weight: 5, arbitrary: signup },
      { weight: 3, arbitrary: status },
      { weight: 4, arbitrary: poll },
      { weight: 4, arbitrary: time },
    ),
    { minLength: 5, maxLength: 50, size: 'max' },
  ),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;
type Step = World['steps'][number];

interface Person {
  readonly id: string;
  readonly status: string;
  readonly created: number;
  readonly utm_source: string;
}
interface Snapshot {
  readonly at: number;
  readonly statuses: ReadonlyMap<string, string>;
}

/** Lives through a world. @returns the report, and what the direct count needs */
async function live({ minimum, before, steps }: World) {
  const sandbox = createSandbox({ seed: 'empty', profile: 'unlimited', now: () => Date.UTC(2026, 0, 1) });
  const host = { ...createFetchHost({ fetch: sandbox.fetch }), now: () => sandbox.clock.now() };
  const client = createClient({ baseUrl: 'http://sandbox.test/v2', token: apiKeys.workspace, publicationId, host });
  const lines: string[] = [];
  const snapshots: Snapshot[] = [];
  let stored: { readonly state: WatchState; readonly isContinued: boolean } = {
    state: startWatch(),
    isContinued: false,
  };
  let session = start();

  function start() {
    const history = createHistory({ of: publicationId, isContinued: stored.isContinued });
    for (const line of lines) history.read(line);
    const state = readWatchState(JSON.parse(JSON.stringify(stored.state)));
    return { history, watch: watchSubscriptions({ engine: client.engine, events: historyEvents, state }) };
  }

  async function everybody(): Promise<Person[]> {
    const people: Person[] = [];
    for await (const each of client.subscriptions.list({ limit: 100 })) people.push(each as Person);
    return people;
  }

  async function readChanges(ends: string): Promise<void> {
    // Addresses are validated within seconds.
    sandbox.clock.advance('PT20S');
    const { history, watch } = session;
    const result = await watch.poll();
    lines.push(...history.record(result, host.now()));
    if (ends !== 'crash') stored = { state: result.state, isContinued: history.isBegun };
    if (ends !== 'kept') session = start();
    const statuses = new Map((await everybody()).map((each) => [each.id, each.status]));
    if (history.since !== null) snapshots.push({ at: host.now() / 1000, statuses });
    // The watch starts again.
    if (ends === 'crash') await readChanges('kept');
  }

  let count = 0;
  async function apply(step: Step): Promise<void> {
    if (step.kind === 'poll') return readChanges(step.ends);
    if (step.kind === 'time') return sandbox.clock.advance(step.hours * 3_600_000);
    if (step.kind === 'sign up') {
      const email = `reader${count++}@example.com`;
      await client.subscriptions.create({ email, utm_source: step.source, double_opt_override: step.optIn });
      return;
    }
    const people = await everybody();
    const { id } = people[step.at % Math.max(1, people.length)] ?? {};
    if (id !== undefined) await client.subscriptions.updateStatus({ subscription_ids: [id], new_status: step.status });
  }

  try {
    for (const step of [...before, { kind: 'poll', ends: 'kept' } as const, ...steps]) await apply(step);
    // The first pass, the last one, and what a crash before them left to be read again.
    for (let round = 0; round < 3; round++) await readChanges('kept');
    const at = Math.floor(host.now() / 1000);
    const { history } = start();
    for (const line of lines) history.read(line);
    const report = createSourceReport({ at, history, minimum, days });
    const people = await everybody();
    for (const each of people) report.add(each);
    return { report: report.result(), people, snapshots };
  } finally {
    sandbox.close();
  }
}

/** Counts people directly. */
function count(people: readonly Person[], snapshots: readonly Snapshot[], until: number) {
  const since = snapshots[0]?.at ?? Number.POSITIVE_INFINITY;
  const isThere = ({ status }: Person): boolean => status === 'active';
  const wasActive = (id: string, at: number): boolean => {
    const seen = snapshots.filter(({ statuses }) => statuses.has(id));
    return (seen.findLast((each) => each.at < at) ?? seen[0])?.statuses.get(id) === 'active';
  };
  return {
    signedUp: people.length,
    stillThere: people.filter(isThere).length,
    after: days.map((each) => {
      const dated = people.map(({ id, created }) => ({ id, time: created + each * day }));
      const known = dated.filter(({ time }) => time >= since && time <= until);
      return {
        known: known.length,
        stayed: known.filter(({ id, time }) => wasActive(id, time)).length,
        unknown: dated.filter(({ time }) => time < since).length,
      };
    }),
  };
}

function counted({ signedUp, stillThere, after }: Cohort) {
  const part = (share: Cohort['stillThere']): number => Math.round((share?.share ?? 0) * (share?.of ?? 0));
  return {
    signedUp,
    stillThere: part(stillThere),
    after: after.map(({ stayed, unknown }) => ({ known: stayed?.of ?? 0, stayed: part(stayed), unknown })),
  };
}

/** The direct count, with figures left out where they are about too few people. */
function shown(direct: ReturnType<typeof count>, minimum: number): ReturnType<typeof count> {
  const { signedUp, stillThere, after } = direct;
  return {
    signedUp,
    stillThere: signedUp < minimum ? 0 : stillThere,
    after: after.map((each) => (each.known < minimum ? { ...each, known: 0, stayed: 0 } : each)),
  };
}

it('counts as a direct count does, in generated publications', async () => {
  let known = 0;
  await fc.assert(
    fc.asyncProperty(world, async (one) => {
      const { report, people, snapshots } = await live(one);
      const { minimum, historySince, historyUntil, total, cohorts } = report;
      expect(historySince).toBe(Math.floor(snapshots[0]?.at ?? 0));
      expect(report.at - (historyUntil ?? 0)).toBeLessThan(3600);
      const direct = (those: readonly Person[]) => shown(count(those, snapshots, historyUntil ?? 0), minimum);
      expect(counted(total)).toEqual(direct(people));

      const groups = Map.groupBy(people, ({ utm_source: source }) => source.toLowerCase());
      const values = cohorts.source.filter(({ kind }) => kind === 'value');
      const large = [...groups].filter(([name, those]) => name !== '' && those.length >= minimum);
      expect(values.map(({ name }) => name.toLowerCase()).toSorted()).toEqual(large.map(([name]) => name).toSorted());
      for (const cohort of values) expect(counted(cohort)).toEqual(direct(groups.get(cohort.name.toLowerCase()) ?? []));
      const small = [...groups].filter(([name, those]) => name !== '' && those.length < minimum);
      const others = cohorts.source
        .filter(({ kind }) => kind !== 'value')
        .map((cohort) => [cohort.kind, counted(cohort)]);
      expect(others).toEqual([
        ...(small.length === 0 ? [] : [['small', direct(small.flatMap(([, those]) => those))]]),
        ...(groups.has('') ? [['none', direct(groups.get('') ?? [])]] : []),
      ]);
      known += total.after.reduce((sum, { stayed }) => sum + (stayed?.of ?? 0), 0);
    }),
    { numRuns: runs },
  );
  // The worlds are rich enough to prove something.
  expect(known).toBeGreaterThan(runs * 5);
});
