/** `newsletter watch`: looks at the list again and again, and reports what changed. */
import {
  AbortedError,
  NetworkError,
  RateLimitError,
  ServerError,
  TimeoutError,
  TransportError,
  type Subscription,
} from '@newsletter-kit/core';
import { schemas } from '@newsletter-kit/core/schema';
import {
  subscriptionEventTypes,
  watchSubscriptions,
  type ScanProgress,
  type SubscriptionEvent,
  type SubscriptionEventType,
  type WatchResult,
} from '@newsletter-kit/core/watch';
import type { Call } from '../command/definition.ts';
import { exitCodes, type ExitCode } from '../command/exit-codes.ts';
import { commaSeparated, quote, wholeNumber } from '../command/parse.ts';
import { count, duration } from '../output/numbers.ts';
import type { Happening } from '../output/reporter.ts';
import { connect } from '../settings/connection.ts';
import type { watchOptions } from './command.ts';
import { keepState, readState } from './state-file.ts';

export async function run(call: Call<typeof watchOptions>): Promise<ExitCode> {
  const { options, report, interrupted } = call;
  const problems: string[] = [];
  const events = readEvents(options.events, problems);
  const seconds = wholeNumber('--every', options.every, { fallback: 60, least: 1, most: 86_400 }, problems);
  const pages = wholeNumber('--pages', options.pages, { fallback: 10, least: 1, most: 10_000 }, problems);
  const since = readTime(options.since, problems);
  const expand = schemas['subscriptions.list'].query.shape.expand.safeParse(commaSeparated(options.expand));
  if (!expand.success) problems.push(`--expand: ${expand.error.issues[0]?.message ?? 'not understood'}.`);
  const fields = commaSeparated(options['custom-fields']);
  const { client, settings } = await connect(call, ['publicationId'], problems);

  const { host } = client.engine;
  const watch = watchSubscriptions({
    engine: client.engine,
    events,
    customFields: fields.includes('all') ? 'all' : fields.length > 0 ? fields : 'none',
    ...(expand.data && expand.data.length > 0 && { expand: expand.data }),
    state: await readState(options.state, `${settings.apiUrl} ${settings.publicationId}`, since),
    pages,
    call: { signal: interrupted },
  });
  report.notice({
    type: 'watching',
    text: `Watching ${settings.publicationId} for ${events.join(', ')}${options.once ? '' : `, every ${duration(seconds * 1000)}`}.`,
    data: { events },
  });

  for (;;) {
    const result = await look();
    if (options.once) return result === null ? exitCodes.failed : exitCodes.done;
    if (interrupted.aborted) return exitCodes.done;
    await host.sleep(seconds * 1000, interrupted).catch((error: unknown) => {
      if (!(error instanceof TransportError)) throw error;
    });
    if (interrupted.aborted) return exitCodes.done;
  }

  /** @returns null where it failed in a way that the next look may not */
  async function look(): Promise<WatchResult<Subscription> | null> {
    const before = watch.state;
    try {
      const result = await watch.poll();
      for (const event of result.events) report.result(told(event));
      // Only now: whoever is stopped in between gets the events again.
      if (options.state !== undefined && result.state !== before) await keepState(options.state, result.state);
      if (result.interruption instanceof Error && !interrupted.aborted) report.failure(result.interruption.message);
      if (result.scan) report.progress(progressOf(result.scan));
      return result;
    } catch (error) {
      if (error instanceof AbortedError && interrupted.aborted) return null;
      if (
        !(
          error instanceof NetworkError ||
          error instanceof TimeoutError ||
          error instanceof ServerError ||
          error instanceof RateLimitError
        )
      )
        throw error;
      report.failure(`${error.message}${options.once ? '' : ' The next look tries again.'}`);
      return null;
    }
  }
}

function told(event: SubscriptionEvent<Subscription>): Happening {
  const { type, ...data } = event;
  return { type, text: `${type.padEnd(16)}${about(event)}`, data };
}

function about(event: SubscriptionEvent<Subscription>): string {
  if (event.type === 'removed') return `a subscription created ${new Date(event.created * 1000).toISOString()}`;
  const { email, id, status } = event.subscription;
  const who = `${email} (${id})`;
  if (event.type === 'created') return `${who}, ${status}`;
  return event.type === 'updated'
    ? `${who}: ${event.changed.join(', ')}`
    : `${who}: ${event.from ?? 'new'} → ${event.to}`;
}

function progressOf({ share, passes, stalenessMs, known }: ScanProgress): Happening {
  const age =
    stalenessMs === null
      ? 'the first look at the whole list is under way'
      : `every part was looked at within ${duration(stalenessMs)}`;
  return {
    type: 'scan',
    text: `${count(known, 'subscription')} known, ${Math.round(share * 100)} % of this round; ${age}`,
    share,
    data: { share, passes, staleness_ms: stalenessMs, known },
  };
}

function readEvents(given: readonly string[] | undefined, problems: string[]): readonly SubscriptionEventType[] {
  const names = commaSeparated(given);
  const known = subscriptionEventTypes.filter((type) => names.includes(type));
  const unknown = names.filter((name) => !subscriptionEventTypes.some((type) => type === name));
  for (const name of unknown)
    problems.push(`--events: there is no event ${quote(name)}. There are ${subscriptionEventTypes.join(', ')}.`);
  return names.length === 0 ? ['created'] : known;
}

function readTime(text: string | undefined, problems: string[]): number | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) problems.push(`--since must be a time such as 2026-01-31T12:00:00Z, not ${quote(text)}.`);
  return Math.floor(time / 1000);
}
