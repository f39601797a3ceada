/** Loads and saves the state of the sync, as one text in the static data of the node. */
import { readSyncState, startSync, SyncStateError, type SyncState } from '@newsletter-kit/core/sync';
import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../isRecord.ts';

const key = 'newsletterSync';

/**
 * The state of the last run; a new one for the first run, and for another publication than the last one.
 *
 * @throws SyncStateError for a damaged state or one of another version
 */
export function loadState(staticData: IDataObject, publicationId: string): SyncState {
  const text = staticData[key];
  if (text === undefined) return startSync();
  const kept = parse(text);
  return kept['publicationId'] === publicationId ? readSyncState(kept['state']) : startSync();
}

/** Saves the state as one text: n8n observes every entry of objects in static data. */
export function saveState(staticData: IDataObject, publicationId: string, state: SyncState): void {
  staticData[key] = JSON.stringify({ publicationId, state });
}

function parse(text: unknown): Readonly<Record<string, unknown>> {
  try {
    const kept: unknown = JSON.parse(String(text));
    if (isRecord(kept) && typeof kept['publicationId'] === 'string' && isRecord(kept['state'])) return kept;
  } catch {
    // Not JSON: damaged, as below.
  }
  throw new SyncStateError();
}
