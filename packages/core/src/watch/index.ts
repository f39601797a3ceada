/** Change detection: pure reducers over pages, and the polls that drive them. Host-free. */
export type { CustomField, FieldChoice, Watched } from './fingerprint.ts';
export * from './created.ts';
export {
  subscriptionEventTypes,
  type CreatedEvent,
  type RemovedEvent,
  type StatusEvent,
  type SubscriptionEvent,
  type SubscriptionEventType,
  type UpdatedEvent,
  isRemoved,
} from './events.ts';
export type { Dated, Watermark } from './watermark.ts';
export {
  recordSeen,
  scan,
  startScan,
  type ListPosition,
  type ScanPage,
  type ScanState,
  type ScanStep,
  type ScanView,
} from './scan.ts';
export * from './state.ts';
export * from './subscriptions.ts';
export { pollWatch, type Readers, type ScanProgress, type WatchPoll, type WatchResult } from './poll.ts';
