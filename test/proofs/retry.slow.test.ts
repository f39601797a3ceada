/**
 * Every operation of the API under every fault: afterwards the operation was applied exactly once. The state of the
 * sandbox is compared with that of a sandbox in which the same call met no fault. Time is virtual.
 */
import { operation, operations, type Operation, type OperationId } from '@newsletter-kit/core/contract';
import { createEngine, TimeoutError, type Engine } from '@newsletter-kit/core/engine';
import { apiKeys, createSandbox, publicationId, type Sandbox } from '@newsletter-kit/sandbox';
import { describe, expect, test } from 'vitest';
import { createVirtualClock, virtualHost, type Answering, type VirtualClock } from '../clock/virtual.ts';
import { faultNames, faults, lateBack, lateThere } from './faults.ts';

type ApiId = Exclude<OperationId, `oauth.${string}`>;
type Values = Readonly<Record<string, unknown>>;

/** What the demo holds. */
interface Known {
  readonly subscription: string;
  readonly automation: string;
  readonly journey: string;
  readonly author: string;
  readonly access: string;
  readonly conditionSet: string;
  readonly customField: string;
  readonly job: string;
  readonly request: string;
}

const person = 'annie.easley@example.org';
const bulk = ({ subscription }: Known): Values => ({
  subscriptions: [{ subscription_id: subscription, custom_fields: [{ name: 'First Name', value: 'Annie J.' }] }],
});
const status = ({ subscription }: Known): Values => ({ subscription_ids: [subscription], new_status: 'inactive' });
const rename = ({ customField }: Known): Values => ({ id: customField, display: 'Renamed' });
const inAutomation = ({ automation }: Known): Values => ({ automationId: automation });

/** Arguments with which each operation succeeds; further extensions may be left out. */
const exercises: Readonly<Partial<Record<ApiId, (known: Known) => Values>>> = {
  'subscriptions.create': () => ({ email: 'new@example.com', utm_source: 'proof' }),
  'subscriptions.list': () => ({ limit: 3 }),
  'subscriptions.bulkCreate': () => ({ subscriptions: [{ email: 'one@example.com' }, { email: 'two@example.com' }] }),
  'bulkSubscriptionUpdates.list': () => ({}),
  'bulkSubscriptionUpdates.get': ({ job }) => ({ id: job }),
  'subscriptions.bulkUpdate': bulk,
  'subscriptions.bulkUpdatePut': bulk,
  'subscriptions.updateStatus': status,
  'subscriptions.updateStatusPut': status,
  'automations.list': () => ({}),
  'automations.get': inAutomation,
  'automations.listEmails': inAutomation,
  'journeys.enroll': ({ automation }) => ({ automationId: automation, email: person }),
  'journeys.list': inAutomation,
  'journeys.get': ({ automation, journey }) => ({ automationId: automation, automationJourneyId: journey }),
  'authors.list': () => ({}),
  'authors.get': ({ author }) => ({ authorId: author }),
  'advertisementOpportunities.list': () => ({}),
  'complimentaryAccess.list': () => ({}),
  'complimentaryAccess.get': ({ access }) => ({ complimentaryAccessId: access }),
  'conditionSets.list': () => ({}),
  'conditionSets.get': ({ conditionSet }) => ({ conditionSetId: conditionSet }),
  'customFields.create': () => ({ kind: 'string', display: 'Harbour' }),
  'customFields.list': () => ({}),
  'customFields.get': ({ customField }) => ({ id: customField }),
  'customFields.update': rename,
  'customFields.updatePut': rename,
  'customFields.delete': ({ customField }) => ({ id: customField }),
  'deletionRequests.create': () => ({ email: person }),
  'deletionRequests.list': () => ({}),
  'deletionRequests.get': ({ request }) => ({ id: request }),
  'publicationFields.list': () => ({}),
  'publications.list': () => ({}),
};

interface Stage {
  readonly clock: VirtualClock;
  readonly sandbox: Sandbox;
  readonly known: Known;
  /** An engine whose requests go through `way`. */
  readonly engine: (way?: (answering: Answering) => Answering) => Engine;
}

/** The demo, with a job and a deletion request to read, found through the API. */
async function onStage(act: (stage: Stage) => Promise<void>): Promise<void> {
  const clock = createVirtualClock();
  const sandbox = createSandbox({ seed: 'demo', now: clock.now });
  const engine: Stage['engine'] = (way = (answering) => answering) =>
    createEngine({
      host: virtualHost(clock, way(sandbox.fetch)),
      baseUrl: 'http://sandbox.test/v2',
      token: apiKeys.workspace,
      publicationId,
    });
  /** Waits for the job, so that later reads return the same. */
  const prepare = async (): Promise<Known> => {
    const known = await look(engine());
    await clock.sleep(60_000);
    return known;
  };
  try {
    await clock.run(prepare().then((known) => act({ clock, sandbox, known, engine })));
  } finally {
    sandbox.close();
  }
}

