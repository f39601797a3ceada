/** Change detection: pure reducers over pages, and the polls that drive them. Host-free. */
export type { CustomField, FieldChoice, Watched } from './condition.ts';
export {
  created,
  startCreated,
  type CreatedPage,
  type CreatedState,
  type CreatedStep,
  type CreatedWalk,
} from './created.ts';
export {
  subscriptionEventTypes,
  type CreatedEvent,
  type RemovedEvent,
  type StatusEvent,
  type SubscriptionEvent,
  type SubscriptionEventType,
  type UpdatedEvent,
} from './events.ts';
export type { Dated, Frontier } from './frontier.ts';
export { pollCreated, type CreatedPoll, type CreatedPollResult } from './poll.ts';
export { isRemoved } from './removed.ts';
export {
  glance,
  scan,
  startScan,
  type Place,
  type ScanPage,
  type ScanProgress,
  type ScanState,
  type ScanStep,
  type ScanView,
} from './scan.ts';
export { CapacityError, readWatchState, startWatch, WatchStateError, type WatchState } from './state.ts';
export {
  watchSubscriptions,
  type Rhythm,
  type SubscriptionWatch,
  type SubscriptionWatchOptions,
} from './subscriptions.ts';
export { pollWatch, type Readers, type WatchPoll, type WatchResult } from './watch-poll.ts';
