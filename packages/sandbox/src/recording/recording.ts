/**
 * The format of a recorded session: the state it began with and every request with its answer, as HAR 1.2. Fields that
 * HAR lacks begin with an underscore, as HAR requires.
 */
import * as z from 'zod';
import { profiles, quotaSchema, type RateLimitState } from '../control/rate-limit.ts';
import { type Fault, faultSchema } from '../control/faults.ts';
import { seedNames } from '../world/seeds/standard.ts';
import type { AssumptionState } from '../control/assumptions.ts';
import { shapesSchema } from '../control/shapes.ts';

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

export const resetPath = '/_sandbox/reset';
