/** Every operation of the API as a request that succeeds, and one that it refuses, in a sandbox with the demo. */
import { operation, operations, type OperationId } from '@newsletter-kit/core/contract';
import { schemas } from '@newsletter-kit/core/schema';
import * as z from 'zod';
import type { Sandbox } from '../../src/index.ts';
import { fresh, publicationPath, send, type Answered } from '../caller.ts';
import { known, type Known } from './known.ts';

export type ApiId = Exclude<OperationId, `oauth.${string}`>;

/** What is sent: the path is the contract's, with ids filled in. */
export interface Request {
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
export const none = '00000000-0000-4000-8000-00000000000a';

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

export const apiOperations = operations.filter((each) => each.base === 'api');
export const ids = apiOperations.map(({ id }) => id);

/** Before the ID of a list operation: the ID of its first record. */
const firstOf = 'first of ';

/** Lists and reads by ID need no exercise of their own. */
export function exerciseOf(id: ApiId): Exercise {
  const found = written[id];
  if (found) return found;
  const [resource = '', verb] = id.split('.');
  if (verb === 'list') return exercise();
  const [name] = [...operation(id).path.matchAll(/\{(\w+)\}/g)].map(([, each = '']) => each).slice(-1);
  if (verb !== 'get' || name === undefined) throw new Error(`Add an exercise for ${id} above.`);
  const params = { [name]: `${firstOf}${resource}.list` };
  return exercise({ params }, { params, ...brokenQuery });
}

export interface World {
  readonly sandbox: Sandbox;
  readonly there: Known;
  readonly call: (id: ApiId, request: Request) => Promise<Answered>;
}

/** The demo, with a job and a deletion request to read. */
export async function world(sandbox = fresh({ seed: 'demo' })): Promise<World> {
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
