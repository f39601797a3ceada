/** What the trigger keeps between polls, what makes it start over, and when n8n has to save it. */
import { readWatchState, startWatch, type WatchState } from '@newsletter-kit/core/watch';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { isRecord } from '../isRecord.ts';
import type { EventDefinition } from './events.ts';
import { isScheduled } from './limits.ts';
import type { Settings } from './settings.ts';

/** Where the state stands in the static data of the node, and when it was saved last. */
const key = 'newsletter';
const savedKey = 'newsletterSaved';

/** A state, and where n8n keeps it. */
interface Begun {
  readonly state: WatchState;
  readonly from: 'node' | 'workflow' | 'nowhere';
}

/**
 * The static data of the node, and for the state of an activation that of the workflow: n8n saves the latter at the end
 * of every activation, but with durable cursors not what the activation's poll puts into the former.
 */
export class Memory {
  readonly #node: IDataObject;
  readonly #workflow: IDataObject;
  readonly #slot: string;
  readonly #before: readonly unknown[];
  readonly #scheduled: boolean;

  constructor(context: IPollFunctions) {
    this.#node = context.getWorkflowStaticData('node');
    this.#workflow = context.getWorkflowStaticData('global');
    this.#slot = `newsletterTrigger:${context.getNode().id}`;
    this.#before = this.#kept();
    this.#scheduled = isScheduled(context);
  }

  /**
   * The state to go on from; of another scope, or where there is none, a new one.
   *
   * @throws WatchStateError where it is damaged or of a later version: beginning anew would lose what happened since
   */
  resume(publicationId: string, settings: Settings): Begun {
    const scope = scopeOf(publicationId, settings);
    const places = [
      { from: 'node', value: this.#node[key] },
      { from: 'workflow', value: this.#workflow[this.#slot] },
    ] as const;
    for (const { from, value } of places) {
      const state = readWatchState(parsed(value, publicationId), scope);
      if (state.revision > 0 || state.created.seen !== null) return { state, from };
    }
    return { state: startWatch(scope, settings.since), from: 'nowhere' };
  }

  /** Whether another poll, which began with the same state, has kept its own since. */
  isOvertaken(): boolean {
    return this.#kept().some((value, index) => value !== this.#before[index]);
  }

  /**
   * Keeps it as one text: n8n watches every object that it is given for changes, and compares and copies it at every
   * poll.
   *
   * @param reports - whether the poll gives n8n something, so that it saves this
   */
  keep(state: WatchState, { from }: Begun, reports: boolean): void {
    const text = JSON.stringify(state);
    if (from === 'nowhere') this.#noteSaving(state);
    if (!reports && !this.#scheduled && from !== 'node') {
      this.#workflow[this.#slot] = text;
      return;
    }
    this.#node[key] = text;
    if (this.#workflow[this.#slot] !== undefined) delete this.#workflow[this.#slot];
    if (reports || this.#node[savedKey] === undefined) this.#noteSaving(state);
  }

  /**
   * Whether n8n has to save the state although the poll reports nothing. Elsewhere an older state will do: compared
   * with it, what has changed since is still found.
   */
  mustSave({ state: before, from }: Begun, after: WatchState, { type, looks }: EventDefinition): boolean {
    if (after === before) return false;
    // The activation, which n8n saves; its durable scheduler may begin without one, after a change of the node.
    if (from === 'nowhere') return this.#scheduled;
    if (looks === 'newest' || after.scan === null) return false;
    // The first look at the list: what it saw can't be seen again as it was.
    if (before.scan === null || before.scan.pass === 0) return true;
    // The first look at a new subscription, where a change of it is told only against that look.
    if ((type === 'status_changed' || type === 'updated') && after.created !== before.created) return true;
    // The place in a long list: without it, n8n restarted again and again would never come to its end.
    const midway = before.scan.reached !== null || after.scan.reached !== null;
    const { at, revision } = this.#saved();
    // Under the durable scheduler without durable cursors, every poll begins with what was saved last.
    const isAsSaved = this.#scheduled && (from === 'workflow' || before.revision === revision);
    return midway && Date.now() - at >= (isAsSaved ? aWhile : aLongWhile);
  }

  #kept(): readonly unknown[] {
    return [this.#node[key], this.#workflow[this.#slot]];
  }

  #noteSaving({ revision }: WatchState): void {
    this.#node[savedKey] = JSON.stringify({ at: Date.now(), revision });
  }

  #saved(): { readonly at: number; readonly revision: number } {
    const text = this.#node[savedKey];
    const value: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
    return isRecord(value) && typeof value['at'] === 'number' && typeof value['revision'] === 'number'
      ? { at: value['at'], revision: value['revision'] }
      : { at: Date.now(), revision: -1 };
  }
}

/** Milliseconds after which the place in the list is saved. */
const aWhile = 10 * 60_000;
const aLongWhile = 6 * 60 * 60_000;

/** What is watched, in words: another publication, event or filter is another watch, and begins anew. */
function scopeOf(publicationId: string, { chosen, filter, since }: Settings): string {
  return JSON.stringify([publicationId, chosen, filter, ...(since === undefined ? [] : [since])]);
}

function parsed(value: unknown, publicationId: string): unknown {
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
