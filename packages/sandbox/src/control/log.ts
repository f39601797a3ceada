/**
 * The request log: the last thousand requests and why each was answered as it was. Keeps no tokens and no addresses.
 */
import type { Operation } from '@newsletter-kit/core/contract';
import type { Nearest } from '../api/nearest.ts';

export interface LogEntry {
  readonly n: number;
  /** ISO 8601, of the sandbox's clock. */
  readonly time: string;
  readonly method: string;
  readonly path: string;
  /** Parameters by name, values shown only where they can hold nothing personal or secret. */
  readonly query: Readonly<Record<string, string>>;
  /** Id in the contract, null where the request matched none. */
  readonly operation: string | null;
  readonly status: number;
  readonly milliseconds: number;
  readonly reasons: readonly string[];
  /** Code of the rule that refused the request; null where none did. */
  readonly rule: string | null;
  /** The valid request nearest to a refused one, and what to change to get there. */
  readonly nearest: Nearest | null;
}

export interface RequestLog {
  add(entry: Omit<LogEntry, 'n'>): LogEntry;
  /** Oldest first; `after` leaves out entries up to that number. */
  entries(after?: number): readonly LogEntry[];
  clear(): void;
}

const kept = 1000;

export function createRequestLog(): RequestLog {
  let entries: LogEntry[] = [];
  let n = 0;
  return {
    add(entry) {
      const numbered = { n: (n += 1), ...entry };
      entries.push(numbered);
      // Cut in blocks, so that adding stays cheap.
      if (entries.length >= kept * 2) entries = entries.slice(-kept);
      return numbered;
    },
    entries: (after = 0) => entries.slice(-kept).filter((entry) => entry.n > after),
    clear() {
      entries = [];
    },
  };
}

const hidden = '…';
const personal = new Set(['email', 'name', 'client_id', 'state', 'code_challenge', 'redirect_uri']);

/** What the log shows of a query: known parameters with their values, everything else by name only. */
export function loggableQuery(operation: Operation | null, search: string): Readonly<Record<string, string>> {
  if (search === '') return {};
  const shown: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(search)) {
    const open = operation?.query.includes(name) === true && !personal.has(name);
    const text = open ? value.slice(0, 200) : hidden;
    shown[name] = shown[name] === undefined ? text : `${shown[name]}, ${text}`;
  }
  return shown;
}
