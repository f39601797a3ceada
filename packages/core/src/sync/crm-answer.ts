/**
 * Reads what a CRM answered to the writing of contacts: how many it took, and what it refused, in its own words. By the
 * shape of the answer, for any CRM. Pure.
 */
import { retryAfterMs } from '../engine/rate-limit.ts';
import { isRecord } from '../is-record.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Why a CRM did not take a change, and what to do about it. */
export const refusalRemedies = {
  limit: 'Nothing has to be done: the next run plans the change again. If it happens in every run, write more slowly.',
  day_limit: 'The CRM takes no more calls until its limit is reset. Run the sync less often, or write fewer contacts.',
  busy: 'Nothing has to be done: the next run plans the change again.',
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
  if (typeof answer['statusCode'] === 'number' && ('body' in answer || 'headers' in answer))
    // n8n puts a text under data.
    return readBody(answer['body'] ?? answer['data'], {
      ...received,
      status: answer['statusCode'],
      headers: headersOf(answer),
    });
  if (isRecord(answer['error'])) return readError(answer['error'], answer, received) ?? readBody(answer, received);
  if (typeof answer['error'] === 'string') return readText(answer['error'], answer, received);
  return readBody(answer, received);
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
  // The words of the CRM come first: n8n replaces them by its own text, and keeps them as the description.
  const words = [
    isGeneric ? undefined : own,
    textOf(error['description']),
    ...(Array.isArray(error['messages']) ? (error['messages'] as unknown[]).map(textOf) : []),
    own,
  ].filter((text) => text !== undefined);
  const stated = [error['httpCode'], error['status'], cause['status'], response['status'], response['statusCode']];
  const status = stated.map(Number).find(isHttpStatus) ?? words.map(statusIn).find((found) => found !== undefined);
  const known = { ...received, headers: headersOf(response), ...(status !== undefined && { status }) };
  const body = [
    response['data'],
    response['body'],
    context['data'],
    ...words.map((text) => jsonIn(text) ?? pageIn(text)),
  ].find((each) => isRecord(each) || Array.isArray(each) || (typeof each === 'string' && pageIn(each) !== undefined));
  const refusal = body === undefined ? undefined : refusalOf(body, known);
  const [message = 'The node failed without a message.'] = words;
  const code = textOf(error['code']);
  return refused(refusal?.message ? refusal : refuse({ message, codes: code === undefined ? [] : [code] }, known));
}

/** An error that a node of n8n returns as a text, or that of a CRM. */
function readText(error: string, answer: Fields, received: Received): CrmAnswer {
  const body = jsonIn(error);
  const status = statusIn(error);
  const known = status === undefined ? received : { ...received, status };
  if (body !== undefined) return refused(refusalOf(body, known));
  const further = [answer['message'], answer['error_info'], answer['description']]
    .map(textOf)
    .find((text) => text !== undefined && text !== error);
  return refused(refuse({ message: further === undefined ? error : `${error}: ${further}`, codes: [error] }, known));
}

