/** One poll: reads pages until everything new is seen, or the poll's budget is used up. */
import { BadRequestError } from '../engine/errors.ts';
import { created, withoutCursor, type CreatedPage, type CreatedState } from './created.ts';
import type { Dated } from './frontier.ts';

/** What a poll needs. */
export interface CreatedPoll<Item extends Dated> {
  readonly state: CreatedState;
  /** Reads a page of the list in descending order of creation; null asks for the first. */
  readonly read: (cursor: string | null) => Promise<CreatedPage<Item>>;
  /** Most pages to read; at least 1. What is left is read by the next polls. */
  readonly pages: number;
  /** Asked before every further page: whether there is time for one. */
  readonly hasTime?: () => boolean;
  /** Milliseconds since the Unix epoch; spares reading a crowded newest second again and again. See {@link created}. */
  readonly now?: number;
}

/** What a poll found. */
export interface CreatedPollResult<Item extends Dated> {
  /** New records, oldest first. */
  readonly events: readonly Item[];
  /** To be kept together with the events, or not at all. */
  readonly state: CreatedState;
  /** Whether the poll reached what was seen before; otherwise the next one goes on where this one stopped. */
  readonly complete: boolean;
  /** What ended the poll early, after pages that count; undefined where nothing did. */
  readonly interruption?: unknown;
}

/**
 * Polls once. Keep `state` only together with the events: whoever crashes between the two gets the events again.
 *
 * @throws whatever `read` throws on the first page; on a later one the pages before it count and the error is reported
 */
export async function pollCreated<Item extends Dated>(poll: CreatedPoll<Item>): Promise<CreatedPollResult<Item>> {
  const { read, pages, hasTime = () => true } = poll;
  let state = poll.state;
  let cursor = state.walk?.cursor ?? null;
  const events: Item[] = [];
  const found = (complete: boolean): CreatedPollResult<Item> => ({ events: oldestFirst(events), state, complete });

  for (let count = 0; count < Math.max(1, pages) && (count === 0 || hasTime()); count++) {
    let page: CreatedPage<Item>;
    try {
      page = await read(cursor);
    } catch (error) {
      if (count === 0 && cursor !== null && error instanceof BadRequestError) {
        // The service no longer knows the place of the last poll: find it again from the top.
        return pollCreated({ ...poll, state: withoutCursor(state) });
      }
      if (count === 0) throw error;
      return { ...found(false), interruption: error };
    }
    const step = created(state, page, poll.now);
    events.push(...step.events);
    state = step.state;
    if (step.next === null) return found(true);
    cursor = step.next.cursor;
  }
  return found(false);
}

/** Newest first to oldest first; records of one second keep the list's own order, reversed. */
function oldestFirst<Item extends Dated>(items: readonly Item[]): Item[] {
  return items.toReversed().sort((a, b) => a.created - b.created);
}
