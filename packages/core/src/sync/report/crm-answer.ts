/**
 * Reads what a CRM answered to the writing of contacts: how many it took, and what it refused, in its own words. The
 * status decides, and signs of an error in the body; what was really taken shows the next reading. For any CRM. Pure.
 */
import { retryAfterMs } from '../../engine/rate-limit.ts';
import { pageTitle } from '../../facts/api-answer.ts';
import { isRecord } from '../../is-record.ts';
import { parseJson } from '../../parse-json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What to do about a change that a CRM did not take, by what its status says. */
export const refusalRemedies = {
  limit:
    'Nothing has to be done: within two runs the change is planned again. If it happens in every run, write fewer contacts, or more slowly.',
  busy: 'Nothing has to be done: within two runs the change is planned again.',
  access:
    'Check the credential of the CRM’s nodes, and its permission to write these fields; where its words name a limit, wait.',
  duplicate: 'Perhaps another contact has this address, also as a further one: merge the two in the CRM.',
  gone: 'If the contact was deleted or merged, nothing has to be done. Otherwise let the credential see it.',
  value: 'The CRM’s words say why: correct the value, or the field in the CRM. Until then every run plans it again.',
  unclear: 'Let the node return the contact with its ID, or an HTTP Request node the full response.',
} as const;

export type RefusalReason = keyof typeof refusalRemedies;

/** A change, or a call with several, that a CRM did not take. */
export interface CrmRefusal {
  readonly reason: RefusalReason;
  /** The words and codes of the CRM. They may hold an address. */
  readonly message: string;
  readonly remedy: string;
  /** The HTTP status, where it is known. */
  readonly status?: number;
  /** The id or the address of the contact, where the answer names it. */
  readonly contact?: string;
  /** The position in a batch whose results come in its order, counted from 0. */
  readonly position?: number;
  /** How long the CRM asks to wait, in milliseconds. */
  readonly retryAfterMs?: number;
}

export interface CrmAnswer {
  /** Number of contacts that were written. */
  readonly accepted: number;
  readonly refused: readonly CrmRefusal[];
}

/** What is known of the transport of an answer. */
interface Received {
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly nowMs: number;
}

/**
 * Reads one answer as n8n delivers it: the body alone, the full response with `statusCode`, `headers` and `body`, or an
 * error under `error`.
 *
 * @param nowMs - for a `Retry-After` that is a date; milliseconds since the Unix epoch
 */
export function readAnswer(answer: unknown, nowMs: number): CrmAnswer {
  const received: Received = { headers: {}, nowMs };
  if (!isRecord(answer)) return readBody(answer, received);
  const { statusCode: status, error } = answer;
  if (typeof status === 'number' && ('body' in answer || 'headers' in answer))
    // n8n puts a text under data.
    return readBody(answer['body'] ?? answer['data'], { ...received, status, headers: headersOf(answer) });
  if (typeof error === 'string') return readError({ message: error, description: answer['message'] }, answer, received);
  const isThrown = isRecord(error) && ['stack', 'httpCode', 'messages', 'context'].some((name) => name in error);
  return isThrown ? readError(error, answer, received) : readBody(answer, received);
}

/** An error of an n8n node. n8n replaces the CRM's words by a text of its own, and keeps them as the description. */
function readError(error: Fields, answer: Fields, received: Received): CrmAnswer {
  const { cause, description, message, messages, httpCode, context } = error;
  const response = [error['response'], isRecord(cause) ? cause['response'] : undefined].find(isRecord) ?? {};
  // A copied error has lost its message.
  const words = [description, messages, message ?? answer['message']].flat().flatMap((text) => textOf(text) ?? []);
  const stated = [httpCode, error['status'], response['status'], response['statusCode']].map(Number);
  const status = [...stated, ...words.map(statusIn)].find((each) => each >= 400 && each < 600);
  const known = { ...received, headers: headersOf(response), ...(status !== undefined && { status }) };
  const bodies = [response['data'], response['body'], isRecord(context) ? context['data'] : undefined];
  const body = [...bodies, ...words.map((text) => jsonIn(text) ?? pageIn(text))].find(isFilled);
  return refused(refusalOf(body ?? [...new Set(words)].join(' – '), known));
}

/** The names under which a body has the results of a batch, or the record. */
const containers = ['results', 'records', 'result', 'data'];