function readBody(body: unknown, received: Received): CrmAnswer {
  if (received.status !== undefined && received.status >= 400) return refused(refusalOf(body, received));
  if (typeof body === 'string') {
    const value = jsonIn(body);
    if (value !== undefined) return readBody(value, received);
  }
  const isEmpty = body === undefined || body === null || body === '' || received.status === 204;
  if (isEmpty && received.status !== undefined) return { accepted: 1, refused: [] };
  if (Array.isArray(body)) return readList(body, received);
  if (!isRecord(body)) return refused(refuse({ message: messageOf(body), codes: [], reason: 'unclear' }, received));

  const { results, errors } = body;
  if (Array.isArray(results) && (Array.isArray(errors) || 'numErrors' in body)) return readBatch(body, received);
  if (isRefusal(body)) return refused(refusalOf(body, received));
  for (const name of ['results', 'records', 'data'])
    if (Array.isArray(body[name])) return readList(body[name], received);
  if (isRecord(body['data']) && body['success'] !== true) return readBody(body['data'], received);
  if (isWritten(body)) return { accepted: 1, refused: [] };
  return refused(refuse({ message: messageOf(body), codes: [], reason: 'unclear' }, received));
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
function readBatch(body: Fields, received: Received): CrmAnswer {
  const { results, errors } = body;
  return {
    accepted: Array.isArray(results) ? results.length : 0,
    refused: (Array.isArray(errors) ? (errors as unknown[]) : []).flatMap((error) => {
      const refusal = refusalOf(error, received);
      const contacts = contactsIn(error);
      return contacts.length === 0 ? [refusal] : contacts.map((contact) => ({ ...refusal, contact }));
    }),
  };
}

function isRefusal(body: Fields): boolean {
  const { success, error, errors, status, object, code, message } = body;
  return (
    success === false ||
    isFilled(error) ||
    (Array.isArray(errors) && errors.length > 0) ||
    status === 'error' ||
    object === 'error' ||
    // A bare error: a code with its message, and no id of a record.
    (isFilled(message) && (isFilled(code) || isFilled(body['errorCode'])) && status !== 'success')
  );
}

/**
 * Whether it looks like a record that was written: it has an id, or the CRM says so. Values and address are not enough:
 * some nodes of n8n pass on what they were given when they fail.
 */
function isWritten(body: Fields): boolean {
  if (body['success'] === true || body['status'] === 'success') return true;
  return Object.entries(body).some(
    ([name, value]) =>
      /^(?:_?id|(?:contact|person|record|customer|lead|row|hs_object)_?id)$/i.test(name) &&
      (typeof value === 'number' || isFilled(value)),
  );
}

/** What one error says. */
interface Said {
  readonly message: string;
  readonly codes: readonly string[];
  readonly contact?: string;
  readonly reason?: RefusalReason;
}

function refusalOf(body: unknown, received: Received): CrmRefusal {
  if (typeof body === 'string') {
    const value = jsonIn(body);
    if (value !== undefined) return refusalOf(value, received);
  }
  const [contact] = contactsIn(body);
  const isPage = typeof body === 'string' && pageIn(body) !== undefined;
  const said: Said = {
    message: messageOf(body),
    codes: codesIn(body),
    ...(contact !== undefined && { contact }),
    // A page instead of data comes from a protection in front of the CRM, which blocks after too many calls.
    ...(isPage && received.status === 403 && { reason: 'limit' as const }),
  };
  return refuse(said, received);
}

function refuse({ message, codes, contact, reason }: Said, { status, headers, nowMs }: Received): CrmRefusal {
  const found = reason ?? reasonOf([...codes, message], status, headers);
  const wait = status === undefined ? undefined : retryAfterMs({ status, headers }, nowMs);
  return {
    reason: found,
    message,
    remedy: refusalRemedies[found],
    codes,
    ...(status !== undefined && { status }),
    ...(contact !== undefined && { contact }),
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
}

interface ReasonRow {
  readonly reason: RefusalReason;
  readonly statuses: readonly number[];
  readonly words: RegExp;
}

/** The first row whose words the answer has; else the first with its status. A limit counts before a lack of rights. */
const reasons: readonly ReasonRow[] = [
  { reason: 'day_limit', statuses: [], words: /\bREQUEST_LIMIT_EXCEEDED\b|\bdaily\b|\bper day\b|\bmonthly\b/i },
  {
    reason: 'limit',
    statuses: [429],
    words: /rate_?limit|\brate limit|RESOURCE_EXHAUSTED|too many requests|TOO_MANY_REQUESTS/i,
  },
  {
    reason: 'busy',
    statuses: [408, 423, 425, 477, 500, 502, 503, 504, 521, 523, 524, 529],
    words: /UNABLE_TO_LOCK_ROW|\bconflict_error\b|concurrent_write|\block(ed)?\b|ECONNRE|ETIMEDOUT|ECONNABORTED/i,
  },
  {
    reason: 'duplicate',
    statuses: [409],
    words: /DUPLICATE|uniqueness|already exists|unique constraint|\bCONFLICT\b/i,
  },
  { reason: 'gone', statuses: [404, 410], words: /ENTITY_IS_DELETED|NOT_FOUND|\bnot found\b/i },
  {
    reason: 'access',
    statuses: [401, 403, 407],
    words: /INVALID_SESSION_ID|INSUFFICIENT_ACCESS|INVALID_PERMISSIONS|PERMISSION_DENIED|MISSING_SCOPES/i,
  },
];

function reasonOf(texts: readonly string[], status: number | undefined, headers: Received['headers']): RefusalReason {
  const isSpent = Object.entries(headers).some(
    ([name, value]) => /daily/.test(name) && /remaining|left/.test(name) && value.trim() === '0',
  );
  if (isSpent && status === 429) return 'day_limit';
  // "Invalid permissions, or model not found" is about rights, as its status says.
  const isAllowed = status !== 401 && status !== 403;
  const row =
    reasons.find(
      ({ reason, words }) => (isAllowed || /limit/.test(reason)) && texts.some((text) => words.test(text)),
    ) ?? reasons.find(({ statuses }) => status !== undefined && statuses.includes(status));
  return row?.reason ?? 'value';
}

/** The names of the fields under which CRMs put their words, their codes and further errors. */
const wordFields = ['message', 'error_description', 'error', 'error_info'];
const codeFields = [
  'code',
  'errorCode',
  'statusCode',
  'category',
  'errorType',
  'policyName',
  'type',
  'reason',
  'error',
];
const innerFields = ['error', 'errors', 'details', 'context'];

function messageOf(body: unknown): string {
  if (typeof body === 'string') {
    if (pageIn(body) === undefined) return body.trim() || 'The CRM gave no reason.';
    const [, title] = /<title>\s*([^<]*?)\s*<\/title>/i.exec(body) ?? [];
    return title ? `The CRM answered with a page: ${title}` : 'The CRM answered with a page instead of data.';
  }
  const words = wordsIn(body);
  if (words.length > 0) return [...new Set(words)].join(' – ');
  const text = JSON.stringify(body) ?? '';
  return text === '' || text === '{}' ? 'The answer is empty.' : `The answer was not understood: ${text.slice(0, 200)}`;
}

function wordsIn(body: unknown): readonly string[] {
  if (Array.isArray(body)) return (body as unknown[]).flatMap(wordsIn);
  if (!isRecord(body)) return typeof body === 'string' && body.trim() !== '' ? [body.trim()] : [];
  const own = wordFields.map((name) => textOf(body[name])).filter((text) => text !== undefined);
  if (own.length > 0) return own;
  return wordsIn(body['error']).concat(wordsIn(body['errors']));
}

function codesIn(body: unknown, depth = 0): readonly string[] {
  if (depth > 3) return [];
  if (Array.isArray(body)) return [...new Set((body as unknown[]).flatMap((entry) => codesIn(entry, depth + 1)))];
  if (!isRecord(body)) return [];
  const own = codeFields
    .map((name) => textOf(body[name]))
    .filter((text) => text !== undefined && /^[\w.-]+$/.test(text));
  if (own.length === 0 && typeof body['status'] === 'string' && /^[A-Z_]{3,}$/.test(body['status']))
    own.push(body['status']);
  const inner = innerFields.flatMap((name) => codesIn(body[name], depth + 1));
  return [...new Set([...own, ...inner].filter((code) => code !== undefined))];
}

/** The ids of the contacts that an error names. */
function contactsIn(error: unknown): readonly string[] {
  if (!isRecord(error)) return [];
  const context = [error['context'], error['details']].find(isRecord) ?? {};
  const named = [context['objectWriteTraceId'], context['ids'], context['id'], error['id']].find(isFilled);
  return (Array.isArray(named) ? (named as unknown[]) : [named]).filter(isFilled).map(String);
}

function headersOf(response: Fields): Readonly<Record<string, string>> {
  const { headers } = response;
  if (!isRecord(headers)) return {};
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
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
  const [start] = /["[{][^]*$/.exec(text) ?? [];
  if (start === undefined || !/^\s*(?:\d{3} - )?["[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(start);
    if (typeof value === 'string') return jsonIn(value);
    return isRecord(value) || Array.isArray(value) ? value : undefined;
  } catch {
    return undefined; // Not JSON: a text as any other.
  }
}

/** The HTML page in a text. */
function pageIn(text: string): string | undefined {
  return /<(?:!doctype html|html)\b[^]*/i.exec(text)?.[0];
}

const isHttpStatus = (status: number): boolean => Number.isInteger(status) && status >= 400 && status < 600;

function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== '' && value !== false;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function refused(refusal: CrmRefusal): CrmAnswer {
  return { accepted: 0, refused: [refusal] };
}
