/** Who answered: the API, or something between it and the caller. */
import { isRecord } from '../is-record.ts';

/**
 * Whether a parsed body is one with which the API answers this error status. Others list their errors too: without
 * `statusText` it is the API's only where it has no member that the API's does not have.
 */
export function isErrorBody(value: unknown, status: number): boolean {
  if (!isRecord(value)) return false;
  const { errors, status: stated, statusText, ...others } = value;
  const isList = Array.isArray(errors);
  if (isList && !errors.every(isRecord)) return false;
  return typeof statusText === 'string' ? isList || stated === status : isList && Object.keys(others).length === 0;
}

/**
 * What an answer that is not the API's is about, by its status:
 *
 * - `outage` – it passes by itself (408, 429, 5xx, and every status that is not below)
 * - `address` – the base URL is wrong (404, 405, 410): the service answers a path that it does not know in this way
 * - `record` – this request is not let through (400, 413, 414, 431): others may be
 * - `access` – somebody is not let in (401, 402, 403), but it is not the API that refuses: no key is wrong for that
 */
export type ForeignAnswer = 'outage' | 'address' | 'record' | 'access';

const foreignAnswers: ReadonlyMap<number, ForeignAnswer> = new Map([
  ...[400, 413, 414, 431].map((status) => [status, 'record'] as const),
  ...[401, 402, 403].map((status) => [status, 'access'] as const),
  ...[404, 405, 410].map((status) => [status, 'address'] as const),
]);

/** What an answer with this error status is about, where it is not the API's. */
export const foreignAnswer = (status: number): ForeignAnswer => foreignAnswers.get(status) ?? 'outage';

/** The title of an HTML page, by which people know what answered; empty where there is none. */
export function pageTitle(body: string): string {
  const [, title = ''] = /<title[^>]*>([^<]*)</i.exec(body) ?? [];
  return title.replaceAll(/\s+/g, ' ').trim();
}
