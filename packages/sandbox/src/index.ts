/** The sandbox in process: `createSandbox()` answers requests without a port. */
export { createSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts';
export type { Nearest } from './api/nearest.ts';
export { profiles, type Profile, type QuotaRequest, type RateLimitState } from './control/rate-limit.ts';
export type { Assumptions, AssumptionState } from './control/assumptions.ts';
export type { AssumptionChoice, AssumptionId } from './gaps.ts';
export type { SandboxEvent } from './control/events.ts';
export { deviate, fieldChanges, type AnswerDeviation } from './control/deviations.ts';
export type { Effect, Fault, FaultRequest, Faults } from './control/faults.ts';
export type { Change } from './http/errors.ts';
export { ShapesError, type AnswerShapes } from './control/shapes.ts';
export { SnapshotError, type Snapshot, type Snapshots } from './control/snapshots.ts';
export type { Exchange, LogEntry, LogFilter, LoggedMessage } from './control/request-log.ts';
export { consent, ConsentError } from './oauth/consent.ts';
export { DatabaseError } from './store/database.ts';
export type { Clock } from './world/clock.ts';
export { apiKeys, oauthClients, publicationId } from './world/ids.ts';
export { SeedError, type Seed } from './world/seeds/seed.ts';
export { seedNames, type SeedName } from './world/seeds/standard.ts';