function readBody(given: unknown, received: Received): CrmAnswer {
  const body = typeof given === 'string' ? (jsonIn(given) ?? given) : given;
  const { status } = received;
  if (status !== undefined && status >= 400) return refused(refusalOf(body, received));
  if (Array.isArray(body)) return readList(body, received);
  if (isRecord(body)) {
    const { errors, ...others } = body;
    const lists = Object.entries(others).filter((each): each is [string, unknown[]] => Array.isArray(each[1]));
    const accepted = lists.flatMap(([, list]) => list).length;
    // Results of some contacts, and errors of others.
    if (Array.isArray(errors) && lists.length > 0 && (accepted > 0 || errors.length > 0))
      return { accepted, refused: errors.flatMap((error) => refusalsOf(error, received)) };
    // A batch with refusals, whatever it is called; a list of failures alone has places of its own.
    const batch = lists.find(([, list]) => list.some((entry) => isRefused(entry) || isRefused(onlyIn(entry))));
    if (batch) return readList(batch[1], received, !isFailure(batch[0]));
    if (isRefusal(body)) return refused(refusalOf(body, received));
    const named = containers.map((name) => body[name]).find((each) => typeof each === 'object' && each !== null);
    const inner = named ?? onlyIn(body);
    if (Array.isArray(inner)) return readList(inner, received);
    if (isRecord(inner) && body['success'] !== true) return readBody(inner, received);
  }
  const isPage = typeof body === 'string' && pageIn(body) !== undefined;
  if (status === undefined ? isWritten(body) : !isPage) return { accepted: 1, refused: [] };
  return refused(refusalOf(body, received, 'unclear'));
}

/** The record or records that are an object's only member: an entry of a batch may be wrapped. */
function onlyIn(entry: unknown): unknown {
  const [value, ...others] = isRecord(entry) ? Object.values(entry) : [];
  return others.length === 0 && [value].flat().every(isRecord) ? value : undefined;
}

/** The results of a batch, in its order, but for replies, which have any. */
function readList(entries: readonly unknown[], received: Received, isOrdered = true): CrmAnswer {
  const answers = entries.map((entry) => readBody(entry, received));
  return {
    accepted: answers.reduce((total, { accepted }) => total + accepted, 0),
    refused: answers.flatMap(({ refused: some }, position) =>
      isOrdered && !isReply(entries[position]) ? some.map((refusal) => ({ position, ...refusal })) : some,
    ),
  };
}

/**
 * The signs of an error in a body: no success, a status of an error, an error or several, or a code with its message. A
 * body that is no record, and so has no fields of the user's, says it by any filled member that is named for a failure.
 */
function isRefusal(body: Fields): boolean {
  const { success, ok, error, errors, reasons, status, object, code, errorCode, message } = body;
  const isCode = [code, errorCode].some((each) => isFilled(each) && !/^(?:2\d\d|ok|success)$/i.test(String(each)));
  return (
    [success, ok].includes(false) ||
    [error, errors, reasons].some(isFilled) ||
    [status, object].includes('error') ||
    (!hasId(body) && /^(?:err|error|fail|failed|failure)$/i.test(String(status))) ||
    failureStatusOf(body) !== undefined ||
    (isCode && isFilled(message) && status !== 'success') ||
    (!hasId(body) && [body, ...Object.values(body)].some((each) => isRecord(each) && !hasId(each) && hasFailure(each)))
  );
}

/** The HTTP status of an error that a body states. */
const failureStatusOf = (body: unknown): number | undefined =>
  ['status', 'statusCode', 'status_code', 'httpStatusCode']
    .map((name) => (isRecord(body) ? Number(body[name]) : 0))
    .find((stated) => stated >= 400 && stated < 600);

const isRefused = (entry: unknown): boolean => isRecord(entry) && isRefusal(entry);

const hasFailure = (body: Fields): boolean =>
  Object.entries(body).some(([name, value]) => isFailure(name) && isFilled(value));

/** Whether a member is named for a failure. */
const isFailure = (name: string): boolean => /error|fail|reject|unprocessed/i.test(name);

/** Whether an entry is the reply to a request of its own, whose id it has: that of nobody. */
const isReply = (entry: unknown): boolean =>
  isRecord(entry) && ('jsonrpc' in entry || ('status' in entry && ('body' in entry || 'headers' in entry)));

/** Whether it is a record by its id. */
const hasId = (body: Fields): boolean =>
  Object.entries(body).some(
    ([name, value]) =>
      /^(?:_?id|(?:contact|person|record|customer|lead|row|hs_object)_?id)$/i.test(name) && isFilled(value),
  );

/**
 * Whether a body without a status looks like a record that was written: it or a record in it has an id, or the CRM says
 * so. Values and address are not enough: some nodes of n8n pass on what they were given when they fail.
 */
function isWritten(body: unknown, depth = 0): boolean {
  if (!isRecord(body) || depth > 2) return false;
  if (body['success'] === true || body['status'] === 'success') return true;
  return hasId(body) || Object.values(body).some((value) => isWritten(value, depth + 1));
}

/** What a status says, beside those from 500 on; any other refusal is about the values. */
const reasons: Readonly<Record<number, RefusalReason>> = {
  401: 'access',
  403: 'access',
  404: 'gone',
  408: 'busy',
  409: 'duplicate',
  410: 'gone',
  423: 'busy',
  425: 'busy',
  429: 'limit',
  477: 'busy',
};

