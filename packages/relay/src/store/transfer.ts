/** Export and import of a store: one JSON object per line. */
import {
  type ConsentRecord,
  type PageRequest,
  type SignupFilter,
  type SignupStore,
  type StoredSignup,
  signupStates,
} from './signup-store.ts';
import { consentKinds } from './records.ts';
import { attributionFields } from '@newsletter-kit/core/signup';
import * as z from 'zod';

/**
 * The lines of an export: signups, newest first, then the consent ledger as `{"consent": …}`, then the hashes of erased
 * people as `{"suppression": "…"}`. With a filter, only the matching signups.
 */
export async function* exportLines(
  store: Pick<SignupStore, 'list' | 'listConsents' | 'suppressions'>,
  filter: SignupFilter = {},
): AsyncGenerator<string, void> {
  for await (const signup of everySignup(store, filter)) yield JSON.stringify(signup);
  if (Object.keys(filter).length > 0) return;
  const consents = everyOf(
    (page) => store.listConsents(page),
    ({ signup }) => signup,
  );
  for await (const consent of consents) yield JSON.stringify({ consent });
  for await (const suppression of everySuppression(store)) yield JSON.stringify({ suppression });
}

const id = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'must be a UUID');
const moment = z.int().min(0);
const text = z.string().nullable();

const attribution = Object.fromEntries(attributionFields.map((name) => [name, z.string().exactOptional()])) as Record<
  (typeof attributionFields)[number],
  z.ZodExactOptional<z.ZodString>
>;

const touch = z.strictObject({ at: z.iso.datetime(), rule: z.string().exactOptional(), ...attribution });

const submission = z.strictObject({
  email: z.string().min(3),
  ...attribution,
  custom_fields: z
    .array(
      z.strictObject({
        name: z.string(),
        value: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
      }),
    )
    .exactOptional(),
  consent: z.union([z.boolean(), z.string()]).exactOptional(),
  audit: z
    .strictObject({
      page: z.string().exactOptional(),
      touch_rule: z.string().exactOptional(),
      touch: z.enum(['first', 'last']).exactOptional(),
      first_touch: touch.exactOptional(),
      last_touch: touch.exactOptional(),
    })
    .exactOptional(),
});

const signupLine = z
  .strictObject({
    id,
    form: z.string().min(1),
    state: z.enum(signupStates),
    submission: submission.nullable(),
    origin: text,
    receivedAt: moment,
    dueAt: moment,
    attempts: moment,
    tried: z.boolean(),
    needsConfirmation: z.boolean(),
    nextAttemptAt: moment.nullable(),
    settledAt: moment.nullable(),
    reason: text,
    status: text,
    intent: text,
  })
  .refine(({ state, submission: sent }) => sent !== null || state === 'delivered', {
    path: ['submission'],
    message: 'is missing: only a delivered signup may be without it',
  }) satisfies z.ZodType<StoredSignup>;

const consentLine = z.strictObject({
  consent: z.strictObject({
    signup: id,
    kind: z.enum(consentKinds),
    at: moment,
    form: z.string().min(1),
    person: z.string().min(1),
    sentence: text,
    version: text,
    page: text,
    visitor: text,
    status: text.exactOptional(),
  }),
}) satisfies z.ZodType<{ readonly consent: ConsentRecord }>;

const suppressionLine = z.strictObject({ suppression: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256') });

/** The content of a line, or what is wrong with it, without repeating its content. */
export type ReadLine =
  | { readonly signup: StoredSignup }
  | { readonly consent: ConsentRecord }
  | { readonly suppression: string }
  | { readonly error: string };

export function readLine(line: string): ReadLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { error: 'is not JSON' };
  }
  const has = (name: string): boolean => typeof value === 'object' && value !== null && name in value;
  const read = (
    has('consent') ? consentLine : has('suppression') ? suppressionLine : signupLine.transform((signup) => ({ signup }))
  ).safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place = issue?.path.join('.') ?? '';
  if (place === '')
    return { error: 'is neither a signup nor an entry of the consent ledger, nor a hash of an erased person' };
  return { error: `${place}: ${issue?.message ?? 'is wrong'}` };
}

