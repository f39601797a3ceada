/** `newsletter report sources`: which sources bring readers who stay. */
import { Option, type Command } from '@commander-js/extra-typings';
import { UsageError, notes } from '#command-line';
import { reportDimensions } from '@newsletter-kit/core/report';
import { connectionOf, withConnection } from '../../connection.ts';
import type { Context } from '../../context.ts';
import { formats, reportSources } from './sources.ts';

export function define(command: Command, context: Context) {
  command.usage('sources [FILE]').addHelpText('after', notes('newsletter report sources --help prints the options.'));

  withConnection(
    command
      .command('sources')
      .description('report which sources, campaigns and weeks bring readers who stay')
      .argument('[file]', 'the file to write; stdout if left out, or with -')
      .addOption(
        new Option(
          '--format <format>',
          'format of the output (default: by the extension of the file, otherwise table)',
        ).choices(formats),
      )
      .addOption(
        new Option('--by <what>', 'what a table or CSV lists; JSON and HTML have all')
          .choices(reportDimensions)
          .default('source' as const),
      )
      .option('--history <file>', 'history that newsletter watch --history keeps')
      .option('--stats', 'also read opens and clicks'),
    'Counts people, by what their subscriptions say of their source, and shows no figure of fewer than 20. Who is still there today is always known. Who was still there after 7, 30 and 90 days is known where newsletter watch --history FILE has kept a history since then.',
  ).action(async (file, { format, by, history, stats, json }, self) => {
    const path = file === '-' ? undefined : file;
    if (path === undefined && json && format !== undefined)
      throw new UsageError('--format and --json both write to stdout: name a FILE, or leave one of them out.');
    await context.run(reportSources, {
      connection: connectionOf(self),
      path,
      format: format ?? formats.find((each) => path?.toLowerCase().endsWith(`.${each}`)) ?? 'table',
      by,
      history,
      stats: stats === true,
      isJson: json === true,
    });
  });
}
