/** `newsletter watch`: polls the list of subscriptions and reports changes. */
import { readFile } from 'node:fs/promises';
import { InvalidArgumentError, Option, type Command } from '@commander-js/extra-typings';
import {
  AbortedError,
  isRecord,
  NetworkError,
  RateLimitError,
  ServerError,
  TimeoutError,
  TransportError,
} from '@newsletter-kit/core';
import { collectList, UsageError, notes, wholeNumber } from '#command-line';
import { operation } from '@newsletter-kit/core/contract';
import { replaceFile } from '@newsletter-kit/core/node';
import { historyEvents } from '@newsletter-kit/core/report';
import { schemas } from '@newsletter-kit/core/schema';
import {
  readWatchState,
  startWatch,
  subscriptionEventTypes,
  watchSubscriptions,
  WatchStateError,
  type ScanProgress,
  type SubscriptionEvent,
  type WatchedSubscription,
  type SubscriptionPoll,
  type WatchState,
} from '@newsletter-kit/core/watch';
import { apiUrlOption, connectToPublication, profileOption, publicationOption } from '../../connection.ts';
import { type Context, exitCodes, InterruptedError } from '../../context.ts';
import { count, duration, jsonOption, type ReportedEvent } from '../../output.ts';
import { openHistory } from '../report/history-file.ts';
import { reportOf } from '../../user-facing-errors.ts';

export function define(command: Command, context: Context) {
  return command
    .addOption(
      new Option(
        '--events <event>',
        `events to report: ${subscriptionEventTypes.join(', ')}; repeatable, or separated by commas`,
      )
        .argParser(collectList)
        .default(undefined, 'created'),
    )
    .addOption(
      new Option(
        '--custom-fields <name>',
        'custom fields whose changes are reported as updates, or all; repeatable',
      ).argParser(collectList),
    )
    .addOption(
      new Option(
        '--expand <what>',
        `additional data in events: ${operation('subscriptions.list').expand.join(', ')}; repeatable`,
      ).argParser(collectList),
    )
    .option('--state <file>', 'file that stores the position, from which the next watch continues')
    .option('--history <file>', 'file to append to who left and returned when, for newsletter report; needs --state')
    .option(
      '--since <time>',
      'also report subscriptions created since this time, such as 2026-01-31T12:00:00Z; only without a stored state',
      readTime,
    )
    .option('--every <seconds>', 'pause between two polls', wholeNumber(1, 86_400), 60)
    .option('--pages <number>', 'maximum number of requests per poll', wholeNumber(1, 10_000), 10)
    .option('--once', 'poll once and exit')
    .addOption(profileOption())
    .addOption(apiUrlOption())
    .addOption(publicationOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      notes(
        'The first poll only stores the current state of the list. All events except "created" require a scan of the whole list, one part per poll; the age of the oldest part is reported. With --state every event is reported at least once, also after a crash. Ctrl-C ends the watch at once with exit code 0 (3 with --once).',
      ),
    )
    .action(async (options, self) => {
      const { report, interrupted } = context;
      const events = readEvents(options.events ?? ['created']);
      const expand = schemas['subscriptions.list'].query.shape.expand.safeParse(options.expand);
      if (!expand.success) throw new UsageError(`--expand: ${expand.error.issues[0]?.message ?? 'unknown value'}.`);
      const fields = options.customFields ?? [];
      if (options.history !== undefined && options.state === undefined)
        throw new UsageError(
          '--history needs --state FILE: without it, every start of the watch would begin the history anew.',
        );
      const { client, apiUrl, publicationId } = await connectToPublication(self, context);

      const { host } = client.engine;
      const of = `${apiUrl} ${publicationId}`;
      const stored = await readState(options.state, of, options.since);
      const file =
        options.history === undefined
          ? null
          : await openHistory(options.history, { of, isContinued: stored.hasHistory }, report);
      const watch = watchSubscriptions({
        engine: client.engine,
        events: file === null ? events : [...events, ...historyEvents],
        customFields: fields.includes('all') ? 'all' : fields.length > 0 ? fields : 'none',
        ...(expand.data && expand.data.length > 0 && { expand: expand.data }),
        state: stored.state,
        pages: options.pages,
        call: { signal: interrupted },
      });
      report.notice({
        type: 'watching',
        text: `Watching ${publicationId} for ${events.join(', ')}${options.once ? '' : `, every ${duration(options.every * 1000)}`}.`,
        data: { events },
      });

      for (;;) {
        const result = await pollOnce();
        if (interrupted.aborted) {
          if (options.once)
            throw new InterruptedError('Interrupted. The same command continues from the stored state.');
          return;
        }
        if (options.once) {
          if (result === null) context.end(exitCodes.failed);
          return;
        }
        await host.sleep(options.every * 1000, interrupted).catch((error: unknown) => {
          if (!(error instanceof TransportError)) throw error;
        });
        if (interrupted.aborted) return;
      }

      /** @returns null after a failure that the next poll may not have */
      async function pollOnce(): Promise<SubscriptionPoll | null> {
        const before = watch.state;
        try {
          const result = await watch.poll();
          for (const event of result.events) if (events.includes(event.type)) report.result(reported(event));
          await file?.append(file.history.record(result, host.now()));
          // Stored after the report: a process that is killed in between reports the events again.
          if (options.state !== undefined && (result.state !== before || file !== null))
            await storeState(options.state, result.state, file?.history.isBegun ?? false);
          if (result.interruption instanceof Error && !interrupted.aborted) fail(result.interruption, '');
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
          fail(error, options.once ? '' : ' The next poll tries again.');
          return null;
        }
      }

      function fail(error: Error, advice: string): void {
        report.failure({ type: error.name, ...reportOf(error), message: `${error.message}${advice}` });
      }
    });
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

function readEvents(names: readonly string[]) {
  const unknown = names.filter((name) => !subscriptionEventTypes.some((type) => type === name));
  if (unknown.length > 0)
    throw new UsageError(
      unknown.map((name) => `--events: there is no event "${name}". There are ${subscriptionEventTypes.join(', ')}.`),
    );
  return subscriptionEventTypes.filter((type) => names.includes(type));
}

function readTime(text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new InvalidArgumentError('It must be a time such as 2026-01-31T12:00:00Z.');
  return Math.floor(time / 1000);
}

/**
 * Reads the stored state, or starts a new one.
 *
 * @param path - undefined where no state is stored
 * @param since - Unix seconds, for a new state
 * @returns it, and whether everything up to it is in a history of leavings
 * @throws UsageError where the file holds no state of a watch
 */
async function readState(
  path: string | undefined,
  scope: string,
  since: number | undefined,
): Promise<{ readonly state: WatchState; readonly hasHistory: boolean }> {
  const text = path === undefined ? null : await readFile(path, 'utf8').catch(nullWhereMissing);
  if (text === null) return { state: startWatch(scope, since), hasHistory: false };
  try {
    const stored: unknown = JSON.parse(text);
    return { state: readWatchState(stored, scope), hasHistory: isRecord(stored) && stored['history'] === true };
  } catch (error) {
    if (error instanceof WatchStateError || error instanceof SyntaxError)
      throw new UsageError(
        `${path}: ${error instanceof SyntaxError ? 'this is not the state of a watch; name another file, or delete this one to start again.' : error.message}`,
      );
    throw error;
  }
}

/** The file holds no address, but times of changes by subscription: only its owner may read it. */
async function storeState(path: string, state: WatchState, hasHistory: boolean): Promise<void> {
  await replaceFile(path, `${JSON.stringify({ ...state, history: hasHistory || undefined })}\n`, 0o600);
}

function nullWhereMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}
