/**
 * Recordings: the format of a recorded session – the state it began with and every request with its answer, as HAR 1.2
 * – and the recorder. Fields that HAR lacks begin with an underscore, as HAR requires.
 */
import * as z from 'zod';
import { profiles, quotaSchema, type RateLimitState } from '../api/rate-limit.ts';
import { type Fault, faultSchema, ConnectionLost, CutResponse } from '../control/faults.ts';
import { seedNames } from '../world/seeds/standard.ts';
import type { AssumptionState } from '../control/assumptions.ts';
import { STATUS_CODES } from 'node:http';
import { notedText, onHandled } from '../api/read-request.ts';
import { createRedaction } from '../control/redaction.ts';
import { shapesSchema } from '../control/shapes.ts';
import { concealSnapshot } from '../control/snapshots.ts';
import { apiKeys, oauthClients } from '../world/ids.ts';

const header = z.object({ name: z.string(), value: z.string() });

const entry = z.object({
  /** The sandbox's clock when the request did its work. */
  startedDateTime: z.iso.datetime(),
  time: z.number(),
  request: z.object({
    method: z.string(),
    url: z.url(),
    httpVersion: z.string(),
    cookies: z.array(z.never()),
    headers: z.array(header),
    queryString: z.array(header),
    postData: z.object({ mimeType: z.string(), text: z.string() }).optional(),
    headersSize: z.literal(-1),
    bodySize: z.number(),
  }),
  response: z.object({
    /** 0 where the connection was broken before an answer. */
    status: z.int(),
    statusText: z.string(),
    httpVersion: z.string(),
    cookies: z.array(z.never()),
    headers: z.array(header),
    content: z.object({ size: z.number(), mimeType: z.string(), text: z.string().optional() }),
    redirectURL: z.string(),
    headersSize: z.literal(-1),
    bodySize: z.number(),
  }),
  cache: z.object({}),
  timings: z.object({ send: z.number(), wait: z.number(), receive: z.number() }),
});

const settings = z.object({
  assumptions: z.record(z.string(), z.string()),
  profile: z.union([z.enum(profiles), quotaSchema]),
});

const state = z.object({
  /** The seed that a reset goes back to; null for a seed of one's own. */
  seed: z.enum(seedNames).nullable(),
  idSeed: z.int(),
  /** The sandbox's clock at the beginning. */
  time: z.iso.datetime(),
  /** The lines of a snapshot; null where the session began with the seed, just loaded at `time`. */
  snapshot: z.array(z.string()).nullable(),
  ...settings.shape,
  /** What a reset goes back to. */
  initial: settings,
  shapes: shapesSchema.optional(),
  faults: z.array(faultSchema),
});

const recording = z.object({
  log: z.object({
    version: z.literal('1.2'),
    creator: z.object({ name: z.string(), version: z.string() }),
    entries: z.array(entry),
    _sandbox: state,
  }),
});

/** A recorded session, as HAR 1.2. */
export type Recording = z.output<typeof recording>;
export type RecordedEntry = z.output<typeof entry>;
export type RecordedState = z.output<typeof state>;

/** A file that is not a recording, or cannot be written. The message is for the user. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
}

/** Checks what was read from a file. @throws {@link RecordingError} that says where it is not a recording */
export function readRecording(value: unknown): Recording {
  const read = recording.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place = issue?.path.join('.') ?? '';
  throw new RecordingError(
    place.includes('_sandbox')
      ? `The recording lacks the state of the sandbox at its start (${place}). Record it with newsletter-sandbox --record FILE.`
      : `This is not a recording of a session${place && `: "${place}" is not valid`}. Record one with newsletter-sandbox --record FILE.`,
  );
}

/** Address of the sandbox in recordings, whatever its port was. */
export const recordedOrigin = 'http://sandbox.test';

/** The rate limit, and the assumptions that do not have their default. */
export function settingsOf(
  assumptions: readonly AssumptionState[],
  { profile, limit, windowSeconds, headers, retryAfter }: RateLimitState,
): RecordedState['initial'] {
  const changed = assumptions.filter(({ value, default: usual }) => value !== usual);
  return {
    assumptions: Object.fromEntries(changed.map(({ id, value }) => [id, value])),
    profile:
      profile === 'custom' ? { limit: limit ?? 0, windowSeconds: windowSeconds ?? 60, headers, retryAfter } : profile,
  };
}

/** The faults as they were set; how many requests they have met begins anew. */
export function faultsOf(faults: readonly Fault[]): RecordedState['faults'] {
  return faults.map(({ match, effect, nth, probability, seed, times }) => ({
    match,
    effect,
    seed,
    times,
    ...(nth !== null && { nth }),
    ...(probability !== null && { probability }),
  }));
}

export interface Recorder {
  /** Passes a request on and records it with what it is answered. */
  readonly pass: (request: Request, answer: () => Promise<Response>) => Promise<Response>;
  /** What was recorded so far. */
  readonly recording: () => Recording;
}

export interface RecorderOptions {
  readonly state: Omit<RecordedState, 'snapshot'>;
  readonly snapshot: Iterable<string> | null;
  readonly now: () => number;
  /** When the sandbox was loaded last: the time of a reset. */
  readonly seedLoadedAt: () => number;
  readonly version: string;
}

/** Columns of a snapshot that hold keys and tokens. */
const secretColumns = new Set([
  'api_keys.key',
  'oauth_clients.secret',
  'oauth_grants.code',
  'oauth_tokens.access_token',
  'oauth_tokens.refresh_token',
]);
/** Headers of the connection, which another one does not share. */
const connectionHeaders =
  /^(?:host|connection|content-length|transfer-encoding|keep-alive|expect|accept-encoding|sec-.*)$/;
