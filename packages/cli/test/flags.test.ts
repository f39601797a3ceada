/** The flags of every command: a command line, and the options that it stands for or the error that it ends with. */
import { runCommandLine } from '@newsletter-kit/command-line';
import { describe, expect, it } from 'vitest';
import { newsletter } from '../src/command-line.ts';
import type { Context } from '../src/context.ts';
import { withEnvironment } from '../../../test/support/captured-output.ts';
import { commandTree, nameOf } from './command-tree.ts';

const publicationId = 'pub_11111111-1111-4111-8111-111111111111';

/** Lines without the command's name: some of the options they stand for, or a part of the error's text. */
const tables: Readonly<Record<string, readonly (readonly [line: string, read: unknown])[]>> = {
  login: [
    ['', { withToken: false, signIn: { scopes: undefined, port: 0, opensBrowser: true, timeoutMs: 300_000 } }],
    ['--with-token --profile prod', { profile: 'prod', withToken: true }],
    ['--scope a,b --scope c --no-browser', { signIn: { scopes: ['a', 'b', 'c'], opensBrowser: false } }],
    [`--publication ${publicationId} --client-id app`, { service: { publicationId, clientId: 'app' } }],
    ['--client-id', "option '--client-id <id>' argument missing"],
    ['--port x', "'--port <number>' argument 'x' is invalid. It must be a whole number from 0 to 65535."],
    ['--app-url https://app.test/?hush', 'NEWSLETTER_APP_URL (--app-url) must be without query and fragment'],
  ],
  logout: [
    ['', undefined],
    ['--profile prod', 'prod'],
  ],
  whoami: [
    ['', { ignoresVariables: false, profile: undefined, apiUrl: undefined }],
    ['--profile prod', { ignoresVariables: true, profile: 'prod' }],
    ['--api-url https://api.test/v2/', { apiUrl: 'https://api.test/v2' }],
    ['--api-url http://ada:hush@api.test/v2', '(--api-url) must be without user name and password'],
    ['--publication mine', 'It must be pub_ followed by a UUID'],
    ['--profile ../x', 'A name has letters, digits, dots, dashes and underscores.'],
  ],
  probe: [['--out shapes.json', { out: 'shapes.json', assumptions: undefined }]],
  'profiles list': [['', undefined]],
  'profiles use': [
    ['prod', 'prod'],
    ['', "missing required argument 'name'"],
  ],
  'profiles remove': [['prod', 'prod']],
  api: [
    ['--list', undefined],
    ['subscriptions.list', { target: { id: 'subscriptions.list' }, args: [], paginate: false }],
    [
      '/posts 1 -F a=1 -f b=2 -F c=3 -X PUT -H X-Trace:t1 -H X-Other:t2',
      {
        target: '/posts',
        args: ['1'],
        request: {
          fields: [
            { key: 'a', value: '1', isTyped: true },
            { key: 'b', value: '2', isTyped: false },
            { key: 'c', value: '3', isTyped: true },
          ],
          method: 'PUT',
          headers: { 'X-Trace': 't1', 'X-Other': 't2' },
        },
      },
    ],
    ['/posts -i --paginate --slurp', { paginate: true, output: { include: true, slurp: true } }],
    ['', 'Name an operation or a path'],
    ['subscritions.list', '(Did you mean subscriptions.list?)'],
    ['subscriptions.list --slurp', '--slurp needs --paginate'],
    ['subscriptions.list -X POST', '--method is only for paths'],
    ['/x -H nonsense', 'A header is written "Name: value"'],
    ['/x -f nonsense', 'A field is written KEY=VALUE'],
  ],
  export: [
    ['', { path: undefined, format: 'csv', isRaw: false, query: { limit: 100, order_by: 'created' } }],
    ['all.NDJSON', { path: 'all.NDJSON', format: 'ndjson' }],
    ['all.ndjson --format csv --raw', { format: 'csv', isRaw: true }],
    [
      '- --tier premium --expand tags,stats',
      { path: undefined, query: { tier: 'premium', expand: ['tags', 'stats'] } },
    ],
    ['--premium-tier a --premium-tier b,c', { query: { premium_tiers: ['a', 'b,c'] } }],
    ['--json', 'name a FILE'],
    ['--format xls', 'Allowed choices are csv, ndjson.'],
    ['--expand shoes', '--expand: expected one of "subscription_premium_tiers"'],
    ['--created today', '--created: must be a day as YYYY/MM/DD'],
  ],
  import: [
    [
      'people.csv',
      {
        path: 'people.csv',
        csv: { columns: {}, unconfirmed: 'leave', others: undefined, dateOrder: undefined },
        files: { journal: undefined, rejects: undefined, suppress: [] },
        plan: undefined,
        approval: 'asked',
        batchSize: 1000,
      },
    ],
    ['- --map Mail=email --map Age= --map a=b=tier', { csv: { columns: { Mail: 'email', Age: null, 'a=b': 'tier' } } }],
    [
      '- --left-by Lage:da=subscribed,(blank)=left --left-by X:(filled)=left --nobody-left-by Land,Ort',
      {
        answers: {
          leftBy: { Lage: { da: 'subscribed', '(blank)': 'left' }, X: { '(filled)': 'left' } },
          nobodyLeftBy: ['Land', 'Ort'],
        },
      },
    ],
    [
      '- --yes-no ja=yes,nein=no --yes-no oui=yes --decimal-mark , --date-order dmy',
      { answers: { yesNo: { ja: 'yes', nein: 'no', oui: 'yes' } }, csv: { decimalMark: ',', dateOrder: 'dmy' } },
    ],
    ['- --suppress a --suppress b', { files: { suppress: ['a', 'b'] } }],
    ['- --plan', { plan: 'full' }],
    ['- --plan=offline', { plan: 'offline' }],
    ['- --json', { approval: 'required' }],
    ['- --json --yes', { approval: 'given' }],
    ['', "missing required argument 'file'"],
    ['- --batch-size 0', 'It must be a whole number from 1 to 1000.'],
    ['- --map Mail --map Mail=adress', '--map "Mail" must be COLUMN=FIELD'],
    ['- --map Mail --map Mail=adress', 'is not a field of a subscription. A custom field is written "custom:adress"'],
    ['- --left-by Lage:da=yes', 'Say what "da" in column "Lage" means: da = subscribed or unconfirmed or left.'],
    ['- --yes-no ja=ja', 'Say what "ja" means: ja = yes or no.'],
    ['- --others all', 'Allowed choices are refuse, ignore, custom.'],
  ],
  watch: [
    [
      '',
      {
        events: ['created'],
        expand: [],
        customFields: 'none',
        since: undefined,
        files: { state: undefined, history: undefined },
        polling: { seconds: 60, pages: 10, once: false },
      },
    ],
    ['--events removed,created --custom-fields all', { events: ['created', 'removed'], customFields: 'all' }],
    ['--custom-fields City --custom-fields Born', { customFields: ['City', 'Born'] }],
    ['--once --since 1970-01-01T00:01:00Z', { since: 60, polling: { once: true } }],
    ['--state w.json --history h.ndjson', { files: { state: 'w.json', history: 'h.ndjson' } }],
    ['--events born', 'there is no event "born"'],
    ['--every often', 'It must be a whole number from 1 to 86400.'],
    ['--since monday', 'It must be a time such as'],
    ['--expand shoes', '--expand'],
    ['--history h.ndjson', '--history needs --state FILE'],
  ],
  'report sources': [
    ['', { path: undefined, format: 'table', by: 'source', stats: false, isJson: false }],
    ['all.HTML --by week --stats', { path: 'all.HTML', format: 'html', by: 'week', stats: true }],
    ['all.html --format csv --json', { format: 'csv', isJson: true }],
    ['--format csv --json', '--format and --json both write to stdout'],
  ],
  'sync plan': [
    ['', { config: 'newsletter-sync.json', database: undefined, contacts: undefined, changes: undefined }],
    ['--contacts c.ndjson --changes 0 --json', { contacts: 'c.ndjson', changes: 0, isJson: true }],
    ['--accept', "unknown option '--accept'"],
  ],
  'sync apply': [
    ['', { every: undefined, accept: false, isJson: false }],
    ['--every 5 --accept --config s.json', { every: 5, accept: true, config: 's.json' }],
  ],
  'sync status': [
    ['', { printsConsent: false }],
    ['--consent --database postgres://db', { printsConsent: true, database: 'postgres://db' }],
  ],
  sync: [['sing', "unknown command 'sing'"]],
};

