/** Keeps the checkpoint of the polls, the state of the watch: loads and saves it, and decides when n8n must save it. */
import { readWatchState, startWatch, type WatchState, WatchStateError } from '@newsletter-kit/core/watch';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { keeps, storedRecord } from '../execution.ts';
import { triggerKey } from './outage.ts';
import type { Settings } from './settings.ts';

/** What is stored, as one text: n8n observes every object in static data, and compares and copies it at every poll. */
interface Stored {
  readonly state: WatchState;
  /** The node that saved it. */
  readonly id: string;
  readonly name: string;
  /** Created Since, when it last counted. */
  readonly since?: number;
  /** When n8n was last made to save it, in milliseconds. */
  readonly savedAt: number;
}

/** A state, and what was stored with it; nothing where it is new. */
export interface LoadedState {
  readonly state: WatchState;
  readonly stored: Stored | null;
  /** Whether this process knew a later state than n8n has stored: the workflow was imported from an older export. */
  readonly isRecovered: boolean;
}

/** n8n gave the trigger static data that it cannot change. */
export class StaticDataError extends Error {
  override readonly name = 'StaticDataError';
}

/** Key in the static data of the node, and the beginning of that in the static data of the workflow. */
const key = 'newsletter';

/**
 * What the last poll of each trigger and publication in this process saved, which n8n may not have saved, or not yet:
 * the revisions before and after, and until when a poll may begin without it, on a clock that nobody sets back.
 */
const saves = new Map<string, { readonly from: number; readonly to: number; readonly pendingUntil: number }>();

/**
 * Milliseconds that n8n may take to save what a poll has reported: less than its shortest interval, so that the next
 * poll repeats what n8n has dropped.
 */
const handoverMs = 45_000;

/** The time that n8n from 2.40 on names where it sets a poll no limit; older versions name none. */
const withoutLimitMs = 300_000;

/**
 * The state with which the last poll of each trigger began: n8n has taken what the polls before it have found. Of the
 * poll itself nobody knows, because n8n drops the result of one that runs while the workflow is unpublished.
 */
const lastStates = new Map<string, { readonly publicationId: string; readonly stored: Stored }>();

/**
 * Stores two copies of the state. The one in the static data of the workflow, by the ID of the node, outlives a rename.
 * The one in the static data of the node is what n8n saves together with the execution where it has durable cursors.
 */
export class WatchStateStore {
  readonly #context: IPollFunctions;
  readonly #node: IDataObject;
  readonly #workflow: IDataObject;
  readonly #slot: string;
  readonly #begun = performance.now();

  constructor(context: IPollFunctions) {
    this.#context = context;
    this.#node = context.getWorkflowStaticData('node');
    this.#workflow = context.getWorkflowStaticData('global');
    this.#slot = `${key}:${context.getNode().id}`;
  }

  /**
   * The stored state of this publication; a new one where there is none.
   *
   * @throws WatchStateError for a damaged state or one of a later version: starting over would lose events
   */
  load(publicationId: string, { since }: Settings): LoadedState {
    const kept = this.#newest(publicationId);
    const stored = this.#latest(publicationId, since, kept);
    const isRecovered = stored !== kept;
    if (stored === null) return { state: startWatch(publicationId, since), stored, isRecovered };
    // Another time in Created Since is the wish to see what was created from then on.
    if (since === undefined || since === stored.since) return { state: stored.state, stored, isRecovered };
    return { state: { ...stored.state, created: startWatch('', since).created }, stored, isRecovered };
  }

