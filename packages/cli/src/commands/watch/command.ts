/** `newsletter watch`: polls the list of subscriptions and reports changes. */
import { InvalidArgumentError, Option, type Command } from '@commander-js/extra-typings';
import { collectList, UsageError, wholeNumber } from '#command-line';
import { subscriptionEventTypes } from '@newsletter-kit/core/watch';
import { connectionOf, withConnection } from '../../connection.ts';
import type { Context } from '../../context.ts';
import { expandOption, expansions, knownIn } from '../../expand-option.ts';
import { watch } from './watch.ts';

export function define(command: Command, context: Context) {
  return withConnection(
    command
      .addOption(
        new Option(
          '--events <event>',
          `events to report: ${subscriptionEventTypes.join(', ')}; repeatable, or separated by commas`,
        )
          .argParser(collectList)
          .default(undefined, 'created'),
      )
      .option(
        '--custom-fields <name>',
        'custom fields whose changes are reported as updates, or all; repeatable',
        collectList,
      )
      .addOption(expandOption('additional data in events'))
      .option('--state <file>', 'file that stores the position, from which the next watch continues')
      .option('--history <file>', 'file to append to who left and returned when, for newsletter report; needs --state')
      .option(
        '--since <time>',
        'also report subscriptions created since this time, such as 2026-01-31T12:00:00Z; only without a stored state',
        readTime,
      )
      .option('--every <seconds>', 'pause between two polls', wholeNumber(1, 86_400), 60)
      .option('--pages <number>', 'maximum number of requests per poll', wholeNumber(1, 10_000), 10)
      .option('--once', 'poll once and exit'),
    'The first poll only stores the current state of the list. All events except "created" require a scan of the whole list, one part per poll; the age of the oldest part is reported. With --state every event is reported at least once, also after a crash. Ctrl-C ends the watch at once with exit code 0 (3 with --once).',
  ).action(async (options, self) => {
    const events = knownIn('--events', options.events ?? ['created'], subscriptionEventTypes);
    const expand = expansions(options.expand);
    if (options.history !== undefined && options.state === undefined)
      throw new UsageError(
        '--history needs --state FILE: without it, every start of the watch would begin the history anew.',
      );
    const fields = options.customFields ?? [];
    await context.run(watch, {
      connection: connectionOf(self),
      events,
      expand,
      customFields: fields.includes('all') ? 'all' : fields.length > 0 ? fields : 'none',
      since: options.since,
      files: { state: options.state, history: options.history },
      polling: { seconds: options.every, pages: options.pages, once: options.once === true },
    });
  });
}

function readTime(text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new InvalidArgumentError('It must be a time such as 2026-01-31T12:00:00Z.');
  return Math.floor(time / 1000);
}
