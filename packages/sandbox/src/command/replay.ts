/** Sends a recorded session to a fresh sandbox in the recorded state, and compares the answers. */
import { createSandbox, type Sandbox } from '../sandbox.ts';
import { ConnectionLost } from '../control/faults.ts';
import type { AssumptionChoice } from '../gaps.ts';
import {
  readRecording,
  recordedOrigin,
  type RecordedEntry,
  type RecordedState,
  resetPath,
} from '../recording/recording.ts';

/** Where an answer is not the recorded one. */
export interface Difference {
  /** Number of the request in the recording, from 1 on. */
  readonly n: number;
  /** Method and path with query. */
  readonly request: string;
  /** `status`, `headers.<name>`, or a place in the body such as `body.data.0.status`. */
  readonly at: string;
  /** Undefined where there was nothing at that place. */
  readonly recorded: unknown;
  readonly answered: unknown;
}

export interface ReplayReport {
  readonly requests: number;
  readonly differences: readonly Difference[];
}

export interface ReplayOptions {
  /** Answers under these assumptions instead of the recorded ones, to see what they change. */
  readonly assumptions?: AssumptionChoice;
}

/**
 * Replays a recording. Time, ids and tokens are those of the recording, so that equal sandboxes give equal answers.
 *
 * @param recording - the parsed JSON of a file that `newsletter-sandbox --record` or `sandbox.record()` made
 * @throws RecordingError where it is none, SnapshotError where its snapshot is of another version of the sandbox
 * @example
 * ```ts
 * const recording = JSON.parse(await readFile('signup.har', 'utf8'));
 * expect((await replay(recording)).differences).toEqual([]);
 * ```
 */
export async function replay(recording: unknown, options: ReplayOptions = {}): Promise<ReplayReport> {
  const { entries, _sandbox: state } = readRecording(recording).log;
  let wall = state.snapshot === null ? Date.parse(state.time) : 0;
  const sandbox = open(state, options, () => wall);
  const moveTo = (time: number): void => {
    if (time > sandbox.clock.now()) sandbox.clock.set(time);
  };
  try {
    const differences: Difference[] = [];
    for (const [index, entry] of entries.entries()) {
      const time = Date.parse(entry.startedDateTime);
      // A reset takes the clock back to where real time was.
      if (new URL(entry.request.url).pathname === resetPath) wall = time;
      else moveTo(time);
      const request = `${entry.request.method} ${entry.request.url.slice(recordedOrigin.length)}`;
      for (const difference of compare(entry, await send(sandbox, entry)))
        differences.push({ n: index + 1, request, ...difference });
    }
    return { requests: entries.length, differences };
  } finally {
    sandbox.close();
  }
}

function open(state: RecordedState, { assumptions }: ReplayOptions, now: () => number): Sandbox {
  const sandbox = createSandbox({
    seed: state.seed ?? 'empty',
    idSeed: state.idSeed,
    assumptions: { ...state.initial.assumptions, ...assumptions },
    profile: state.initial.profile,
    shapes: state.shapes,
    now,
  });
  sandbox.assumptions.set({ ...state.assumptions, ...assumptions });
  sandbox.rateLimit.use(state.profile);
  if (state.snapshot !== null) {
    const { id } = sandbox.snapshots.import(state.snapshot.join(''));
    sandbox.snapshots.restore(id);
    sandbox.clock.set(Date.parse(state.time));
  }
  for (const fault of state.faults) sandbox.faults.add(fault);
  return sandbox;
}

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

async function send(sandbox: Sandbox, { request }: RecordedEntry): Promise<Answered> {
  const { method, url, headers, postData } = request;
  try {
    const response = await sandbox.fetch(url, {
      method,
      headers: headers.map(({ name, value }): [string, string] => [name, value]),
      ...(postData && { body: postData.text }),
    });
    return { status: response.status, headers: Object.fromEntries(response.headers), text: await textOf(response) };
  } catch (error) {
    if (error instanceof ConnectionLost) return { status: 0, headers: {}, text: '' };
    throw error;
  }
}

/** The text of an answer, as far as it goes. */
async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    const body: ReadableStream<Uint8Array> | null = response.body;
    for await (const part of body ?? []) text += decoder.decode(part, { stream: true });
  } catch {
    // A fault cut it.
  }
  return text;
}

type Mismatch = Omit<Difference, 'n' | 'request'>;

function compare({ request, response }: RecordedEntry, { status, headers, text }: Answered): readonly Mismatch[] {
  if (status !== response.status)
    return [
      { at: 'status', recorded: response.status, answered: status },
      ...bodies(response.content.text ?? '', text).slice(0, 3),
    ];
  // What a control answers tells of the sandbox, not of the API.
  if (new URL(request.url).pathname.startsWith('/_sandbox/')) return [];
  const recorded = Object.fromEntries(response.headers.map(({ name, value }) => [name, value]));
  const names = [...new Set([...Object.keys(recorded), ...Object.keys(headers)])].filter(
    (name) => !['date', 'content-length'].includes(name),
  );
  return [
    ...names
      .filter((name) => recorded[name] !== headers[name])
      .map((name) => ({ at: `headers.${name}`, recorded: recorded[name], answered: headers[name] })),
    ...bodies(response.content.text ?? '', text),
  ];
}

function bodies(recorded: string, answered: string): readonly Mismatch[] {
  if (recorded === answered) return [];
  return unequal(parse(recorded), parse(answered), 'body');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function unequal(recorded: unknown, answered: unknown, at: string): Mismatch[] {
  if (Object.is(recorded, answered)) return [];
  if (typeof recorded !== 'object' || typeof answered !== 'object' || recorded === null || answered === null)
    return [{ at, recorded, answered }];
  if (Array.isArray(recorded) !== Array.isArray(answered)) return [{ at, recorded, answered }];
  const keys = [...new Set([...Object.keys(recorded), ...Object.keys(answered)])];
  return keys.flatMap((key) =>
    unequal(Reflect.get(recorded, key) as unknown, Reflect.get(answered, key) as unknown, `${at}.${key}`),
  );
}
