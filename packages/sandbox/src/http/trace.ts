/** The trace of a request: notes on how it was answered. */
import type { Operation } from '@newsletter-kit/core/contract';
import type { Change } from './errors.ts';

/** What the request log keeps of a request. */
export interface Trace {
  operation: Operation | null;
  status: number;
  readonly reasons: string[];
  /** Code of the rule that refused the request. */
  rule: string | null;
  /** Changes that would make the request valid. */
  changes: readonly Change[];
  /** Whether it created a record. */
  created: boolean;
  /** Counts the whole list behind the page it answered. */
  total: (() => number) | null;
}

/** The trace of a request that has not been answered yet. */
export const blankTrace = (): Trace => ({
  operation: null,
  status: 0,
  reasons: [],
  rule: null,
  changes: [],
  created: false,
  total: null,
});
