/** What the trigger keeps between polls, and what makes it start over. */
import { readWatchState, startWatch, type WatchState } from '@newsletter-kit/core/watch';
import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../isRecord.ts';
import type { Settings } from './settings.ts';

/** Where it stands in the static data of the node. */
const key = 'newsletter';

/** What was kept, as it was kept. */
export type Kept = unknown;

export function kept(staticData: IDataObject): Kept {
  return staticData[key];
}

/**
 * Keeps it as one text: n8n watches every object that it is given for changes, and compares and copies it at every
 * poll.
 */
export function keep(staticData: IDataObject, state: WatchState): void {
  staticData[key] = JSON.stringify(state);
}

/** What is watched, in words: another publication, event or filter is another watch, and begins anew. */
export function scopeOf(publicationId: string, { chosen, filter, since }: Settings): string {
  return JSON.stringify([publicationId, chosen, filter, ...(since === undefined ? [] : [since])]);
}

/**
 * The state to go on from; of another scope, or where there is none, a new one.
 *
 * @throws WatchStateError where it is damaged or of a later version: beginning anew would lose what happened since
 */
export function resume(value: Kept, publicationId: string, settings: Settings): WatchState {
  const scope = scopeOf(publicationId, settings);
  const begun = readWatchState(parsed(value, publicationId), scope);
  return begun.revision === 0 && begun.created.seen === null ? startWatch(scope, settings.since) : begun;
}

function parsed(value: Kept, publicationId: string): unknown {
  if (typeof value === 'string') {
    try {
      return JSON.parse(value) as unknown;
    } catch {
      return {};
    }
  }
  // As it was kept before there was more than one event.
  if (isRecord(value) && 'publicationId' in value)
    return value['publicationId'] === publicationId ? value['created'] : null;
  return value;
}
