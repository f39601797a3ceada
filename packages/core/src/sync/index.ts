/** Contact sync: keeps subscriptions and the contacts of any CRM in step. Host-free. */
export { contactKeys, readPart, subscriptionKeys } from './batch-keys.ts';
export { readPath, recordOf, type ContactPaths, type SyncContact } from './contact.ts';
export { readAnswer, refusalRemedies, type CrmAnswer, type CrmRefusal, type RefusalReason } from './crm-answer.ts';
export { findingTexts, type Finding, type FindingCode, type Side } from './findings.ts';
export { checkMapping, MappingError, subscriptionProperties } from './mapping.ts';
export type { ConflictRule, Direction, FieldMapping, OptOutMapping, SituationActions, SyncMapping } from './mapping.ts';
export { prepareMapping, type ReadyField, type ReadyMapping, type SyncSubscription } from './prepare-mapping.ts';
export { planPair, type PairOptions, type PairPlan } from './plan-pair.ts';
export type { ContactWrite, Situation, SubscriptionWrite } from './plan-pair.ts';
export type { CustomFieldWrite } from './plan-fields.ts';
export type { Pair } from './pair.ts';
export type { ConsentRecord } from './plan-consent.ts';
export { createReconciler, type Reconciler, type ReconcilerOptions } from './reconciler.ts';
export { changeKinds, changeReasons, type ChangeKind, type ChangeReason, type FieldChange } from './changes.ts';
export { changesOf, shortened, summaryOf, type PlannedChange } from './preview.ts';
export { urgentOf, type Held, type HeldReason, type Overwrites, type SyncCounts, type SyncPlan } from './plan.ts';
export type {
  ContactCreate,
  PlannedBatch,
  PlannedPair,
  PlannedPart,
  PlannedWrites,
  SubscriptionCreate,
} from './plan.ts';
export { applySync, planSync, readMapping, stateAfter, subscriptionPages } from './run.ts';
export type { AppliedSync, ApplySyncOptions, PlanSyncOptions, SubscriptionPage, SyncProgress } from './run.ts';
export { readSyncState, startSync, SyncStateError, type SyncState } from './state.ts';
export { decodeToken, encodeToken, tokenLimit } from './token.ts';
export type { AwaitedWrite, Base, ConsentState, FieldBase } from './token.ts';
export type { ValueKind } from './canonical-value.ts';
