/** The recorder: passes requests on, and while a recording runs, writes them down with their answers. */
import { STATUS_CODES } from 'node:http';
import { createRequire } from 'node:module';
import { notedText, onHandled, responseText } from '../http/read-request.ts';
import { ConnectionLost, CutResponse } from '../control/faults.ts';
import type { Features } from '../control/features.ts';
import { createRedaction } from '../control/redaction.ts';
import type { AnswerShapes } from '../control/shapes.ts';
import { concealSnapshot, type Snapshots } from '../control/snapshots.ts';
import type { Clock } from '../world/clock.ts';
import { apiKeys, oauthClients } from '../world/ids.ts';
import { faultsOf, recordedOrigin, resetPath, settingsOf } from './recording.ts';
import type { RecordedEntry, RecordedState, Recording } from './recording.ts';

export interface Recorder {
  /** Passes a request on, and records it with its answer where a recording runs. */
  readonly pass: (request: Request, answer: () => Promise<Response>) => Promise<Response>;
  /** Begins a recording; the returned function gives what was recorded so far. */
  readonly start: () => () => Recording;
}

/** What a recording has to say about how the sandbox was started. */
export interface RecorderOptions {
  readonly idSeed: number;
  readonly shapes: AnswerShapes | undefined;
}

export function createRecorder(clock: Clock, features: Features, { idSeed, shapes }: RecorderOptions): Recorder {
  const { seeds, assumptions, rateLimit, faults, snapshots } = features;
  const settings = (): RecordedState['initial'] => settingsOf(assumptions.list(), rateLimit.state);
  const initial = settings();
  let session: Session | undefined;

  return {
    start() {
      const isFresh = session === undefined && seeds.isUnchanged;
      session = createSession(clock, features, {
        seed: seeds.initial,
        idSeed,
        time: new Date(isFresh ? seeds.loadedAt : clock.now()).toISOString(),
        ...settings(),
        initial,
        ...(shapes && { shapes }),
        faults: faultsOf(faults.list()),
        snapshot: isFresh ? null : exportNow(snapshots),
      });
      return session.recording;
    },
    async pass(request, answer) {
      if (!['GET', 'HEAD'].includes(request.method)) seeds.noteChange();
      return session ? session.pass(request, answer) : answer();
    },
  };
}

function exportNow(snapshots: Snapshots): string[] {
  const { id } = snapshots.take();
  const lines = [...snapshots.export(id)];
  snapshots.remove(id);
  return lines;
}

interface Session {
  readonly pass: Recorder['pass'];
  readonly recording: () => Recording;
}

const { version } = createRequire(import.meta.url)('../../package.json') as { readonly version: string };

function createSession(clock: Clock, { seeds }: Pick<Features, 'seeds'>, state: RecordedState): Session {
  const writer = createWriter();
  const start = writer.state(state);
  const entries: { readonly turn: number; readonly entry: RecordedEntry }[] = [];
  let turn = 0;

  return {
    async pass(request, answer) {
      const path = new URL(request.url).pathname;
      if (!isRecorded(request.method, path)) return answer();
      let at = { turn: (turn += 1), time: clock.now() };
      onHandled(request, (time) => {
        at = { turn: (turn += 1), time };
      });
      const add = (response: Response | null, text: string): void => {
        const time = path === resetPath ? seeds.loadedAt : at.time;
        entries.push({ turn: at.turn, entry: writer.entry({ request, path, response, text, time }) });
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

/** The API, OAuth, and what changes something of the sandbox; not the pages, nor what only reads it. */
const isRecorded = (method: string, path: string): boolean =>
  /^\/(?:v2|oauth)\//.test(path) || (path.startsWith('/_sandbox/') && !['GET', 'HEAD', 'OPTIONS'].includes(method));

async function textOf(response: Response): Promise<string> {
  return response instanceof CutResponse ? new TextDecoder().decode(response.part) : responseText(response);
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

/** A request and its answer. */
interface RecordedExchange {
  readonly request: Request;
  readonly path: string;
  /** Null where the connection was broken. */
  readonly response: Response | null;
  /** The body of the answer. */
  readonly text: string;
  readonly time: number;
}

/** Writes the parts of a recording, each secret under a stable name. */
function createWriter() {
  const conceal = createNames();
  const redaction = createRedaction((secret, name) => {
    if (oneTime.has(name)) return secret;
    // A browser sends the cookies of whatever else runs on this machine.
    if (name === 'cookie') return consentCookie.exec(secret)?.[0] ?? '';
    return conceal.name(secret);
  });
  return {
    state: (state: RecordedState): RecordedState => ({
      ...state,
      snapshot: state.snapshot && [...concealSnapshot(state.snapshot, secretColumns, conceal.name)],
    }),
    entry({ request, path, response, text, time }: RecordedExchange): RecordedEntry {
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
    },
  };
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
