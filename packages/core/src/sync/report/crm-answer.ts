/**
 * Reads what a CRM answered to the writing of contacts: how many it took, and what it refused, in its own words. The
 * status decides, and signs of an error in the body; what was really taken shows the next reading. For any CRM. Pure.
 */
import { retryAfterMs } from '../../engine/rate-limit.ts';
import { pageTitle } from '../../facts/api-answer.ts';
import { isRecord } from '../../is-record.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Why a CRM did not take a change, and what to do about it. */
export const refusalRemedies = {
  limit:
    'Nothing has to be done: within two runs the change is planned again. If it happens in every run, write more slowly.',
  day_limit: 'The CRM takes no more calls until its limit is reset. Run the sync less often, or write fewer contacts.',
  busy: 'Nothing has to be done: within two runs the change is planned again.',
  access: 'Check the credential of the CRM’s nodes, and its permission to write these fields.',
  duplicate: 'Another contact has this address, perhaps as a further one. Merge the two in the CRM.',
  gone: 'If the contact was deleted or merged, nothing has to be done. Otherwise let the credential see it.',
  value: 'Correct the value, or the field in the CRM. Until then every run plans the change again.',
  unclear: 'Let the node return the contact with its ID, or an HTTP Request node the full response.',
} as const;

export type RefusalReason = keyof typeof refusalRemedies;

/** A change, or a call with several, that a CRM did not take. */
export interface CrmRefusal {
  readonly reason: RefusalReason;
  /** The words of the CRM. They may hold an address. */
  readonly message: string;
  readonly remedy: string;
  /** The HTTP status, where it is known. */
  readonly status?: number;
  /** The codes of the CRM. */
  readonly codes: readonly string[];
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

/** An answer with what is known of its transport. */
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
  return (
    (isRecord(error) ? readError(error, answer, received) : undefined) ??
    (typeof error === 'string' ? readText(error, answer, received) : readBody(answer, received))
  );
}

/** An error of an n8n node; undefined for an error in the body of a CRM. */
function readError(error: Fields, answer: Fields, received: Received): CrmAnswer | undefined {
  const isThrown = ['stack', 'httpCode', 'messages', 'context'].some((name) => name in error);
  if (!isThrown && !textOf(error['name'])?.endsWith('Error')) return undefined;
  const cause = isRecord(error['cause']) ? error['cause'] : {};
  const response = [error['response'], cause['response']].find(isRecord) ?? {};
  const context = isRecord(error['context']) ? error['context'] : {};
  // A copied error has lost its message.
  const own = textOf(error['message']) ?? textOf(answer['message']);
  const isGeneric = own !== undefined && textsOfN8n.some(([pattern]) => pattern.test(own));
  const messages: readonly unknown[] = Array.isArray(error['messages']) ? error['messages'] : [];
  // The words of the CRM come first: n8n replaces them by its own text, and keeps them as the description.
  const words = [isGeneric ? undefined : own, error['description'], ...messages, own].flatMap(
    (text) => textOf(text) ?? [],
  );
  const stated = [error['httpCode'], error['status'], cause['status'], response['status'], response['statusCode']];
  const status = stated.map(Number).find(isErrorStatus) ?? words.map(statusIn).find((found) => found !== undefined);
  const known = { ...received, headers: headersOf(response), ...(status !== undefined && { status }) };
  const body = [
    response['data'],
    response['body'],
    context['data'],
    ...words.map((text) => jsonIn(text) ?? pageIn(text)),
  ].find((each) => (typeof each === 'object' ? each !== null : typeof each === 'string' && pageIn(each) !== undefined));
  const [message = 'The node failed without a message.'] = words;
  return refused(refusalOf(body ?? { message, code: error['code'] }, known));
}

/** An error that a node of n8n returns as a text, or that of a CRM. */
function readText(error: string, answer: Fields, received: Received): CrmAnswer {
  const status = statusIn(error);
  const further = ['message', 'error_info', 'description'].flatMap((name) => textOf(answer[name]) ?? []);
  const message = [...new Set([error, ...further.slice(0, 1)])].join(': ');
  const body = jsonIn(error) ?? { message, code: error };
  return refused(refusalOf(body, status === undefined ? received : { ...received, status }));
}

/** The names under which a body has the results of a batch, or the record. */
const containers = ['results', 'records', 'result', 'data'];

function readBody(given: unknown, received: Received): CrmAnswer {
  const body = typeof given === 'string' ? (jsonIn(given) ?? given) : given;
  const { status } = received;
  if (status !== undefined && status >= 400) return refused(refusalOf(body, received));
  if (Array.isArray(body)) return readList(body, received);
  if (isRecord(body)) {
    if (Array.isArray(body['results']) && (Array.isArray(body['errors']) || 'numErrors' in body))
      return readBatch(body['results'], body['errors'], received);
    if (isRefusal(body)) return refused(refusalOf(body, received));
    const inner = containers.map((name) => body[name]).find((each) => typeof each === 'object' && each !== null);
    if (Array.isArray(inner)) return readList(inner, received);
    if (inner !== undefined && body['success'] !== true) return readBody(inner, received);
  }
  const isPage = typeof body === 'string' && pageIn(body) !== undefined;
  if (status === undefined ? isWritten(body) : !isPage) return { accepted: 1, refused: [] };
  return refused(refusalOf(body, received, 'unclear'));
}

