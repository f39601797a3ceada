/**
 * The contract, walked: every operation of the API is brought to succeed and to answer each error status it documents.
 */
import { operation, operations, type OperationId } from '@newsletter-kit/core/contract';
import { schemas } from '@newsletter-kit/core/schema';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { apiKeys, type Sandbox } from '../../src/index.ts';
import { errorsOf, fresh, publicationPath, send, type Answered } from '../caller.ts';
import { app } from '../oauth/app.ts';
import { known, type Known } from './known.ts';

type ApiId = Exclude<OperationId, `oauth.${string}`>;

/** What is sent: the path is the contract's, with ids filled in. */
interface Request {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How an operation succeeds; and a request that it refuses with 400, where it documents one. */
interface Exercise {
  readonly success: (known: Known) => Request;
  readonly bad: ((known: Known) => Request) | null;
}

/** No parameter of these can be wrong, but the query itself can. */
const brokenQuery = { query: '?x=%E0%A4' };
const exercise = (success: Request = {}, bad: Request | null = brokenQuery): Exercise => ({
  success: () => success,
  bad: bad && (() => bad),
});
const item = { email: 'new@example.com' };
const none = '00000000-0000-4000-8000-00000000000a';

const journeys = (bad: Request): Exercise => ({
  success: ({ automation }) => ({ params: { automationId: automation } }),
  bad: ({ automation }) => ({ params: { automationId: automation }, ...bad }),
});
const update: Exercise = {
  success: ({ subscription }) => ({ body: { subscriptions: [{ subscription_id: subscription.id, tier: 'premium' }] } }),
  bad: () => ({ body: { subscriptions: Array.from({ length: 1001 }, () => ({ subscription_id: 'sub_1' })) } }),
};
const updateStatus: Exercise = {
  success: ({ subscription }) => ({ body: { subscription_ids: [subscription.id], new_status: 'inactive' } }),
  bad: ({ subscription }) => ({ body: { subscription_ids: [subscription.id], new_status: 'gone' } }),
};
const field = (success: Request, bad: Request): Exercise => ({
  success: ({ customField }) => ({ params: { id: customField }, ...success }),
  bad: ({ customField }) => ({ params: { id: customField }, ...bad }),
});

const written: Readonly<Partial<Record<ApiId, Exercise>>> = {
  'subscriptions.create': exercise({ body: item }, { body: { email: 'nobody' } }),
  'subscriptions.list': exercise({ query: '?expand[]=stats&limit=3' }, { query: '?page=101' }),
  'subscriptions.bulkCreate': exercise({ body: { subscriptions: [item] } }, { body: { subscriptions: [] } }),
  'bulkSubscriptionUpdates.list': exercise(),
  'bulkSubscriptionUpdates.get': exercise({ params: { id: 'job' } }, { params: { id: 'job' }, ...brokenQuery }),
  'subscriptions.bulkUpdate': update,
  'subscriptions.bulkUpdatePut': update,
  'subscriptions.updateStatus': updateStatus,
  'subscriptions.updateStatusPut': updateStatus,
  'automations.list': exercise({ query: '?expand[]=stats' }, { query: '?limit=0' }),
  'automations.get': journeys({ query: '?expand[]=emails' }),
  'automations.listEmails': journeys({ query: '?cursor=nonsense' }),
  'journeys.enroll': {
    success: ({ automation, subscription }) => ({
      params: { automationId: automation },
      body: { email: subscription.email },
    }),
    bad: ({ otherAutomation, subscription }) => ({
      params: { automationId: otherAutomation },
      body: { email: subscription.email },
    }),
  },
  'journeys.list': journeys({ query: '?status=manually_removed' }),
  'journeys.get': {
    success: ({ automation, journey }) => ({ params: { automationId: automation, automationJourneyId: journey } }),
    bad: ({ automation, journey }) => ({
      params: { automationId: automation, automationJourneyId: journey },
      ...brokenQuery,
    }),
  },
  'authors.list': exercise({ query: '?name=johanna' }, { query: '?page=0' }),
  'authors.get': {
    success: ({ author }) => ({ params: { authorId: author } }),
    bad: ({ author }) => ({ params: { authorId: author }, ...brokenQuery }),
  },
  'advertisementOpportunities.list': exercise(),
  'complimentaryAccess.list': exercise({ query: '?expand[]=tier&expand[]=stats' }, { query: '?cursor=nonsense' }),
  'complimentaryAccess.get': {
    success: ({ access }) => ({ params: { complimentaryAccessId: access }, query: '?expand[]=tier' }),
    bad: ({ access }) => ({ params: { complimentaryAccessId: access }, query: '?expand[]=price' }),
  },
  'conditionSets.list': exercise({}, { query: '?purpose=fun' }),
  'conditionSets.get': {
    success: ({ conditionSet }) => ({ params: { conditionSetId: conditionSet }, query: '?expand[]=stats' }),
    bad: null,
  },
  'customFields.create': exercise(
    { body: { kind: 'list', display: 'Harbours' } },
    { body: { kind: 'list', display: 'Topics' } },
  ),
  'customFields.list': exercise(),
  'customFields.get': field({}, brokenQuery),
  'customFields.update': field({ body: { display: 'Vorname' } }, { body: { display: 'Topics' } }),
  'customFields.updatePut': field({ body: { display: 'Vorname' } }, { body: { display: '' } }),
  'customFields.delete': field({}, brokenQuery),
  'deletionRequests.create': exercise({ body: { email: 'ada.lovelace@example.com' } }, { body: { email: 'ada' } }),
  'deletionRequests.list': exercise({}, null),
  'deletionRequests.get': exercise({ params: { id: 'request' } }, null),
  'publicationFields.list': exercise({ query: '?status=all' }, { query: '?status=gone' }),
  'publications.list': exercise({ query: '?limit=1' }, { query: '?page=101' }),
};

const apiOperations = operations.filter((each) => each.base === 'api');
const ids = apiOperations.map(({ id }) => id);

/** Before the ID of a list operation: the ID of its first record. */
const firstOf = 'first of ';

/** Lists and reads by ID need no exercise of their own. */
function exerciseOf(id: ApiId): Exercise {
  const found = written[id];
  if (found) return found;
  const [resource = '', verb] = id.split('.');
  if (verb === 'list') return exercise();
  const [name] = [...operation(id).path.matchAll(/\{(\w+)\}/g)].map(([, each = '']) => each).slice(-1);
  if (verb !== 'get' || name === undefined) throw new Error(`Add an exercise for ${id} above.`);
  const params = { [name]: `${firstOf}${resource}.list` };
  return exercise({ params }, { params, ...brokenQuery });
}

test('every operation below {base_url} can be exercised', () => {
  expect(ids.map((id) => typeof exerciseOf(id).success)).toEqual(ids.map(() => 'function'));
});

/** The demo, with a job and a deletion request to read. */
async function world(): Promise<{
  readonly sandbox: Sandbox;
  readonly there: Known;
  readonly call: (id: ApiId, request: Request) => Promise<Answered>;
}> {
  const sandbox = fresh({ seed: 'demo' });
  const there = await known(sandbox);
  const job = await send(sandbox, 'PATCH', `${publicationPath}/subscriptions/bulk_actions`, {
    subscriptions: [{ subscription_id: there.subscription.id }],
  });
  const request = await send(sandbox, 'POST', `${publicationPath}/data_privacy/deletion_requests`, {
    email: 'guido@example.net',
  });
  const stand: Record<string, string> = {
    job: schemas['subscriptions.bulkUpdate'].answer.parse(job.body).data.subscription_update_id,
    request: schemas['deletionRequests.create'].answer.parse(request.body).data.id,
  };
  const firstId = async (list: ApiId): Promise<string> => {
    const path = operation(list).path.replace('/publications/{publicationId}', publicationPath);
    const { body } = await send(sandbox, 'GET', path);
    return z.object({ data: z.tuple([z.object({ id: z.string() })], z.unknown()) }).parse(body).data[0].id;
  };
  for (const id of ids)
    for (const value of Object.values(exerciseOf(id).success(there).params ?? {}))
      if (value.startsWith(firstOf)) stand[value] ??= await firstId(value.slice(firstOf.length) as ApiId);
  return {
    sandbox,
    there,
    call(id, { params = {}, query = '', body, headers }) {
      const path = operation(id).path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
        const value = params[name] ?? (name === 'publicationId' ? (publicationPath.split('/')[2] ?? '') : none);
        return encodeURIComponent(stand[value] ?? value);
      });
      return send(sandbox, operation(id).method, path + query, body, headers);
    },
  };
}