it('has rows for every command', async () => {
  const leaves = (await commandTree()).filter(({ commands }) => commands.length === 0).map(nameOf);
  expect(Object.keys(tables)).toEqual(expect.arrayContaining(leaves.filter((name) => !name.startsWith('completion'))));
});

describe.each(Object.entries(tables))('newsletter %s', (name, rows) => {
  it.each(rows)('%s', async (line, expected) => {
    const read = await readFlags(`${name} ${line}`.split(' ').filter(Boolean));
    if (typeof expected === 'object') expect(read).toMatchObject({ options: expected });
    else if ('error' in read) {
      expect(read.error).toContain(expected);
      expect(read.error).not.toContain('hush');
    } else expect(read).toEqual({ options: expected });
  });
});

/** Reads a command line without doing its work. */
async function readFlags(argv: readonly string[]): Promise<{ options: unknown } | { error: string }> {
  let read: { options: unknown } | { error: string } = { error: 'nothing was read' };
  const context: Context = {
    argv,
    env: {},
    run(_work, options) {
      read = { options };
      return Promise.resolve();
    },
  };
  const onError = (error: unknown): number => {
    read = { error: error instanceof Error ? error.message : '' };
    return 1;
  };
  await withEnvironment({}, () => runCommandLine(newsletter, { argv, context, noCommandExitCode: 1, onError }));
  return read;
}