/** One-time values: useless once they were used, and needed to repeat the request. */
const oneTime = new Set(['code_verifier', 'authenticity_token', 'set-cookie']);
/** Cookie of the consent page. */
const consentCookie = /newsletter_sandbox_consent=[^;]*/;

export function createRecorder({ state, snapshot, now, seedLoadedAt, version }: RecorderOptions): Recorder {
  const conceal = createNames();
  const redaction = createRedaction((secret, name) => {
    if (oneTime.has(name)) return secret;
    // A browser sends the cookies of whatever else runs on this machine.
    if (name === 'cookie') return consentCookie.exec(secret)?.[0] ?? '';
    return conceal.name(secret);
  });
  const start: RecordedState = {
    ...state,
    snapshot: snapshot && [...concealSnapshot(snapshot, secretColumns, conceal.name)],
  };
  const entries: { readonly turn: number; readonly entry: RecordedEntry }[] = [];
  let turn = 0;

  const write = (
    request: Request,
    path: string,
    response: Response | null,
    text: string,
    time: number,
  ): RecordedEntry => {
    const oauth = path.startsWith('/oauth/');
    const body = notedText(request) ?? '';
    const type = request.headers.get('content-type');
    const answerType = response?.headers.get('content-type') ?? '';
    if (oauth && response) conceal.keepIssued(response.headers.get('location'), text);
    const sent = redaction.body(body, type, oauth);
    const answered = redaction.body(text, answerType, oauth);
    const url = recordedOrigin + redaction.target(request.url.slice(new URL(request.url).origin.length));
    const list = (headers: Headers) =>
      Object.entries(redaction.headers([...headers].filter(([name]) => !connectionHeaders.test(name))))
        .filter(([, value]) => value !== '')
        .map(([name, value]) => ({ name, value }));
    return {
      startedDateTime: new Date(time).toISOString(),
      time: 0,
      request: {
        method: request.method,
        url,
        httpVersion: 'HTTP/1.1',
        cookies: [],
        headers: list(request.headers),
        queryString: [...new URL(url).searchParams].map(([name, value]) => ({ name, value })),
        ...(sent !== '' && { postData: { mimeType: type ?? '', text: sent } }),
        headersSize: -1,
        bodySize: Buffer.byteLength(sent),
      },
      response: {
        status: response?.status ?? 0,
        statusText: STATUS_CODES[response?.status ?? 0] ?? '',
        httpVersion: 'HTTP/1.1',
        cookies: [],
        headers: response ? list(response.headers) : [],
        content: { size: Buffer.byteLength(answered), mimeType: answerType, text: answered },
        redirectURL: redaction.target(response?.headers.get('location') ?? ''),
        headersSize: -1,
        bodySize: Buffer.byteLength(answered),
      },
      cache: {},
      timings: { send: 0, wait: 0, receive: 0 },
    };
  };

  return {
    async pass(request, answer) {
      const path = new URL(request.url).pathname;
      if (!isRecorded(request.method, path)) return answer();
      let at = { turn: (turn += 1), time: now() };
      onHandled(request, (time) => {
        at = { turn: (turn += 1), time };
      });
      const add = (response: Response | null, text: string): void => {
        const time = path === resetPath ? seedLoadedAt() : at.time;
        entries.push({ turn: at.turn, entry: write(request, path, response, text, time) });
      };
      let response: Response;
      try {
        response = await answer();
      } catch (error) {
        if (error instanceof ConnectionLost) add(null, '');
        throw error;
      }
      add(response, await textOf(response));
      return response;
    },
    recording: () => ({
      log: {
        version: '1.2',
        creator: { name: 'newsletter-sandbox', version },
        _sandbox: start,
        entries: entries.toSorted((a, b) => a.turn - b.turn).map(({ entry }) => entry),
      },
    }),
  };
}

export const resetPath = '/_sandbox/reset';

/** The API, OAuth, and what changes something of the sandbox; not the pages, nor what only reads it. */
const isRecorded = (method: string, path: string): boolean =>
  /^\/(?:v2|oauth)\//.test(path) || (path.startsWith('/_sandbox/') && !['GET', 'HEAD', 'OPTIONS'].includes(method));

async function textOf(response: Response): Promise<string> {
  if (response instanceof CutResponse) return new TextDecoder().decode(response.part);
  return notedText(response) ?? (response.body === null ? '' : response.clone().text());
}

/** Replaces each secret by a stable name. Standard credentials and values issued by the sandbox are kept. */
function createNames() {
  const { uid, secret } = oauthClients.confidential;
  const known = new Set<string>([
    ...Object.values(apiKeys),
    secret,
    Buffer.from(`${uid}:${secret}`).toString('base64'),
  ]);
  const names = new Map<string, string>();
  return {
    name(this: void, value: string): string {
      if (known.has(value)) return value;
      const name = names.get(value) ?? `hidden-${names.size + 1}`;
      names.set(value, name);
      return name;
    },
    /** Codes and tokens of this sandbox come from its seeded generator, like every id. */
    keepIssued(location: string | null, body: string): void {
      const code = location && URL.canParse(location) ? new URL(location).searchParams.get('code') : null;
      if (code) known.add(code);
      for (const [, token = ''] of body.matchAll(/"(?:access|refresh)_token":"([^"]+)"/g)) known.add(token);
    },
  };
}
