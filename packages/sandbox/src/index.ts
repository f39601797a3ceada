/** The sandbox in process: `createSandbox()` answers requests without a port. */
export { createSandbox, type Sandbox, type SandboxOptions } from './app.ts';
export type { Change, Nearest } from './api/nearest.ts';
export { profiles, type Profile, type QuotaRequest, type RateLimitState } from './api/rate-limit.ts';
export type { Assumptions, AssumptionState } from './control/assumptions/assumptions.ts';
export type { AssumptionChoice, AssumptionId } from './control/assumptions/table.ts';
export type { SandboxEvent } from './control/events.ts';
export type { Effect, Fault, FaultRequest } from './control/faults/fault.ts';
export type { Faults } from './control/faults/faults.ts';
export { SnapshotError } from './control/snapshots/file.ts';
export type { Snapshot, Snapshots } from './control/snapshots/snapshots.ts';
export type { Exchange, LogEntry, LogFilter, LoggedMessage } from './control/log.ts';
export { consent, ConsentError } from './oauth/visit.ts';
export { DatabaseError } from './store/database.ts';
export type { Clock } from './world/clock.ts';
export { apiKeys, oauthClients, publicationId } from './world/fixed.ts';
export { SeedError, type Seed } from './world/seeds/seed.ts';
export { seedNames, type SeedName } from './world/seeds/standard.ts';
