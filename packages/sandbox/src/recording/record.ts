/** Records requests with their answers, and control calls. */
import { STATUS_CODES } from 'node:http';
import { notedText, onHandled } from '../api/request-notes.ts';
import { ConnectionLost, CutResponse } from '../control/fault-effects.ts';
import { createRedaction } from '../control/redaction.ts';
import { concealSnapshot } from '../control/snapshot-file.ts';
import { apiKeys, oauthClients } from '../world/standard-values.ts';
import { type RecordedEntry, recordedOrigin, type RecordedState, type Recording } from './recording.ts';

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
  /** When the sandbox was planted last: a reset has that time, not the one before it. */
  readonly plantedAt: () => number;
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
/** One-time values that keep nothing secret once they were used, and without which the request is another one. */
const oneTime = new Set(['code_verifier', 'authenticity_token', 'set-cookie']);
/** Cookie of the consent page. */
const consentCookie = /newsletter_sandbox_consent=[^;]*/;

export function createRecorder({ state, snapshot, now, plantedAt, version }: RecorderOptions): Recorder {
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
        const time = path === resetPath ? plantedAt() : at.time;
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
