/** Contact sync: keeps subscriptions and the contacts of any CRM in step. Host-free. */
export { contactKeys, readPart, subscriptionKeys } from './batch-keys.ts';
export { readPath, recordOf, type ContactPaths, type SyncContact } from './contact.ts';
export { readAnswer, refusalRemedies, type CrmAnswer, type CrmRefusal, type RefusalReason } from './crm-answer.ts';
export { findingTexts, type Finding, type FindingCode, type Side } from './findings.ts';
export {
  checkMapping,
  MappingError,
  subscriptionProperties,
  type ConflictRule,
  type Direction,
  type FieldMapping,
  type OptOutMapping,
  type SituationActions,
  type SyncMapping,
} from './mapping.ts';
export { prepareMapping, type ReadyField, type ReadyMapping, type SyncSubscription } from './prepare-mapping.ts';
export {
  planPair,
  type ContactWrite,
  type PairOptions,
  type PairPlan,
  type Situation,
  type SubscriptionWrite,
  type CustomFieldWrite,
} from './plan-pair.ts';
export type { Pair } from './pair.ts';
export type { ConsentRecord } from './plan-consent.ts';
export { createReconciler, type Reconciler, type ReconcilerOptions } from './reconciler.ts';
export { changeKinds, changeReasons, type ChangeKind, type ChangeReason, type FieldChange } from './changes.ts';
export { changesOf, shortened, summaryOf, type PlannedChange } from './preview.ts';
export {
  urgentOf,
  type ContactCreate,
  type Held,
  type HeldReason,
  type Overwrites,
  type PlannedBatch,
  type PlannedPair,
  type PlannedPart,
  type PlannedWrites,
  type SubscriptionCreate,
  type SyncCounts,
  type SyncPlan,
} from './plan.ts';
export {
  applySync,
  planSync,
  readMapping,
  stateAfter,
  subscriptionPages,
  type AppliedSync,
  type ApplySyncOptions,
  type PlanSyncOptions,
  type SubscriptionPage,
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
export type { ValueKind } from './canonical-value.ts';
