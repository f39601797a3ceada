/**
 * Admits a signup post: checks its headers and content type, reads its body up to the limit, and validates the
 * submission in it.
 */
import { submissionLimit, type Submission, formToObject } from '../signup/submission.ts';
import { consentOf, type ReadConsent } from '../facts/consent.ts';
import {
  consentRequired,
  consentUnknown,
  contentRefused,
  fileRefused,
  originRefused,
  tooLarge,
  unreadable,
  type Refused,
} from './refusal.ts';
import { keepSubmission, readSubmission, type KeptSubmission } from './submission.ts';

/** A post whose body is not read yet. */
export interface Post {
  readonly header: ReadHeader;
  /** Reads the body; null where it is longer than `limit` bytes. @throws where the connection breaks */
  body(this: void, limit: number): Promise<Uint8Array | null>;
}

/** A check of a post before its body is read; null lets the post pass. */
export type PostCheck<P extends Post = Post> = (post: P) => Refused | null | Promise<Refused | null>;

/** What a form asks people to agree to. */
export interface ConsentRules {
  /** Sentences of which any means yes, and beside which any other text is refused. Empty: a text means neither. */
  readonly sentences: readonly string[];
  /** Whether a post without a yes is refused. Default: it is not. */
  readonly required?: boolean;
  /** Name of the setting with the sentences, for the refusal's text. */
  readonly setting: string;
}

/** The rules of {@link admitPost}. */
export interface AdmissionRules<P extends Post = Post> {
  /** Refuses posts from other websites; {@link originCheck} makes the usual one. */
  readonly checkOrigin: PostCheck<P>;
  /** Further checks, run in order after those of the encoding and the stated size. */
  readonly checks?: readonly PostCheck<P>[] | undefined;
  /** Names of the custom fields a page may set; null accepts all. */
  readonly allowedFields: ReadonlySet<string> | null;
  /** Default: no consent is required, and no sentence is named. */
  readonly consent?: ConsentRules | undefined;
}

/** A post that passed every check. */
export interface AdmittedPost {
  /** Everything the page sent, with the form token and the proof. */
  readonly submission: Submission;
  /** The part to store or pass on, without token, proof and custom fields that are not allowed. */
  readonly kept: KeptSubmission;
  /** What the consent in it says. */
  readonly consent: ReadConsent;
  /** Whether the honeypot was filled in. */
  readonly suspected: boolean;
}

/** An admitted post, or the first refusal. */
export type Admission = { readonly admitted: AdmittedPost } | { readonly refused: Refused };

/**
 * Runs the checks in this order: origin, encoding, stated size, further checks, actual size, fields, consent. They are
 * those of {@link refuseUnread}, {@link readBody} and {@link admitBody}.
 *
 * @returns the first refusal, or the submission
 */
export async function admitPost<P extends Post>(post: P, rules: AdmissionRules<P>): Promise<Admission> {
  const refused = await refuseUnread(post, rules);
  if (refused) return { refused };
  const body = await readBody(post);
  return 'refused' in body ? body : admitBody(post.header, body, rules);
}

/** The first refusal of a post before its body is read: by origin, encoding, stated size, and the further checks. */
export async function refuseUnread<P extends Post>(
  post: P,
  { checkOrigin, checks = [] }: Pick<AdmissionRules<P>, 'checkOrigin' | 'checks'>,
): Promise<Refused | null> {
  for (const check of [checkOrigin, checkContent, ...checks]) {
    const result = check(post);
    const refused = result instanceof Promise ? await result : result;
    if (refused) return refused;
  }
  return null;
}

/** The bytes of a body, or the refusal of one that is too long or breaks off. */
export async function readBody({ body }: Post): Promise<Uint8Array | { readonly refused: Refused }> {
  try {
    return (await body(submissionLimit)) ?? { refused: tooLarge };
  } catch {
    return { refused: unreadable };
  }
}

/** Reads the submission in a body, and the consent in it. */
export async function admitBody(
  header: ReadHeader,
  body: Uint8Array,
  { allowedFields, consent: asked }: Pick<AdmissionRules, 'allowedFields' | 'consent'>,
): Promise<Admission> {
  const content = await readContent(header, body);
  if ('refused' in content) return content;
  const read = readSubmission(content.value);
  if (!read.ok) return { refused: { status: 400, errors: read.errors } };
  const { submission, suspected } = read;
  const consent = consentOf(submission.consent, asked?.sentences ?? []);
  if (consent.given === null && asked && asked.sentences.length > 0)
    return { refused: consentUnknown(consent.sentence, asked.setting) };
  if (!consent.given && asked?.required) return { refused: consentRequired };
  return { admitted: { submission, kept: keepSubmission(submission, allowedFields), consent, suspected } };
}