async function look(engine: Engine): Promise<Known> {
  const automations = (await engine.list('automations.list', {})).items;
  const automation = idOf(
    automations.filter(
      ({ trigger_events, status }) => trigger_events?.includes('api') && (status === 'running' || status === 'live'),
    ),
  );
  const subscription = idOf((await engine.list('subscriptions.list', { email: person })).items);
  const started = await engine.call('subscriptions.bulkUpdate', { subscriptions: [{ subscription_id: subscription }] });
  return {
    subscription,
    automation,
    journey: idOf((await engine.list('journeys.list', { automationId: automation })).items),
    author: idOf((await engine.list('authors.list', {})).items),
    access: idOf((await engine.list('complimentaryAccess.list', {})).items),
    conditionSet: idOf((await engine.list('conditionSets.list', {})).items),
    customField: idOf((await engine.list('customFields.list', {})).items),
    job: String(started.data.subscription_update_id),
    request: (await engine.call('deletionRequests.create', { email: 'guido@example.net' })).data.id,
  };
}

function idOf([first]: readonly { readonly id: string }[]): string {
  if (!first) throw new Error('A record that the test needs is missing in the seed demo.');
  return first.id;
}

/** All state that a call can change, after the jobs have run, without ids and times. */
async function stateOf({ clock, engine, known: { automation } }: Stage): Promise<unknown> {
  await clock.sleep(600_000);
  const reader = engine();
  const all = async <Item>(list: AsyncIterable<Item>): Promise<Item[]> => {
    const items: Item[] = [];
    for await (const item of list) items.push(item);
    return items;
  };
  const by =
    (...names: readonly string[]) =>
    (record: object) =>
      JSON.stringify(names.map((name): unknown => Reflect.get(record, name)));
  return {
    subscriptions: (await all(reader.list('subscriptions.list', { limit: 100, expand: ['custom_fields'] })))
      .map(by('email', 'status', 'subscription_tier', 'utm_source', 'custom_fields'))
      .sort(),
    journeys: (await all(reader.list('journeys.list', { automationId: automation, limit: 100 })))
      .map(by('email', 'automation_id'))
      .sort(),
    customFields: (await all(reader.list('customFields.list', {}))).map(by('kind', 'display')).sort(),
    deletionRequests: (await all(reader.list('deletionRequests.list', {}))).map(by('email', 'status')).sort(),
  };
}

const call = (engine: Engine, id: ApiId, known: Known): Promise<unknown> =>
  engine.call(id, exercises[id]?.(known) as never);

/** The answer without fields that differ between two records created by the same call. */
function comparable(id: ApiId, answer: unknown): unknown {
  const changing = [
    'id',
    'created',
    'created_at',
    'updated',
    'import_id',
    'subscription_update_id',
    'started_at',
    'requested_at',
    'scheduled_for_processing_at',
    'referral_code',
    'next_cursor',
    'status',
    'completed',
    'completed_at',
  ];
  const made = operation(id).method === 'GET' ? [] : changing;
  return JSON.parse(
    JSON.stringify(answer, (key, value: unknown) => (made.includes(key) ? undefined : value)),
  ) as unknown;
}

/** Answer and state after a call without faults, by operation. */
const unharmed = new Map<ApiId, { readonly answer: unknown; readonly state: unknown }>();
async function withoutFault(id: ApiId): Promise<{ readonly answer: unknown; readonly state: unknown }> {
  const before = unharmed.get(id);
  if (before) return before;
  let result: { readonly answer: unknown; readonly state: unknown } | undefined;
  await onStage(async (stage) => {
    const answer = comparable(id, await call(stage.engine(), id, stage.known));
    result = { answer, state: await stateOf(stage) };
  });
  if (!result) throw new Error('The call without a fault has not ended.');
  unharmed.set(id, result);
  return result;
}

const ids = operations
  .filter(({ id, base, extension }: Operation) => base === 'api' && (extension !== true || id in exercises))
  .map(({ id }) => id as ApiId);

test('every operation of the API is exercised', () => {
  expect(Object.keys(exercises).toSorted()).toEqual(ids.toSorted());
});

describe.each(ids)('%s', (id) => {
  test.each(faultNames)('%s: is applied once and answered', async (name) => {
    const expected = await withoutFault(id);
    await onStage(async (stage) => {
      stage.sandbox.faults.add({ ...faults[name], match: id });
      const answer = await call(stage.engine(), id, stage.known);
      expect(comparable(id, answer)).toEqual(expected.answer);
      stage.sandbox.faults.clear();
      expect(await stateOf(stage)).toEqual(expected.state);
    });
  });

  test('applied, and the answer arrives after the timeout: is applied once and answered', async () => {
    const expected = await withoutFault(id);
    await onStage(async (stage) => {
      expect(comparable(id, await call(lateEngine(stage, lateBack(stage.clock)), id, stage.known))).toEqual(
        expected.answer,
      );
      expect(await stateOf(stage)).toEqual(expected.state);
    });
  });

  test('applied after the timeout: is applied once, or rejects with TimeoutError', async () => {
    const expected = await withoutFault(id);
    await onStage(async (stage) => {
      const made = call(lateEngine(stage, lateThere(stage.clock)), id, stage.known);
      if (operation(id).retry === 'once') await expect(made).rejects.toBeInstanceOf(TimeoutError);
      else expect(comparable(id, await made)).toEqual(expected.answer);
      expect(await stateOf(stage)).toEqual(expected.state);
    });
  });
});

/** An engine whose host sleeps on the virtual clock while the service answers. */
function lateEngine({ clock, sandbox }: Stage, way: (answering: Answering) => Answering): Engine {
  const host = virtualHost(clock, way(sandbox.fetch), { passing: true });
  return createEngine({ host, baseUrl: 'http://sandbox.test/v2', token: apiKeys.workspace, publicationId });
}
