/** What every part of a planned run needs to know. */
import type { FindingLog } from './findings.ts';
import type { ReadyMapping } from './prepare-mapping.ts';
import type { SyncState } from './state.ts';

export interface RunContext {
  readonly mapping: ReadyMapping;
  readonly state: SyncState;
  readonly log: FindingLog;
  /** Whether all contacts come in. */
  readonly isOfAll: boolean;
  /** Whether the contacts may have been listed as they were before the last run wrote them. */
  readonly mayBeLate: boolean;
}