/** The results of a batch, in its order. */
function readList(entries: readonly unknown[], received: Received): CrmAnswer {
  const answers = entries.map((entry) => readBody(entry, received));
  return {
    accepted: answers.reduce((total, { accepted }) => total + accepted, 0),
    refused: answers.flatMap((answer, position) => answer.refused.map((refusal) => ({ ...refusal, position }))),
  };
}

/** A batch with results of some contacts and errors of others. */
function readBatch(results: readonly unknown[], errors: unknown, received: Received): CrmAnswer {
  const refusals = (Array.isArray(errors) ? (errors as unknown[]) : []).flatMap((error) => {
    const contacts = contactsIn(error);
    const refusal = refusalOf(error, received);
    return contacts.length === 0 ? [refusal] : contacts.map((contact) => ({ ...refusal, contact }));
  });
  return { accepted: results.length, refused: refusals };
}

/** The signs of an error in a body: no success, an error or several, or a code with its message. */
function isRefusal({ success, ok, error, errors, status, object, code, errorCode, message }: Fields): boolean {
  const isCode = [code, errorCode].some((each) => isFilled(each) && !/^(?:2\d\d|ok|success)$/i.test(String(each)));
  return (
    [success, ok].includes(false) ||
    [error, errors].some(isFilled) ||
    [status, object].includes('error') ||
    (isCode && isFilled(message) && status !== 'success')
  );
}

/**
 * Whether a body without a status looks like a record that was written: it or a record in it has an id, or the CRM says
 * so. Values and address are not enough: some nodes of n8n pass on what they were given when they fail.
 */
function isWritten(body: unknown, depth = 0): boolean {
  if (!isRecord(body) || depth > 2) return false;
  if (body['success'] === true || body['status'] === 'success') return true;
  return Object.entries(body).some(
    ([name, value]) =>
      (/^(?:_?id|(?:contact|person|record|customer|lead|row|hs_object)_?id)$/i.test(name) && isFilled(value)) ||
      isWritten(value, depth + 1),
  );
}