/** Number of lines written in one transaction. */
const atOnce = 500;

/** Progress of an import. */
export interface TransferProgress {
  readonly signups: number;
  /** Signups that were not in the store before. */
  readonly added: number;
  readonly consents: number;
}

/** A line of an export that cannot be read. The lines before it may be in the store already. */
export class BadLineError extends Error {
  override readonly name = 'BadLineError';
  readonly line: number;

  constructor(line: number, error: string) {
    super(`Line ${line} ${error}.`);
    this.line = line;
  }
}

/** The first `limit` errors in an export, in the order of its lines. */
export async function errorsIn(lines: AsyncIterable<string>, limit: number): Promise<readonly BadLineError[]> {
  const errors: BadLineError[] = [];
  let number = 0;
  for await (const line of lines) {
    number += 1;
    const read = line.trim() === '' ? null : readLine(line);
    if (read && 'error' in read) errors.push(new BadLineError(number, read.error));
    if (errors.length === limit) break;
  }
  return errors;
}

/**
 * Imports the lines of an export, in transactions of {@link atOnce} lines. Existing records stay unchanged, so that an
 * import can be repeated.
 *
 * @param options - `forms`: imports only records of these forms; `onProgress`: called after each transaction
 * @throws BadLineError at the first line that cannot be read; the transactions before it stay
 */
export async function importLines(
  store: Pick<SignupStore, 'load'>,
  lines: AsyncIterable<string> | Iterable<string>,
  {
    forms,
    onProgress = () => {},
  }: {
    readonly forms?: readonly string[] | undefined;
    readonly onProgress?: ((progress: TransferProgress) => void) | undefined;
  } = {},
): Promise<TransferProgress> {
  let progress: TransferProgress = { signups: 0, added: 0, consents: 0 };
  let signups: StoredSignup[] = [];
  let consents: ConsentRecord[] = [];
  let suppressions: string[] = [];
  const write = async (): Promise<void> => {
    const added = await store.load(signups, consents, suppressions);
    progress = {
      signups: progress.signups + signups.length,
      added: progress.added + added,
      consents: progress.consents + consents.length,
    };
    [signups, consents, suppressions] = [[], [], []];
    onProgress(progress);
  };
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    const read = readLine(line);
    if ('error' in read) throw new BadLineError(number, read.error);
    if ('suppression' in read) suppressions.push(read.suppression);
    else {
      const { form } = 'signup' in read ? read.signup : read.consent;
      if (forms?.includes(form) === false) continue;
      if ('signup' in read) signups.push(read.signup);
      else consents.push(read.consent);
    }
    if (signups.length + consents.length + suppressions.length === atOnce) await write();
  }
  if (signups.length + consents.length + suppressions.length > 0) await write();
  return progress;
}

/** Number of records read at a time. */
const pageSize = 500;

/** Every record of a list, page by page. @param keyOf - what `read` takes for the last one of the page before */
async function* everyOf<Item>(
  read: (page: PageRequest) => Promise<readonly Item[]>,
  keyOf: (last: Item) => string,
): AsyncGenerator<Item, void> {
  let after: string | undefined;
  for (;;) {
    const page = await read({ after, limit: pageSize });
    yield* page;
    const last = page.at(-1);
    // A limit of signups is met by at least as many entries of the consent ledger.
    if (last === undefined || page.length < pageSize) return;
    after = keyOf(last);
  }
}

/** Every signup that matches a filter, newest first, page by page; without those received in the meantime. */
export const everySignup = (
  store: Pick<SignupStore, 'list'>,
  filter: SignupFilter = {},
): AsyncGenerator<StoredSignup, void> =>
  everyOf(
    (page) => store.list(filter, page),
    ({ id }) => id,
  );

/** Every hash in the list of erased people, sorted, page by page. */
export const everySuppression = (store: Pick<SignupStore, 'suppressions'>): AsyncGenerator<string, void> =>
  everyOf(
    (page) => store.suppressions(page),
    (hash) => hash,
  );
