/** What the trigger keeps between polls, and what makes it start over. */
import { deepCopy } from 'n8n-workflow';
import { startCreated, type CreatedState } from '@newsletter-kit/core/watch';
import { isRecord } from '../isRecord.ts';

/** n8n keeps this as JSON beside the workflow. */
interface Kept {
  /** The publication the state belongs to. */
  readonly publicationId: string;
  readonly created: CreatedState;
}

/**
 * The state to go on from. Another publication, a foreign shape or a newer version of the state starts over: the next
 * poll then only notes where the list stands.
 */
export function resume(kept: unknown, publicationId: string): CreatedState {
  return isKept(kept) && kept.publicationId === publicationId ? kept.created : startCreated();
}

/** The state as it is kept: a copy, for n8n watches what it is given for changes. */
export function toKeep(publicationId: string, created: CreatedState): Kept {
  return { publicationId, created: deepCopy(created) };
}

function isKept(value: unknown): value is Kept {
  if (!isRecord(value) || typeof value['publicationId'] !== 'string') return false;
  const created = value['created'];
  if (!isRecord(created) || created['version'] !== 1) return false;
  const { seen, walk } = created;
  return (seen === null || isFrontier(seen)) && (walk === null || isWalk(walk));
}

function isWalk(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { head, tail, cursor } = value;
  return isFrontier(head) && (tail === null || isFrontier(tail)) && (cursor === null || typeof cursor === 'string');
}

function isFrontier(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { created, ids } = value;
  return typeof created === 'number' && Array.isArray(ids) && ids.every((id) => typeof id === 'string');
}
