/**
 * The flags of every command. `flags.txt` has what each line stands for, or the error that it ends with: every option
 * alone with an odd value, and the lines below; `npm test -- -u PATH` of this file writes it.
 */
import { runCommandLine } from '@newsletter-kit/command-line';
import { isRecord } from '@newsletter-kit/core/engine';
import { expect, it } from 'vitest';
import { newsletter } from '../src/command-line.ts';
import type { Context } from '../src/context.ts';
import { withEnvironment } from '../../../test/support/captured-output.ts';
import { commandTree, nameOf } from './command-tree.ts';

const publicationId = 'pub_11111111-1111-4111-8111-111111111111';

/** Lines that mean more than their options do one by one. */
const lines: readonly string[] = [
  'login --scope a,b --scope c --no-browser',
  `login --publication ${publicationId} --client-id app`,
  'login --app-url https://app.test/?hush',
  'whoami --profile prod',
  'whoami --api-url https://api.test/v2/',
  'whoami --api-url http://ada:hush@api.test/v2',
  'whoami --profile ../x',
  'profiles use prod',
  'api --list',
  'api subscriptions.list',
  'api /posts 1 -F a=1 -f b=2 -F c=3 -X PUT -H X-Trace:t1 -H X-Other:t2',
  'api /posts -i --paginate --slurp',
  'api subscritions.list',
  'api subscriptions.list --slurp',
  'api subscriptions.list -X POST',
  'api /x -H nonsense',
  'api /x -f nonsense',
  'export all.NDJSON',
  'export all.ndjson --format csv --raw',
  'export - --where subscription_tier=premium --expand tags,stats',
  'export --premium-tier a --premium-tier b,c',
  'export --created 2026/02/30',
  'export --where status=active --where utm_source=a=b --columns email,status',
  'person ada@example.com',
  'import people.csv',
  'import - --map Mail=email --map Age= --map a=b=tier',
  'import - --map Mail --map Mail=adress',
  'import - --left-by Lage:da=subscribed,(blank)=left --left-by X:(filled)=left --nobody-left-by Land,Ort',
  'import - --left-by Lage:da=yes',
  'import - --yes-no ja=yes,nein=no --yes-no oui=yes --decimal-mark , --date-order dmy',
  'import - --yes-no ja=ja',
  'import - --suppress a --suppress b',
  'import - --plan',
  'import - --plan=offline',
  'import - --json --yes',
  'import - --batch-size 0',
  'watch --events removed,created --custom-fields all',
  'watch --custom-fields City --custom-fields Born',
  'watch --once --since 1970-01-01T00:01:00Z',
  'watch --state w.json --history h.ndjson',
  'report sources all.HTML --by week --stats',
  'report sources all.html --format csv --json',
  'report sources --format csv --json',
  'sync plan --contacts c.ndjson --changes 0 --json',
  'sync plan --accept',
  'sync apply --every 5 --accept --config s.json',
  'sync status --consent --database postgres://db',
  'sync sing',
];

it('every line stands for the same options, or ends with the same error, and repeats no secret', async () => {
  const commands = (await commandTree()).filter(
    (command) => command.commands.length === 0 && !nameOf(command).startsWith('completion'),
  );
  const all = commands.flatMap((command) => {
    const needed = command.registeredArguments.slice(0, 1).map(() => '/x');
    const alone = command.options.map(({ long, required }) => [long, ...(required ? ['x'] : [])].join(' '));
    return ['', ...needed, ...alone.map((option) => [...needed, option].join(' '))].map((rest) =>
      `${nameOf(command)} ${rest}`.trim(),
    );
  });
  const written: string[] = [];
  for (const line of new Set([...all, ...lines])) written.push(`${line}\n  ${await readFlags(line.split(' '))}`);
  expect(written.join()).not.toMatch(/[^?:]hush/);
  await expect(`${written.join('\n')}\n`).toMatchFileSnapshot('flags.txt');
});

/** Reads a command line without doing its work: the options, or the error. */
async function readFlags(argv: readonly string[]): Promise<string> {
  let read = 'nothing was read';
  const context: Context = {
    argv,
    env: {},
    run(_work, options) {
      const short = (name: string, value: unknown): unknown =>
        name === 'target' && isRecord(value) ? value['id'] : value;
      read = JSON.stringify(options, short) ?? 'no options';
      return Promise.resolve();
    },
  };
  const onError = (error: unknown): number => {
    read = `error: ${error instanceof Error ? error.message.replaceAll('\n', '\n    ') : ''}`;
    return 1;
  };
  await withEnvironment({}, () => runCommandLine(newsletter, { argv, context, noCommandExitCode: 1, onError }));
  return read;
}
