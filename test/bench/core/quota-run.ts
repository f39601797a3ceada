/**
 * Simulates one hour of calls against a quota on a virtual clock: the share of the quota that is used, and the share
 * of calls that is refused.
 */
import {
  createEngine,
  retryAfterMs,
  type CallOptions,
  type Engine,
  type Host,
  type Pacer,
} from '@newsletter-kit/core/engine';
import { apiKeys, createSandbox, publicationId, type QuotaRequest } from '@newsletter-kit/sandbox';
import { createVirtualClock, virtualHost, type Answering, type VirtualClock } from '../../clock/virtual.ts';
import { seeded } from '../../support/seeded.ts';

export const baseUrl = 'http://sandbox.test/v2';

/** A quota as the service enforces it. */
export interface Enforced {
  readonly kind: 'window' | 'bucket';
  /** Requests a minute; a bucket also holds as many. */
  readonly limit: number;
  readonly headers: boolean;
  readonly retryAfter?: boolean;
}

export interface Outcome {
  readonly calls: number;
  readonly refused: number;
  /** Requests the quota had room for in that time. */
  readonly allowed: number;
  /** Share of `allowed` that was used. */
  readonly used: number;
  /** Share of answers that were 429. */
  readonly refusedShare: number;
  /** Refused and passed, minute by minute. */
  readonly minutes: readonly { passed: number; refused: number }[];
}

/** What calls as much as it can, until time is up. */
export type Caller = (service: {
  readonly clock: VirtualClock;
  readonly answering: Answering;
  readonly host: Host;
}) => Promise<void> | void;

/** @param cut - another quota from that minute on */
export async function runAgainst(
  quota: Enforced,
  call: Caller,
  {
    minutes = 60,
    cut,
    seed = 1,
  }: {
    readonly minutes?: number;
    readonly cut?: { readonly minute: number; readonly limit: number };
    readonly seed?: number;
  } = {},
): Promise<Outcome> {
  const clock = createVirtualClock();
  const start = clock.now();
  const sandbox = createSandbox({ now: clock.now, profile: 'unlimited' });
  let limit = quota.limit;
  const enforce = (): void => {
    if (quota.kind === 'window') sandbox.rateLimit.use(asProfile(quota, limit));
  };
  enforce();
  const bucket = refilling(() => limit, start);
  const record = Array.from({ length: minutes + 1 }, () => ({ passed: 0, refused: 0 }));
  const answering: Answering = async (request) => {
    const response =
      quota.kind === 'bucket' && !bucket.take(clock.now())
        ? tooMany(quota, bucket, clock.now())
        : await sandbox.fetch(request);
    const minute = record[Math.floor((clock.now() - start) / 60_000)];
    if (minute && response.status === 429) minute.refused += 1;
    else if (minute) minute.passed += 1;
    if (quota.kind === 'bucket' && quota.headers && response.status !== 429)
      return withQuotaHeaders(response, bucket, limit, clock.now());
    return response;
  };
  const random = seeded(seed);
  const latencyMs = (): number => 80 + random() * 120;
  if (cut) {
    clock.after(cut.minute * 60_000, () => {
      limit = cut.limit;
      enforce();
    });
  }
  void call({ clock, answering, host: virtualHost(clock, answering, { latencyMs, random }) });
  await clock.runUntil(start + minutes * 60_000);
  sandbox.close();

  const counted = record.slice(0, minutes);
  const sum = (name: 'passed' | 'refused'): number => counted.reduce((total, minute) => total + minute[name], 0);
  const before = cut ? cut.minute : minutes;
  // A bucket begins full.
  const allowed =
    quota.limit * before + (cut ? cut.limit * (minutes - before) : 0) + (quota.kind === 'bucket' ? quota.limit : 0);
  const calls = sum('passed') + sum('refused');
  return {
    calls,
    refused: sum('refused'),
    allowed,
    used: sum('passed') / allowed,
    refusedShare: sum('refused') / calls,
    minutes: counted,
  };
}

function asProfile({ headers, retryAfter = false }: Enforced, limit: number): QuotaRequest {
  return { limit, windowSeconds: 60, headers, retryAfter };
}