  /** The state that this process knows of the trigger where it is later, or else the kept one. */
  #latest(publicationId: string, since: number | undefined, kept: Stored | null): Stored | null {
    // The durable scheduler, which alone sets a limit, may run a poll again whose result it did not take.
    if (![undefined, withoutLimitMs].includes(this.#context.getPollBudgetMs?.())) return kept;
    const name = triggerKey(this.#context);
    const known = lastStates.get(name);
    const isLater =
      known?.publicationId === publicationId &&
      known.stored.state.revision > (kept?.state.revision ?? 0) &&
      (since === undefined || since === known.stored.since);
    const latest = isLater ? known.stored : kept;
    if (latest === null) lastStates.delete(name);
    else lastStates.set(name, { publicationId, stored: latest });
    return latest;
  }

  /**
   * Whether another poll has gone on from the same state meanwhile, or so lately that n8n may not have saved that when
   * this one began. The durable scheduler runs polls of one trigger at once where it is late or they are slow.
   */
  wasOvertaken({ state: { scope, revision } }: LoadedState): boolean {
    const last = saves.get(triggerKey(this.#context) + scope);
    return last !== undefined && this.#begun < last.pendingUntil && last.from <= revision && revision < last.to;
  }

  /**
   * Whether durable cursors have no copy yet to go back to. n8n saves the static data of the workflow before it: if n8n
   * was ended in between, what this poll reports would be lost.
   */
  lacksCopy({ stored }: LoadedState): boolean {
    const { id, name } = this.#context.getNode();
    return stored?.id === id && stored.name === name && this.#node[key] === undefined;
  }

  /**
   * @param reports - whether the poll returns a list, which makes n8n save static data
   * @throws StaticDataError
   */
  save(state: WatchState, { state: before, stored }: LoadedState, { since }: Settings, reports: boolean): void {
    const { id, name } = this.#context.getNode();
    const used = since ?? stored?.since;
    const savedAt = reports || stored === null ? Date.now() : stored.savedAt;
    const text = JSON.stringify({
      state,
      id,
      name,
      ...(used !== undefined && { since: used }),
      savedAt,
    } satisfies Stored);
    if (!keeps(this.#workflow, this.#slot, text) || !keeps(this.#node, key, text)) throw new StaticDataError();
    const pendingUntil = performance.now() + (reports ? handoverMs : 0);
    saves.set(triggerKey(this.#context) + state.scope, { from: before.revision, to: state.revision, pendingUntil });
  }

  /**
   * Whether n8n has to save the state although the poll reports nothing. In all other cases an older state suffices: a
   * later poll finds the same changes from it.
   */
  mustSave({ state: before, stored, isRecovered }: LoadedState, after: WatchState, settings: Settings): boolean {
    const { scans, events } = settings;
    if (isRecovered) return true;
    if (after === before) return false;
    // n8n saves after an activation; its durable scheduler, which says `update`, may start without one.
    if (stored === null) return this.#context.getActivationMode() === 'update';
    if (!scans || after.scan === null) return false;
    // The first scan: the list as it was cannot be read again.
    if (before.scan === null || before.scan.pass === 0 || before.scan.list !== after.scan.list) return true;
    // A new subscription: its next change is only found against this first reading.
    const compares = events.includes('subscriptionStatusChanged') || events.includes('subscriptionUpdated');
    if (compares && after.created !== before.created) return true;
    // The position in a long list: without it, an n8n that restarts often would never finish a scan.
    const midway = before.scan.reached !== null || after.scan.reached !== null;
    // Under the durable scheduler without durable cursors, every poll starts from the state saved last.
    const isForgotten = before.revision < (saves.get(triggerKey(this.#context) + before.scope)?.to ?? 0);
    return midway && Date.now() - stored.savedAt >= (isForgotten ? saveIntervalMs : longSaveIntervalMs);
  }

  /** The newer copy; that of the node where n8n was ended after saving the other, but not the execution. */
  #newest(publicationId: string): Stored | null {
    const { id, name } = this.#context.getNode();
    const own = read(this.#node[key], publicationId);
    const shared = read(this.#workflow[this.#slot], publicationId) ?? this.#namesake(publicationId);
    if (own === null || shared === null) return own ?? shared;
    // Another node had this name, or this one had another name meanwhile.
    if (own.id !== id) return shared;
    return shared.name === name || own.state.revision > shared.state.revision ? own : shared;
  }

  /** The state of the node that this one has replaced under its name. */
  #namesake(publicationId: string): Stored | null {
    const { name } = this.#context.getNode();
    const slot = Object.keys(this.#workflow).find(
      (each) => each.startsWith(`${key}:`) && storedRecord(this.#workflow[each])?.['name'] === name,
    );
    return slot === undefined ? null : read(this.#workflow[slot], publicationId);
  }
}

/** Milliseconds after which the position in the list is saved. */
const saveIntervalMs = 10 * 60_000;
const longSaveIntervalMs = 6 * 60 * 60_000;

/** Reads a stored text; null where there is none for this publication. @throws WatchStateError */
function read(text: unknown, publicationId: string): Stored | null {
  if (text === undefined) return null;
  const stored = storedRecord(text);
  if (stored === null) throw new WatchStateError('The stored text is damaged.');
  const { id, name, since, savedAt } = stored;
  const state = readWatchState(stored['state'], publicationId);
  if (state.revision === 0) return null;
  return {
    state,
    id: String(id),
    name: String(name),
    ...(typeof since === 'number' && { since }),
    savedAt: Number(savedAt),
  };
}