test.each(ids)('%s succeeds with the documented status, and its answer is what the schema says', async (id) => {
  const { there, call } = await world();
  const answered = await call(id, exerciseOf(id).success(there));
  expect(answered.status, JSON.stringify(answered.body)).toBe(operation(id).success);
  const read = schemas[id].answer.safeParse(answered.body);
  expect(read.success, JSON.stringify(read.error?.issues)).toBe(true);
});

/**
 * No request leads here: 500 never happens, and the specification does not say when it would. Only a fault causes it.
 */
const onlyByFault: readonly (readonly [ApiId, number])[] = [
  ...ids.map((id) => [id, 500] as const),
  // No scope is named for authors, so every token may read them; and the publication fields have nothing in their path
  // that could be missing.
  ['authors.list', 403],
  ['authors.get', 403],
  ['publicationFields.list', 404],
];

/** How each error status comes about. */
const causes: Readonly<Record<number, (id: ApiId, made: Awaited<ReturnType<typeof world>>) => Promise<Answered>>> = {
  400: (id, { call, there }) => call(id, exerciseOf(id).bad?.(there) ?? {}),
  401: (id, { call, there }) =>
    call(id, { ...exerciseOf(id).success(there), headers: { Authorization: 'Bearer wrong' } }),
  async 403(id, { sandbox, call, there }) {
    const request = exerciseOf(id).success(there);
    if (operation(id).path.includes('data_privacy') || id === 'publicationFields.list') {
      return call(id, { ...request, headers: { Authorization: `Bearer ${apiKeys.restricted}` } });
    }
    const { access_token } = await app(sandbox, { scope: 'subscriptions:read' }).connect();
    return call(id, { ...request, headers: { Authorization: `Bearer ${access_token}` } });
  },
  async 404(id, { call, there }) {
    const request = exerciseOf(id).success(there);
    const elsewhere = await call(id, { ...request, params: { ...request.params, publicationId: `pub_${none}` } });
    const [last] = Object.keys(request.params ?? {}).slice(-1);
    if (last === undefined) return elsewhere;
    expect(elsewhere.status).toBe(404);
    return call(id, { ...request, params: { ...request.params, [last]: none } });
  },
  async 409(id, { call, there }) {
    await call(id, exerciseOf(id).success(there));
    return call(id, exerciseOf(id).success(there));
  },
  async 429(id, { sandbox, call, there }) {
    sandbox.rateLimit.use('service');
    for (let i = 0; i < 180; i += 1) await send(sandbox, 'GET', `${publicationPath}/custom_fields`);
    return call(id, exerciseOf(id).success(there));
  },
};

const documented = apiOperations.flatMap(({ id, errors }) => errors.map((status: number) => [id, status] as const));
const byFault = ([id, status]: readonly [ApiId, number]): boolean =>
  onlyByFault.some(([faulty, its]) => faulty === id && its === status);

test.each(documented)('%s answers %i in the error body', async (id, status) => {
  const made = await world();
  const { sandbox, there, call } = made;
  if (byFault([id, status])) sandbox.faults.add({ match: id, effect: { status } });
  const answered = byFault([id, status])
    ? await call(id, exerciseOf(id).success(there))
    : await causes[status]?.(id, made);
  expect(answered?.status).toBe(status);
  if (answered) errorsOf(answered);
  expect(sandbox.requests().at(-1)).toMatchObject({ operation: id, status });
});

test('an operation that documents no 400 answers none to an unreadable query', async () => {
  for (const { id, errors } of apiOperations) {
    if (errors.some((status: number) => status === 400)) continue;
    const { call, there } = await world();
    for (const query of ['?x=%E0%A4', '?expand[]=everything', '?limit=0&page=0&cursor=x']) {
      expect((await call(id, { ...exerciseOf(id).success(there), query })).status, `${id} ${query}`).toBe(
        operation(id).success,
      );
    }
  }
});