/**
 * Makes a check that refuses posts without an allowed origin. Browsers send `Origin` with every POST, form posts
 * included; no other header identifies the website.
 *
 * @param origins - allowed origins, in the spelling of browsers
 * @param setting - name of the setting with the origins, for the refusal's text
 */
export function originCheck(origins: ReadonlySet<string>, setting: string): (post: Post) => Refused | null {
  return ({ header }) => (allowedOrigin(header, origins) === null ? originRefused(header('origin'), setting) : null);
}

/** The origin of the post where it is allowed; null where it is missing or not allowed. */
export function allowedOrigin(header: ReadHeader, origins: ReadonlySet<string> | null): string | null {
  const origin = header('origin');
  return origin !== null && origins?.has(origin) ? origin : null;
}

/**
 * Collects the chunks of a body; null as soon as they pass `limit` bytes.
 *
 * @throws where the chunks throw
 */
export async function collectBody(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limit: number,
): Promise<Uint8Array | null> {
  const collected: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early cancels the stream.
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > limit) return null;
    collected.push(chunk);
  }
  const body = new Uint8Array(size);
  let at = 0;
  for (const chunk of collected) {
    body.set(chunk, at);
    at += chunk.byteLength;
  }
  return body;
}

/**
 * Refuses every encoding but JSON and form-urlencoded in UTF-8, uncompressed, and a body by its stated size. One of
 * unstated size is counted while it is read.
 */
function checkContent({ header }: Post): Refused | null {
  if (contentKind(header) === null) return contentRefused;
  return Number(header('content-length') ?? 0) > submissionLimit ? tooLarge : null;
}

async function readContent(
  header: ReadHeader,
  body: Uint8Array,
): Promise<{ readonly value: unknown } | { readonly refused: Refused }> {
  try {
    if (contentKind(header) === 'json') return { value: JSON.parse(textOf(body)) as unknown };
    const entered = await enteredIn(header, body);
    return entered === null ? { refused: fileRefused } : { value: formToObject(entered) };
  } catch {
    return { refused: unreadable };
  }
}

/** Reads a request header by its lower-case name; null where it was not sent. */
export type ReadHeader = (this: void, name: string) => string | null;

/** The encoding of a body. */
type ContentKind = 'json' | 'form' | 'multipart';

const kinds: ReadonlyMap<string, ContentKind> = new Map([
  ['application/json', 'json'],
  ['application/x-www-form-urlencoded', 'form'],
  ['multipart/form-data', 'multipart'],
]);

/** The encoding by the headers; null for any other type, a charset other than UTF-8, or a compressed body. */
function contentKind(header: ReadHeader): ContentKind | null {
  if ((header('content-encoding') ?? 'identity') !== 'identity') return null;
  const contentType = header('content-type') ?? '';
  const plain = kinds.get(contentType);
  if (plain) return plain;
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) return null;
  return kinds.get(type.trim()) ?? null;
}

/** The fields of a form post, in their order. */
export type Entered = Iterable<readonly [name: string, value: string]>;

/** Created with the first body, so that loading the module runs no code of the host. */
let utf8: InstanceType<typeof TextDecoder> | undefined;

function textOf(body: Uint8Array): string {
  utf8 ??= new TextDecoder('utf-8', { fatal: true });
  return utf8.decode(body);
}

/**
 * The fields of a form post.
 *
 * @returns null where one of them is a file; none for another encoding
 * @throws where the body is not UTF-8 or not in its encoding
 */
export async function enteredIn(header: ReadHeader, body: Uint8Array): Promise<Entered | null> {
  const kind = contentKind(header);
  if (kind !== 'multipart') return kind === 'form' ? new URLSearchParams(textOf(body)) : [];
  const form = await new Response(new Uint8Array(body), {
    headers: { 'content-type': header('content-type') ?? '' },
  }).formData();
  const entered: [string, string][] = [];
  for (const [name, value] of form) {
    if (typeof value === 'string') entered.push([name, value]);
    // A field for a file that was left empty.
    else if (value.size > 0) return null;
  }
  return entered;
}

/**
 * Whether the sender expects a page: a browser that navigates accepts HTML, a script that posts a form accepts JSON.
 */
export function wantsPage(header: ReadHeader): boolean {
  const accept = header('accept') ?? '';
  return accept.includes('text/html') || (contentKind(header) === 'form' && !accept.includes('application/json'));
}
