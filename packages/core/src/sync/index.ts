/** Contact sync: keeps subscriptions and the contacts of any CRM in step. Host-free. */
export { contactKeys, readPart, subscriptionKeys } from './match/batch-keys.ts';
export { readPath, recordOf, type ContactPaths, type SyncContact } from './mapping/contact.ts';
export {
  readAnswer,
  refusalRemedies,
  type CrmAnswer,
  type CrmRefusal,
  type RefusalReason,
} from './report/crm-answer.ts';
export { findingTexts, type Finding, type FindingCode, type Side } from './report/findings.ts';
export { checkMapping, MappingError, subscriptionProperties } from './mapping/mapping.ts';
export type {
  ConflictRule,
  Direction,
  FieldMapping,
  OptOutMapping,
  SituationActions,
  SyncMapping,
} from './mapping/mapping.ts';
export {
  prepareMapping,
  type ReadyField,
  type ReadyMapping,
  type SyncSubscription,
} from './mapping/prepare-mapping.ts';
export { planPair, type PairOptions } from './decide/plan-pair.ts';
export { urgentOf } from './decide/budget.ts';
export type { Pair } from './mapping/pair.ts';
export { createReconciler, type Reconciler, type ReconcilerOptions } from './decide/reconciler.ts';
export { changeKinds, changeReasons, type ChangeKind, type ChangeReason, type FieldChange } from './report/changes.ts';
export { changesOf, shortened, summaryOf, type PlannedChange } from './report/preview.ts';
export type {
  ConsentRecord,
  ContactCreate,
  ContactWrite,
  CustomFieldWrite,
  Held,
  HeldReason,
  Overwrites,
  PairPlan,
  PlannedBatch,
  PlannedPair,
  PlannedPart,
  PlannedWrites,
  Situation,
  SubscriptionCreate,
  SubscriptionWrite,
  SyncCounts,
  SyncPlan,
} from './report/plan.ts';
export { applySync, planSync, readMapping, stateAfter, subscriptionPages } from './run.ts';
export type { AppliedSync, ApplySyncOptions, PlanSyncOptions, SubscriptionPage, SyncProgress } from './run.ts';
export { readSyncState, startSync, SyncStateError, type SyncState } from './mapping/state.ts';
export { decodeToken, encodeToken, tokenLimit } from './mapping/token.ts';
export type { AwaitedWrite, Base, ConsentState, FieldBase } from './mapping/token.ts';
export type { ValueKind } from './mapping/canonical-value.ts';
