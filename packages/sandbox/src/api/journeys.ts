/** Answers the operations on journeys. */
import { schemas } from '@newsletter-kit/core/schema';
import { addressKey } from '@newsletter-kit/core/signup';
import type { TravelledJourneyRow } from '../store/automations.ts';
import type { SubscriptionRow } from '../store/subscriptions.ts';
import { enroll, takesApiEnrollment } from '../world/journeys.ts';
import { overrideDoubleOpt } from '../world/subscribing.ts';
import { findAutomation } from './automations.ts';
import { apiError } from './errors.ts';
import { handler, nothing, type Call, type Handler } from './handler.ts';
import { offsetList } from './paging.ts';

interface Subscriber {
  readonly email?: string | undefined;
  readonly subscription_id?: string | undefined;
}

const start = handler(
  'journeys.enroll',
  { query: nothing, body: schemas['journeys.enroll'].body },
  (call, _query, body) => {
    const { world } = call;
    const automation = findAutomation(call);
    if (!takesApiEnrollment(automation)) {
      throw apiError(
        400,
        'NO_API_TRIGGER',
        'This automation has no active Add by API trigger: "api" must be one of its trigger_events and its status running or live.',
      );
    }
    const subscriber = findSubscriber(call, body);
    return world.write((note) => {
      const journey = enroll(world, automation, subscriber.seq);
      if (!journey)
        throw apiError(400, 'ALREADY_ENROLLED', 'This subscriber is already on a journey through this automation.');
      overrideDoubleOpt(world, subscriber, body.double_opt_override, note);
      return {
        body: {
          data: journeyRecord({
            ...journey,
            automation_id: automation.id,
            subscription_id: subscriber.id,
            email: subscriber.email,
          }),
        },
      };
    });
  },
);

const list = handler('journeys.list', { query: schemas['journeys.list'].query, body: nothing }, (call, query) =>
  offsetList(query, {
    list: 'journeys',
    rows: call.world.store.automations.journeyList(
      findAutomation(call).seq,
      query.status === 'all' ? undefined : query.status,
    ),
    record: journeyRecord,
  }),
);

const get = handler('journeys.get', { query: nothing, body: nothing }, (call) => {
  const journey = call.world.store.automations.journeyById(
    findAutomation(call).seq,
    call.params['automationJourneyId'] ?? '',
  );
  if (!journey) throw apiError(404, 'NOT_FOUND', 'There is no journey with this id in this automation.');
  return { body: { data: journeyRecord(journey) } };
});

/** @throws ApiError 400 where nobody or two different ones are named, 404 where nobody is found */
function findSubscriber({ world, publication }: Call, { email, subscription_id }: Subscriber): SubscriptionRow {
  const { subscriptions } = world.store;
  const named = [
    ...(email === undefined ? [] : [subscriptions.byAddress(publication.id, addressKey(email))]),
    ...(subscription_id === undefined ? [] : [subscriptions.byId(publication.id, subscription_id)]),
  ];
  if (named.length === 0)
    throw apiError(400, 'NOT_EXIST_REQUIRED_KEY', 'Name the subscriber by "email" or "subscription_id".');
  const [first, second] = named;
  if (!first || named.includes(undefined))
    throw apiError(
      404,
      'NOT_FOUND',
      'There is no such subscriber on this publication. Subscribe them first, with "automation_ids".',
    );
  if (second && second.seq !== first.seq)
    throw apiError(400, 'VALIDATE_ERROR', '"email" and "subscription_id" name two different subscribers.');
  return first;
}

function journeyRecord({ id, automation_id, subscription_id, email, status, created, completed }: TravelledJourneyRow) {
  return { id, automation_id, subscription_id, email, status, started_at: created, completed_at: completed };
}

export const journeyHandlers: readonly Handler[] = [start, list, get];