/** A refusal for each contact that an error of a batch names; its `id` is its own. */
function refusalsOf(error: unknown, received: Received): readonly CrmRefusal[] {
  const named = isRecord(error) ? { ...error, id: undefined } : error;
  const refusal = refusalOf(named, received);
  const contacts = contactsIn(named);
  return contacts.length > 1 ? contacts.map((contact) => ({ ...refusal, contact })) : [refusal];
}

/** @param known - the reason, where the status does not say it */
function refusalOf(body: unknown, { status, headers, nowMs }: Received, known?: RefusalReason): CrmRefusal {
  const [contact] = contactsIn(body);
  const position = isRecord(body) && Number.isSafeInteger(body['index']) ? Number(body['index']) : undefined;
  const stated = (status ?? 0) >= 400 ? status : failureStatusOf(body);
  const reason = known ?? reasons[stated ?? 0] ?? ((stated ?? 0) >= 500 ? 'busy' : 'value');
  const wait = status === undefined ? undefined : retryAfterMs({ status, headers }, nowMs);
  return {
    reason,
    message: messageOf(body),
    remedy: refusalRemedies[reason],
    ...(status !== undefined && { status }),
    ...(contact !== undefined && { contact }),
    ...(position !== undefined && { position }),
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
}

/** Names of what an error says. */
const wordNames = /message|error|reason|detail|descri|title|code|hint|fail|fault|except/i;
/** The longest message. */
const longestMessage = 300;

/** The texts of an error: those with one of these names, and what stands below it. */
function* textsIn(value: unknown, isWord = false, depth = 0): Generator<string, void, undefined> {
  const text = isWord ? textOf(value) : undefined;
  if (text !== undefined) yield text;
  if (typeof value !== 'object' || value === null || depth > 5) return;
  for (const [name, inner] of Object.entries(value)) yield* textsIn(inner, isWord || wordNames.test(name), depth + 1);
}

/** The words of the CRM: sentences first, then codes. */
function messageOf(body: unknown): string {
  if (typeof body === 'string') {
    if (pageIn(body) === undefined) return body.trim() || 'The CRM gave no reason.';
    const title = pageTitle(body);
    return title ? `The CRM answered with a page: ${title}` : 'The CRM answered with a page instead of data.';
  }
  const texts = [...new Set(textsIn(body, Array.isArray(body)))];
  const sorted = [...texts.filter((text) => text.includes(' ')), ...texts.filter((text) => !text.includes(' '))];
  const text = sorted.join(' – ') || JSON.stringify(body) || '';
  const message = sorted.length > 0 ? text : `The answer was not understood: ${text}`;
  return ['', '{}'].includes(text) ? 'The answer is empty.' : message.slice(0, longestMessage);
}

/** The ids of the contacts that an error names. */
function contactsIn(error: unknown): readonly string[] {
  if (!isRecord(error) || isReply(error)) return [];
  const context = [error['context'], error['details']].find(isRecord) ?? {};
  const named = [context['objectWriteTraceId'], context['ids'], context['id'], error['id']].find(isFilled);
  return [named].flat().filter(isFilled).map(String);
}

function headersOf({ headers }: Fields): Readonly<Record<string, string>> {
  const entries = isRecord(headers) ? Object.entries(headers) : [];
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

/** The HTTP status that an error message states: as a number, or by its name, as in n8n's own words for it. */
function statusIn(text: string): number {
  const [, stated] = /(?:^|status code |HTTP )([45]\d\d)\b/i.exec(text) ?? [];
  if (stated !== undefined) return Number(stated);
  if (/too many requests/i.test(text)) return 429;
  return /^forbidden\b/i.test(text) ? 403 : Number.NaN;
}

/** The JSON that a text is, or that stands behind `429 - `, once more as a text or not; of lines of JSON the list. */
function jsonIn(text: string): unknown {
  const [, start] = /^\s*(?:\d{3} - )?(["[{][^]*)$/.exec(text) ?? [];
  if (start === undefined) return undefined;
  const value = parseJson(start);
  if (value !== undefined) return typeof value === 'string' ? jsonIn(value) : value;
  const lines = start.trim().split('\n').map(parseJson);
  return lines.every(isRecord) ? lines : undefined;
}

/** The HTML page in a text. */
const pageIn = (text: string): string | undefined => /<(?:!doctype html|html)\b[^]*/i.exec(text)?.[0];

/** Whether it holds anything, at whatever depth. */
function isFilled(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(isFilled);
  return ![undefined, null, '', false, 0].includes(value as undefined);
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

const refused = (refusal: CrmRefusal): CrmAnswer => ({ accepted: 0, refused: [refusal] });
