/** Validates an untrusted request body as a submission: fields, limits and the honeypot. */
import { isRecord } from '../is-record.ts';
import { readAudit } from './audit.ts';
import { isAddress, normalizeAddress } from '../signup/address.ts';
import { applyOverrides, readAttribution } from '../signup/attribution.ts';
import { clickSource } from '../signup/source-tables.ts';
import {
  attributionFields,
  honeypotField,
  type Attribution,
  type Submission,
  type SubmittedField,
  type SubmittedValue,
  cleanText,
  submissionLimit,
  textLimit,
} from '../signup/submission.ts';

/** The stored part of a submission: all but the form token and the proof, which are checked once on arrival. */
export type KeptSubmission = Omit<Submission, 'token' | 'proof'>;

/** One reason why a submission was refused; the shape of the API's own error details. */
export interface RefusalReason {
  readonly message: string;
  readonly code: string;
}

/** Result of {@link readSubmission}. */
export type ReadSubmission =
  | { readonly ok: true; readonly submission: Submission; readonly suspected: boolean }
  | { readonly ok: false; readonly errors: readonly RefusalReason[] };

/** Longest proof, in code points: Turnstile's responses have up to 2048, ALTCHA's solutions about a thousand. */
const proofLimit = 4096;

/** Maximum number of custom fields in a submission, and of values in one list. */
const fieldLimit = 50;

/**
 * Validates an untrusted body. Known fields are cleaned and kept, all others are dropped, so a page can never set a
 * privileged field. `suspected` is true where the honeypot was filled in; such a submission is still valid.
 *
 * @param input - parsed JSON, or the object that `formToObject` makes of a form post
 * @returns the submission, or all errors at once
 */
export function readSubmission(input: unknown): ReadSubmission {
  if (!isRecord(input)) {
    const message = 'The body must be a JSON object with at least "email".';
    return { ok: false, errors: [{ message, code: 'INVALID_BODY' }] };
  }
  const errors: RefusalReason[] = [];
  const text = (name: string, limit?: number, keepsLines = false): string | undefined => {
    const value = input[name];
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value === 'string') return cleanText(value, limit, keepsLines) || undefined;
    errors.push({ message: `"${name}" must be a text.`, code: 'INVALID_FIELD' });
    return undefined;
  };

  const email = typeof input['email'] === 'string' ? normalizeAddress(input['email']) : '';
  if (!email) errors.push({ message: 'Enter an e-mail address.', code: 'EMAIL_REQUIRED' });
  else if (!isAddress(email)) {
    errors.push({ message: 'Enter an e-mail address such as name@example.com.', code: 'EMAIL_INVALID' });
  }

  const sent = Object.fromEntries(attributionFields.map((name) => [name, text(name)] as const));
  const posted = { ref: text('ref'), referrer: text('referrer', 2000), parameters: text('parameters', 2000) };
  const attribution = applyOverrides(readVisit(posted, sent['utm_source']), sent);
  const token = text('token');
  const proof = text('proof', proofLimit);
  // In one line, as a page shows a label that its HTML breaks, and whole: half a sentence is another one.
  const consent =
    typeof input['consent'] === 'boolean'
      ? input['consent']
      : text('consent', submissionLimit, true)?.replace(/\s+/g, ' ');
  const fields = readFields(input['custom_fields'], errors);
  const audit = readAudit(input['audit']);

  if (errors.length > 0) return { ok: false, errors };
  return {
    ok: true,
    suspected: typeof input[honeypotField] === 'string' && input[honeypotField] !== '',
    submission: {
      email,
      ...attribution,
      ...(fields.length > 0 && { custom_fields: fields }),
      ...(consent !== undefined && { consent }),
      ...(audit && { audit }),
      ...(token !== undefined && { token }),
      ...(proof !== undefined && { proof }),
    },
  };
}

/** What a browser's own post has of its visit, and no post of the tag. */
interface PostedVisit {
  /** As the page's address had it. */
  readonly ref: string | undefined;
  readonly referrer: string | undefined;
  /** The names of the address's parameters, where click ids count. */
  readonly parameters: string | undefined;
}

function readVisit({ ref = '', referrer = '', parameters = '' }: PostedVisit, utmSource = ''): Attribution {
  if (!ref && !referrer && !parameters) return {};
  const link = new URLSearchParams({ ref, utm_source: utmSource }).toString();
  const names = parameters.toLowerCase().split(' ');
  return readAttribution(
    { url: `post:?${link}`, referrer },
    { clickSource: () => clickSource((name) => names.includes(name)) },
  );
}

/**
 * Removes the token, the proof, and custom fields that are not allowed. An unknown field is dropped, not refused, so
 * that one field too many on a page does not cost the signup.
 *
 * @param allowedFields - names of the custom fields a page may set; null accepts all
 */
export function keepSubmission(submission: Submission, allowedFields: ReadonlySet<string> | null): KeptSubmission {
  const { token: _token, proof: _proof, custom_fields: sent, ...rest } = submission;
  const fields = sent?.filter(({ name }) => allowedFields === null || allowedFields.has(name));
  return { ...rest, ...(fields && fields.length > 0 && { custom_fields: fields }) };
}

function readFields(input: unknown, errors: RefusalReason[]): SubmittedField[] {
  if (input === undefined || input === null) return [];
  if (!Array.isArray(input) || input.length > fieldLimit) {
    errors.push({
      message: `"custom_fields" must be a list of at most ${fieldLimit} {name, value}.`,
      code: 'INVALID_FIELD',
    });
    return [];
  }
  const fields: SubmittedField[] = [];
  for (const entry of input as unknown[]) {
    const name = isRecord(entry) && typeof entry['name'] === 'string' ? cleanText(entry['name']) : '';
    const value = isRecord(entry) ? readValue(entry['value']) : undefined;
    if (!name || value === undefined) {
      errors.push({
        message: 'Each custom field needs a name and a value: text, number, yes/no or list of texts.',
        code: 'INVALID_FIELD',
      });
    } else if (value !== null) fields.push({ name, value });
  }
  return fields;
}

/** The cleaned value; null where it is empty, undefined where its type is not supported. */
function readValue(value: unknown): SubmittedValue | null | undefined {
  if (value === null || value === '') return null;
  if (typeof value === 'string') return cleanText(value, textLimit * 4, true) || null;
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
  if (!Array.isArray(value) || value.length > fieldLimit || !value.every((item) => typeof item === 'string'))
    return undefined;
  const items = value.map((item) => cleanText(item)).filter(Boolean);
  return items.length > 0 ? items : null;
}