/** A bucket that refills all the time. */
function refilling(limit: () => number, start: number) {
  let tokens = limit();
  let at = start;
  const refill = (now: number): void => {
    tokens = Math.min(limit(), tokens + ((now - at) * limit()) / 60_000);
    at = now;
  };
  return {
    take(now: number): boolean {
      refill(now);
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
    left: () => Math.floor(tokens),
    /** Seconds until so many requests may pass. */
    secondsUntil: (count: number) => Math.max(0, Math.ceil(((count - tokens) * 60) / limit())),
  };
}

type Bucket = ReturnType<typeof refilling>;

function tooMany(quota: Enforced, bucket: Bucket, now: number): Response {
  const body = {
    status: 429,
    statusText: 'too_many_requests',
    errors: [{ message: 'Too many requests', code: 'RATE_LIMIT_EXCEEDED' }],
  };
  const response = Response.json(body, {
    status: 429,
    headers: quota.retryAfter ? { 'Retry-After': String(bucket.secondsUntil(1)) } : {},
  });
  return quota.headers ? withQuotaHeaders(response, bucket, quota.limit, now) : response;
}

function withQuotaHeaders(response: Response, bucket: Bucket, limit: number, now: number): Response {
  const headers = new Headers(response.headers);
  headers.set('RateLimit-Limit', String(limit));
  headers.set('RateLimit-Remaining', String(bucket.left()));
  headers.set('RateLimit-Reset', String(Math.floor(now / 1000) + bucket.secondsUntil(limit)));
  return new Response(response.body, { status: response.status, headers });
}

/** Reads as a bulk job does: so many calls at a time, again and again. */
export function endlessly(atATime: number, once: () => Promise<unknown>): void {
  for (let worker = 0; worker < atATime; worker += 1) {
    void (async () => {
      for (;;) await once().catch(() => {});
    })();
  }
}

/** The engine of the core. @param pacerOf - another pacer than its own */
export const engineCaller =
  (atATime = 8, pacerOf?: (host: Host) => Pacer, options: CallOptions = {}): Caller =>
  ({ host }) => {
    const pacer = pacerOf?.(host);
    const engine: Engine = createEngine({ host, baseUrl, token: apiKeys.workspace, publicationId, pacer });
    endlessly(atATime, () => engine.call('customFields.list', {}, options));
  };

/**
 * The simplest pacer: a 429 pauses every caller for as long as it asks, else for 1 to 30 s, and one request is sent
 * before the others. It reads no quota and learns none.
 */
export function pausingPacer(host: Host): Pacer {
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let inFlight = 0;
  let refusals = 0;
  let lastRefusal = Number.NEGATIVE_INFINITY;
  const free: (() => void)[] = [];
  const mayGo = (): boolean => inFlight < (refusals > 0 ? 1 : 5);
  return {
    async turn() {
      for (;;) {
        const pause = pausedUntil - host.monotonic();
        if (pause > 0) await host.sleep(pause);
        else if (mayGo()) break;
        else await new Promise<void>((resolve) => free.push(resolve));
      }
      inFlight += 1;
      const sentAt = host.monotonic();
      let ended = false;
      return {
        done(answer) {
          if (ended) return;
          ended = true;
          inFlight -= 1;
          if (answer?.status === 429 && sentAt > lastRefusal) {
            lastRefusal = host.monotonic();
            refusals += 1;
            const asked = retryAfterMs(answer, host.now()) || Math.min(30_000, 1000 * 2 ** (refusals - 1));
            pausedUntil = Math.max(pausedUntil, lastRefusal + asked);
          } else if (answer && answer.status !== 429 && sentAt > lastRefusal) refusals = 0;
          for (const wake of free.splice(0)) wake();
        },
      };
    },
  };
}

/**
 * A loop as it is written by hand: exponential backoff with full jitter after a 429, from one second to half a minute.
 */
export const plainLoop =
  (atATime = 8): Caller =>
  ({ clock, host }) => {
    const request = {
      method: 'GET',
      url: `${baseUrl}/publications/${publicationId}/custom_fields`,
      headers: { authorization: `Bearer ${apiKeys.workspace}` },
      timeoutMs: 30_000,
    };
    endlessly(atATime, async () => {
      for (let attempt = 0; (await host.send(request)).status === 429; attempt += 1) {
        await clock.sleep(host.random() * Math.min(30_000, 1000 * 2 ** attempt));
      }
    });
  };
