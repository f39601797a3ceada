/** Polls until it is interrupted: reports events, appends to the history, and stores the state behind them. */
import { AbortedError, type Client } from '@newsletter-kit/core';
import { historyEvents } from '@newsletter-kit/core/report';
import {
  watchSubscriptions,
  type ScanProgress,
  type SubscriptionEvent,
  type SubscriptionEventType,
  type SubscriptionWatch,
  type SubscriptionWatchOptions,
  type WatchedSubscription,
} from '@newsletter-kit/core/watch';
import { connectToPublication, type ConnectionOptions } from '../../connection.ts';
import { exitCodes, InterruptedError, type ExitCode, type Session } from '../../context.ts';
import { count, duration, type ReportedEvent } from '../../output.ts';
import { failureOf, isTransient } from '../../user-facing-errors.ts';
import { openHistory, type OpenHistory } from '../report/history-file.ts';
import { readState, storeState } from './state.ts';

export interface WatchOptions {
  readonly connection: ConnectionOptions;
  readonly events: readonly SubscriptionEventType[];
  readonly expand: NonNullable<SubscriptionWatchOptions['expand']>;
  readonly customFields: SubscriptionWatchOptions['customFields'];
  /** Unix seconds, for a new state. */
  readonly since: number | undefined;
  readonly files: { readonly state: string | undefined; readonly history: string | undefined };
  readonly polling: { readonly seconds: number; readonly pages: number; readonly once: boolean };
}

/** A watch that runs. */
interface Running {
  readonly client: Client;
  readonly watch: SubscriptionWatch;
  readonly history: OpenHistory | null;
}

export async function watch(options: WatchOptions, session: Session): Promise<ExitCode> {
  const { once, seconds } = options.polling;
  const running = await begin(options, session);
  const { host } = running.client.engine;
  do {
    const isPolled = await poll(running, options, session);
    if (once && session.interrupted.aborted)
      throw new InterruptedError('Interrupted. The same command continues from the stored state.');
    if (once) return isPolled ? exitCodes.done : exitCodes.tryAgain;
  } while (await session.pause(host, seconds * 1000));
  return exitCodes.done;
}

async function begin(options: WatchOptions, session: Session): Promise<Running> {
  const { events, expand, customFields, files, polling } = options;
  const { client, apiUrl, publicationId } = await connectToPublication(options.connection, session);
  const of = `${apiUrl} ${publicationId}`;
  const { state, hasHistory } = await readState(files.state, of, options.since);
  const history =
    files.history === undefined
      ? null
      : await openHistory(files.history, { of, isContinued: hasHistory }, session.report);
  const started = watchSubscriptions({
    engine: client.engine,
    events: history === null ? events : [...events, ...historyEvents],
    customFields,
    ...(expand.length > 0 && { expand }),
    state,
    pages: polling.pages,
    call: { signal: session.interrupted },
  });
  session.report.notice({
    type: 'watching',
    text: `Watching ${publicationId} for ${events.join(', ')}${polling.once ? '' : `, every ${duration(polling.seconds * 1000)}`}.`,
    data: { events },
  });
  return { client, watch: started, history };
}

/** @returns false after a failure that the next poll may not have, and after an interruption */
async function poll(
  { client, watch: polled, history }: Running,
  { events, files, polling }: WatchOptions,
  { report, interrupted }: Session,
): Promise<boolean> {
  const before = polled.state;
  try {
    const result = await polled.poll();
    for (const event of result.events) if (events.includes(event.type)) report.result(reported(event));
    await history?.append(history.history.record(result, client.engine.host.now()));
    // Stored after the report: a process that is killed in between reports the events again.
    if (files.state !== undefined && (result.state !== before || history !== null))
      await storeState(files.state, result.state, history?.history.isBegun ?? false);
    if (result.interruption instanceof Error && !interrupted.aborted)
      report.failure(failureOf(result.interruption, ''));
    if (result.scan) report.progress(progressOf(result.scan));
    return true;
  } catch (error) {
    if (error instanceof AbortedError && interrupted.aborted) return false;
    if (!isTransient(error)) throw error;
    report.failure(failureOf(error, polling.once ? '' : ' The next poll tries again.'));
    return false;
  }
}

function reported(event: SubscriptionEvent<WatchedSubscription>): ReportedEvent {
  const { type, ...data } = event;
  return { type, text: `${type.padEnd(16)}${about(event)}`, data };
}

function about(event: SubscriptionEvent<WatchedSubscription>): string {
  if (event.type === 'removed') return `a subscription created ${new Date(event.created * 1000).toISOString()}`;
  const { email, id, status } = event.subscription;
  const who = `${email} (${id})`;
  if (event.type === 'created') return `${who}, ${status}`;
  return event.type === 'updated'
    ? `${who}: ${event.changed.join(', ')}`
    : `${who}: ${event.from ?? 'new'} → ${event.to}`;
}

function progressOf({ share, passes, stalenessMs, known }: ScanProgress): ReportedEvent {
  const age =
    stalenessMs === null
      ? 'the first scan of the whole list is not complete yet'
      : `every part was read within the last ${duration(stalenessMs)}`;
  return {
    type: 'scan',
    text: `${count(known, 'subscription')} known, ${Math.round(share * 100)} % of this scan; ${age}`,
    share,
    data: { share, passes, staleness_ms: stalenessMs, known },
  };
}
