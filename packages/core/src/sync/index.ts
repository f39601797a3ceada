/** Contact sync: keeps subscriptions and the contacts of any CRM in step. Host-free. */
export { readPath, recordOf, type ContactPaths, type SyncContact } from './contact.ts';
export { findingTexts, type Finding, type FindingCode, type Side } from './findings.ts';
export {
  checkMapping,
  MappingError,
  prepareMapping,
  subscriptionProperties,
  type ConflictRule,
  type CustomFieldInfo,
  type Direction,
  type FieldMapping,
  type OptOutMapping,
  type ReadyField,
  type ReadyMapping,
  type SituationActions,
  type SyncMapping,
  type SyncSubscription,
} from './mapping.ts';
export {
  planPair,
  type ConsentRecord,
  type ContactWrite,
  type CustomFieldWrite,
  type PairOptions,
  type PairPlan,
  type Situation,
  type SubscriptionWrite,
} from './plan-pair.ts';
export {
  createReconciler,
  type ContactCreate,
  type Held,
  type PlannedPair,
  type Reconciler,
  type ReconcilerOptions,
  type SubscriptionCreate,
  type SyncCounts,
  type SyncPlan,
} from './reconciler.ts';
export {
  applySync,
  planSync,
  type AppliedSync,
  type ApplySyncOptions,
  type PlanSyncOptions,
  type SyncProgress,
} from './run.ts';
export { readSyncState, startSync, SyncStateError, type SyncState } from './state.ts';
export {
  decodeToken,
  encodeToken,
  tokenLimit,
  type AwaitedWrite,
  type Base,
  type ConsentState,
  type FieldBase,
} from './token.ts';
export type { ValueKind } from './values.ts';
