/** What every part of a planned run needs to know. */
import type { ReadyMapping } from '../mapping/prepare-mapping.ts';
import type { SyncState } from '../mapping/state.ts';
import type { FindingLog } from './findings.ts';
import type { UnclearWords } from './unclear-words.ts';

export interface RunContext {
  /** Once what contacts usually show of the opt-out is known, with that. */
  mapping: ReadyMapping;
  readonly state: SyncState;
  readonly log: FindingLog;
  readonly unclear: UnclearWords;
  /** Whether all contacts come in. */
  readonly isOfAll: boolean;
  /** Whether the contacts may have been listed as they were before the last run wrote them. */
  readonly mayBeLate: boolean;
}
