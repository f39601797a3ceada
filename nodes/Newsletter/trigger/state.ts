/** Keeps the checkpoint of the polls, the state of the watch: loads and saves it, and decides when n8n must save it. */
import { readWatchState, startWatch, type WatchState } from '@newsletter-kit/core/watch';
import type { IDataObject, IPollFunctions, WorkflowActivateMode } from 'n8n-workflow';
import type { EventDefinition } from './events.ts';
import type { Settings } from './settings.ts';

/** Keys in the static data of the node: the state, and when it was saved last. */
const key = 'newsletter';
const savedAtKey = 'newsletterSaved';

/** A state, and where it was loaded from. */
interface LoadedState {
  readonly state: WatchState;
  readonly from: 'node' | 'workflow' | 'new';
}

/** The revision of each trigger's state after its last poll in this process, which n8n may not have saved. */
const revisions = new Map<string, number>();

/**
 * Stores the state in the static data of the node, and after an activation in that of the workflow: n8n saves the
 * latter at the end of every activation, but with durable cursors not the former. The copy of the workflow is deleted
 * once that of the node was loaded.
 */
export class WatchStateStore {
  readonly #node: IDataObject;
  readonly #workflow: IDataObject;
  readonly #slot: string;
  readonly #trigger: string;
  readonly #before: readonly unknown[];
  /** How n8n began these polls; its durable scheduler says `update`, as a changed workflow does. */
  readonly #activation: WorkflowActivateMode;

  constructor(context: IPollFunctions) {
    this.#node = context.getWorkflowStaticData('node');
    this.#workflow = context.getWorkflowStaticData('global');
    this.#slot = `newsletterTrigger:${context.getNode().id}`;
    this.#trigger = `${context.getWorkflow().id}:${context.getNode().id}`;
    this.#before = this.#kept();
    this.#activation = context.getActivationMode();
  }

  /**
   * The stored state; a new one where there is none, or only one of another scope.
   *
   * @throws WatchStateError for a damaged state or one of a later version: starting over would lose events
   */
  load(publicationId: string, settings: Settings): LoadedState {
    const scope = scopeOf(publicationId, settings);
    const copies = [
      { from: 'node', value: this.#node[key] },
      { from: 'workflow', value: this.#workflow[this.#slot] },
    ] as const;
    for (const { from, value } of copies) {
      const state = readWatchState(parsed(value), scope);
      if (state.revision > 0) return { state, from };
    }
    return { state: startWatch(scope, settings.since), from: 'new' };
  }

  /** Whether another poll, which started from the same state, has saved its own since. */
  wasOvertaken(): boolean {
    return this.#kept().some((value, index) => value !== this.#before[index]);
  }

  /**
   * Saves the state as one text: n8n observes every object in static data, and compares and copies it at every poll.
   *
   * @param reports - whether the poll returns items, which makes n8n save static data
   */
  save(state: WatchState, { from }: LoadedState, reports: boolean): void {
    const text = JSON.stringify(state);
    revisions.set(this.#trigger, state.revision);
    if (reports || from === 'new' || this.#savedAt() === undefined) this.#node[savedAtKey] = Date.now();
    if (!reports && from === 'new') {
      this.#workflow[this.#slot] = text;
      return;
    }
    this.#node[key] = text;
    // With durable cursors, n8n saves the workflow before the node: the older copy is needed if n8n ends in between.
    if (from === 'node' && this.#workflow[this.#slot] !== undefined) delete this.#workflow[this.#slot];
  }

  /**
   * Whether n8n has to save the state although the poll reports nothing. In all other cases an older state suffices: a
   * later poll finds the same changes from it.
   */
  mustSave({ state: before, from }: LoadedState, after: WatchState, { type, reads }: EventDefinition): boolean {
    if (after === before) return false;
    // n8n saves after an activation; its durable scheduler may start without one, after a change of the node.
    if (from === 'new') return this.#activation === 'update';
    if (reads === 'newest' || after.scan === null) return false;
    // The first scan: the list as it was cannot be read again.
    if (before.scan === null || before.scan.pass === 0) return true;
    // A new subscription: its next change is only found against this first reading.
    if ((type === 'status_changed' || type === 'updated') && after.created !== before.created) return true;
    // The position in a long list: without it, an n8n that restarts often would never finish a scan.
    const midway = before.scan.reached !== null || after.scan.reached !== null;
    const savedAt = this.#savedAt();
    if (!midway || savedAt === undefined) return false;
    // Under the durable scheduler without durable cursors, every poll starts from the state saved last.
    const isForgotten = before.revision < (revisions.get(this.#trigger) ?? 0);
    return Date.now() - savedAt >= (isForgotten ? saveIntervalMs : longSaveIntervalMs);
  }

  #kept(): readonly unknown[] {
    return [this.#node[key], this.#workflow[this.#slot]];
  }

  /** When n8n saved the state last, in milliseconds; undefined where that is not stored. */
  #savedAt(): number | undefined {
    const value = this.#node[savedAtKey];
    return typeof value === 'number' ? value : undefined;
  }
}

/** Milliseconds after which the position in the list is saved. */
const saveIntervalMs = 10 * 60_000;
const longSaveIntervalMs = 6 * 60 * 60_000;

/** Identifies the watch: another publication, event or filter starts a new state. */
function scopeOf(publicationId: string, { chosen, filter, since }: Settings): string {
  return JSON.stringify([publicationId, chosen, filter, ...(since === undefined ? [] : [since])]);
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return {};
  }
}