/** @param known - the reason, where the body does not say it */
function refusalOf(given: unknown, received: Received, known?: RefusalReason): CrmRefusal {
  const body = typeof given === 'string' ? (jsonIn(given) ?? given) : given;
  const { status, headers, nowMs } = received;
  const message = messageOf(body);
  const codes = codesIn(body);
  const [contact] = contactsIn(body);
  // A page instead of data comes from a protection in front of the CRM, which blocks after too many calls.
  const isBlocked = status === 403 && typeof body === 'string' && pageIn(body) !== undefined;
  const reason = known ?? (isBlocked ? 'limit' : reasonOf([...codes, message], status, headers));
  const wait = status === undefined ? undefined : retryAfterMs({ status, headers }, nowMs);
  return {
    reason,
    message,
    remedy: refusalRemedies[reason],
    codes,
    ...(status !== undefined && { status }),
    ...(contact !== undefined && { contact }),
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
}

/** The first row whose words the answer has; else the first with its status. A limit counts before a lack of rights. */
const reasons: readonly (readonly [reason: RefusalReason, statuses: readonly number[], words: RegExp])[] = [
  ['day_limit', [], /\bREQUEST_LIMIT_EXCEEDED\b|\bdaily\b|\bper day\b|\bmonthly\b/i],
  ['limit', [429], /rate_?limit|\brate limit|RESOURCE_EXHAUSTED|too many requests|TOO_MANY_REQUESTS/i],
  [
    'busy',
    [408, 423, 425, 477, 500, 502, 503, 504, 521, 523, 524, 529],
    /UNABLE_TO_LOCK_ROW|\bconflict_error\b|concurrent_write|\block(ed)?\b|ECONNRE|ETIMEDOUT|ECONNABORTED/i,
  ],
  ['duplicate', [409], /DUPLICATE|uniqueness|already exists|unique constraint|\bCONFLICT\b|NOT_UNIQUE/i],
  ['gone', [404, 410], /ENTITY_IS_DELETED|NOT_FOUND|\bnot found\b/i],
  ['access', [401, 403, 407], /INVALID_SESSION_ID|INSUFFICIENT_ACCESS|INVALID_PERM|PERMISSION_DENIED|MISSING_SCOPES/i],
];

function reasonOf(texts: readonly string[], status: number | undefined, headers: Received['headers']): RefusalReason {
  const isSpent = Object.entries(headers).some(
    ([name, value]) => /daily/.test(name) && /remaining|left/.test(name) && value.trim() === '0',
  );
  if (isSpent && status === 429) return 'day_limit';
  // "Invalid permissions, or model not found" is about rights, as its status says.
  const isAllowed = status !== 401 && status !== 403;
  const said = reasons.find(
    ([reason, , words]) => (isAllowed || /limit/.test(reason)) && texts.some((text) => words.test(text)),
  );
  const [reason] = said ?? reasons.find(([, statuses]) => statuses.includes(status ?? 0)) ?? [];
  return reason ?? 'value';
}

/** The names under which CRMs put their words, their codes and further errors. */
const wordNames = ['message', 'error_description', 'error', 'error_message', 'error_info'];
const codeNames = [
  'code',
  'errorCode',
  'error_code',
  'statusCode',
  'category',
  'errorType',
  'policyName',
  'type',
  'reason',
  'error',
];
const innerNames = ['error', 'errors', 'details', 'context', 'extensions'];

/** An error and those in it, the outer first. */
function* errorsIn(body: unknown, depth = 0): Generator<Fields, void, undefined> {
  if (depth > 4) return;
  if (Array.isArray(body)) for (const each of body as unknown[]) yield* errorsIn(each, depth + 1);
  if (!isRecord(body)) return;
  yield body;
  for (const name of innerNames) yield* errorsIn(body[name], depth + 1);
}

const textsIn = (body: unknown, names: readonly string[]): readonly string[] =>
  [...errorsIn(body)].flatMap((error) => names.flatMap((name) => textOf(error[name]) ?? []));

function messageOf(body: unknown): string {
  if (typeof body === 'string') {
    if (pageIn(body) === undefined) return body.trim() || 'The CRM gave no reason.';
    const title = pageTitle(body);
    return title ? `The CRM answered with a page: ${title}` : 'The CRM answered with a page instead of data.';
  }
  const words = textsIn(body, wordNames);
  if (words.length > 0) return [...new Set(words)].join(' – ');
  const text = JSON.stringify(body) ?? '';
  return text === '' || text === '{}' ? 'The answer is empty.' : `The answer was not understood: ${text.slice(0, 200)}`;
}

function codesIn(body: unknown): readonly string[] {
  const states = textsIn(body, ['status']).filter((text) => /^[A-Z_]{3,}$/.test(text));
  return [...new Set([...textsIn(body, codeNames).filter((text) => /^[\w.-]+$/.test(text)), ...states])];
}

/** The ids of the contacts that an error names. */
function contactsIn(error: unknown): readonly string[] {
  if (!isRecord(error)) return [];
  const context = [error['context'], error['details']].find(isRecord) ?? {};
  const named = [context['objectWriteTraceId'], context['ids'], context['id'], error['id']].find(isFilled);
  return [named].flat().filter(isFilled).map(String);
}

function headersOf({ headers }: Fields): Readonly<Record<string, string>> {
  const entries = isRecord(headers) ? Object.entries(headers) : [];
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

/** n8n's own texts instead of a status. */
const textsOfN8n: readonly (readonly [text: RegExp, status: number])[] = [
  [/^Your request is invalid|^Bad request - /i, 400],
  [/^Authorization failed/i, 401],
  [/^Forbidden/i, 403],
  [/resource you are requesting could not be found/i, 404],
  [/receiving too many requests from you/i, 429],
  [/service was not able to process your request/i, 500],
  [/^Bad gateway|handling the request but (?:it )?got an invalid response/i, 502],
  [/^Service unavailable|could not process the request\b.*overload/i, 503],
  [/^Gateway timed out/i, 504],
];

/** The HTTP status that an error message states. */
function statusIn(text: string): number | undefined {
  const [, stated] = /(?:^|status code |HTTP )([45]\d\d)\b/i.exec(text) ?? [];
  return stated === undefined ? textsOfN8n.find(([pattern]) => pattern.test(text))?.[1] : Number(stated);
}

/** The JSON object or list that a text is, or that stands behind `429 - `, once more as a JSON text or not. */
function jsonIn(text: string): unknown {
  const [, start] = /^\s*(?:\d{3} - )?(["[{][^]*)$/.exec(text) ?? [];
  if (start === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(start);
    return typeof value === 'string' ? jsonIn(value) : value;
  } catch {
    return undefined; // Not JSON: a text as any other.
  }
}

/** The HTML page in a text. */
const pageIn = (text: string): string | undefined => /<(?:!doctype html|html)\b[^]*/i.exec(text)?.[0];

const isErrorStatus = (status: number): boolean => Number.isInteger(status) && status >= 400 && status < 600;

function isFilled(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return ![undefined, null, '', false, 0].includes(value as undefined);
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

const refused = (refusal: CrmRefusal): CrmAnswer => ({ accepted: 0, refused: [refusal] });
