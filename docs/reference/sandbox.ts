/** The page about the control endpoints of the sandbox. Each example is sent to a sandbox, which gives the answers. */
import { createSandbox, publicationId, type Sandbox } from '@newsletter-kit/sandbox';
import { createControl } from '../../packages/sandbox/src/control/control.ts';
import { createAssumptions } from '../../packages/sandbox/src/control/assumptions.ts';
import { createFeatures } from '../../packages/sandbox/src/control/features.ts';
import { openWorld } from '../../packages/sandbox/src/world/open-world.ts';
import { code, table, type Page } from './page.ts';

interface Endpoint {
  /** Method and path below `/_sandbox`, as the router has them. */
  readonly route: string;
  readonly about: string;
  /** The path of the example, where the route has parameters; undefined shows none. */
  readonly path?: string;
  /** The body of the example. */
  readonly body?: object;
  /** Query parameters. */
  readonly query?: Readonly<Record<string, string>>;
  /** The answer is no JSON, or never ends: there is no example. */
  readonly isStream?: true;
}

interface Group {
  readonly title: string;
  readonly about: string;
  readonly endpoints: readonly Endpoint[];
}

const groups: readonly Group[] = [
  {
    title: 'Clock',
    about:
      'All times come from one clock, which runs with real time until you move it. It never goes back. Events that become due on the way happen in order, each at its own time.',
    endpoints: [
      { route: 'GET /clock', about: 'The time, whether it stands still, and what is scheduled.' },
      {
        route: 'POST /clock',
        about:
          'Moves the clock. `advance` takes an ISO 8601 duration, such as `P14D` or `PT90M`; `set` a later time; `freeze` stops it or lets it run on. `happened` counts the events that ran.',
        body: { advance: 'P14D' },
      },
    ],
  },
  {
    title: 'Subscriptions and jobs',
    about: 'What the sandbox holds, of every publication and without paging rules of the API.',
    endpoints: [
      {
        route: 'GET /subscriptions',
        about: 'Subscriptions, newest first.',
        query: {
          search: 'part of the address, the source or the campaign, or an ID',
          status: 'a status',
          limit: 'up to 200, the default',
          before: '`next_before` of the page before',
        },
      },
      {
        route: 'GET /subscriptions/:id',
        about: 'One subscription in full, with its journeys.',
        path: '/subscriptions/{subscription}',
      },
      {
        route: 'PUT /subscriptions/:id',
        about:
          'Changes it at once, as its owner or the person would: `unsubscribe`, and `custom_fields` as a bulk update has them.',
        path: '/subscriptions/{subscription}',
        body: { custom_fields: [{ name: 'First Name', value: 'Ada' }] },
      },
      { route: 'GET /jobs', about: 'The latest 100 bulk updates and imports, with their errors.' },
      { route: 'GET /connection', about: 'The settings of a client: addresses, publications, keys and OAuth clients.' },
    ],
  },
  {
    title: 'Requests',
    about:
      'The last thousand requests and their answers. [The log](../sandbox/faults.md#log-of-requests) says what it keeps.',
    endpoints: [
      {
        route: 'GET /requests',
        about: 'The requests, oldest first.',
        query: {
          after: 'only requests after this number',
          method: 'a method',
          status: '`404`, `4xx`, or `0` for no answer',
          operation: '`subscriptions.create`, or `subscriptions.*`',
          text: 'anywhere in the messages',
        },
      },
      {
        route: 'GET /requests/:n',
        about: 'One request with headers, bodies and, where it was refused, the nearest valid request.',
        path: '/requests/1',
      },
      {
        route: 'POST /requests/:n/send',
        about: 'Sends it again with `sandbox-key`, or with another `key`; `null` sends none.',
        path: '/requests/1/send',
        body: { key: 'sandbox-key' },
      },
      { route: 'DELETE /requests', about: 'Clears the log. The numbers continue.' },
      {
        route: 'GET /events',
        about:
          'A stream of Server-Sent Events: `request`, `subscription`, `message` (a new e-mail), `control` (a change by these endpoints) and `reset`.',
        isStream: true,
      },
    ],
  },
  {
    title: 'Inbox',
    about: 'The e-mails that a service would send: confirmations, welcomes, and those of automations.',
    endpoints: [
      {
        route: 'GET /inbox',
        about: 'The e-mails, newest first, with the links in them.',
        query: { to: 'the address of a subscriber' },
      },
      { route: 'GET /inbox/:id', about: 'One e-mail with its `text` and its `html`.', path: '/inbox/{message}' },
      { route: 'GET /inbox/:id/html', about: 'The same as a page.', isStream: true },
      {
        route: 'GET /inbox/:id/:click',
        about: 'The page behind a link of the e-mail, `confirm` or `unsubscribe`. It only asks.',
        isStream: true,
      },
      {
        route: 'POST /inbox/:id/:click',
        about: 'Follows the link: what the button of that page does.',
        path: '/inbox/{message}/confirm',
      },
      { route: 'DELETE /inbox/:id', about: 'Deletes one e-mail.', path: '/inbox/{message}' },
      { route: 'DELETE /inbox', about: 'Deletes all of them.' },
    ],
  },
  {
    title: 'Faults',
    about:
      'A fault changes the answers of the requests that it matches. [Faults and the clock](../sandbox/faults.md#faults) has its keys.',
    endpoints: [
      {
        route: 'POST /faults',
        about: 'Adds a fault.',
        body: { match: 'subscriptions.create', effect: 'lostResponse', nth: 2 },
      },
      { route: 'GET /faults', about: 'The faults, and how often each has met a request and fired.' },
      { route: 'DELETE /faults/:id', about: 'Removes a fault.', path: '/faults/{fault}' },
      { route: 'DELETE /faults', about: 'Removes all of them.' },
    ],
  },
  {
    title: 'Rate limits',
    about: 'How many requests a window of time takes before the answer is 429.',
    endpoints: [
      { route: 'GET /profile', about: 'The limit in force.' },
      {
        route: 'PUT /profile',
        about:
          'Takes a `profile` (`spec`, `service` or `unlimited`), or a quota, of which only `limit` is required. Starts a new window.',
        body: { limit: 5, windowSeconds: 60, retryAfter: true },
      },
    ],
  },
  {
    title: 'Assumptions',
    about: 'The [switches](assumptions.md) where the specification leaves something open.',
    endpoints: [
      {
        route: 'PUT /assumptions',
        about: 'Sets those named, and every other to its default.',
        body: { created_status: '201' },
      },
      { route: 'GET /assumptions', about: 'Each switch, its values and its current value.' },
    ],
  },
  {
    title: 'Snapshots',
    about:
      'A snapshot is a copy of the whole state: subscribers, jobs, tokens, inbox, scheduled events and the clock. It exists until the sandbox ends.',
    endpoints: [
      {
        route: 'POST /snapshots',
        about: 'Takes a snapshot. With `Content-Type: application/x-ndjson` it imports an exported one.',
        body: { name: 'before the import' },
      },
      { route: 'GET /snapshots', about: 'The snapshots.' },
      {
        route: 'POST /snapshots/:id/restore',
        about: 'Restores one, as often as you like.',
        path: '/snapshots/{snapshot}/restore',
      },
      { route: 'GET /snapshots/:id/export', about: 'Downloads one as JSON lines.', isStream: true },
      { route: 'DELETE /snapshots/:id', about: 'Deletes one.', path: '/snapshots/{snapshot}' },
    ],
  },
  {
    title: 'Reset',
    about: 'Back to the beginning.',
    endpoints: [
      {
        route: 'POST /reset',
        about:
          'Restores the content, the clock, the rate limit, the faults and the assumptions that the sandbox started with. `seed` loads other content: `demo`, `empty`, or a seed as JSON.',
        body: { seed: 'empty' },
      },
    ],
  },
];

/** The groups of a page each: what there is, and what makes the sandbox behave otherwise. */
export async function sandboxPages(): Promise<readonly Page[]> {
  checkRoutes();
  const sandbox = createSandbox({ now: () => Date.UTC(2026, 0, 1) });
  try {
    await prepare(sandbox);
    const faults = groups.findIndex(({ title }) => title === 'Faults');
    return [
      {
        name: 'sandbox-control',
        title: 'Control endpoints of the sandbox',
        description:
          'The endpoints below /_sandbox for clock, subscriptions, requests and inbox, each with a real answer.',
        source,
        body: `
The endpoints below \`http://127.0.0.1:4010/_sandbox\` read and change the sandbox while it runs; those that make it behave otherwise have
[a page of their own](sandbox-behaviour.md). They take and answer JSON, whatever the \`Content-Type\`; a body may be omitted. Errors have the format of
the API's errors, and an unknown key is an error. Requests from pages of other sites are refused, and a control token may be required: see
[Safety](../sandbox/command.md#safety). The answers came from a sandbox; long ones are cut.

${await describeGroups(groups.slice(0, faults), sandbox)}
`,
      },
      {
        name: 'sandbox-behaviour',
        title: 'Faults, limits and snapshots of the sandbox',
        description:
          'The endpoints below /_sandbox for faults, rate limits, assumptions, snapshots and reset, each with a real answer.',
        source,
        body: `
More [control endpoints](sandbox-control.md), in the same form.

${await describeGroups(groups.slice(faults), sandbox)}
`,
      },
    ];
  } finally {
    sandbox.close();
  }
}

const source = 'docs/reference/sandbox.ts';

async function describeGroups(shown: readonly Group[], sandbox: Sandbox): Promise<string> {
  const parts: string[] = [];
  for (const { title, about, endpoints } of shown) {
    parts.push(`## ${title}`, about);
    for (const endpoint of endpoints) parts.push(await describeEndpoint(endpoint, sandbox));
  }
  return parts.join('\n\n');
}

/** @throws Error if a route of the sandbox is not described, or a described one does not exist */
function checkRoutes(): void {
  const assumptions = createAssumptions();
  const world = openWorld({ location: ':memory:', now: Date.now, idSeed: 1, assumed: assumptions.value });
  const control = createControl(createFeatures(world, assumptions, {}), {
    answer: () => Promise.reject(new Error('No request is sent.')),
    reset: () => undefined,
  });
  const routes = new Set(
    control.routes
      .filter(({ method, path }) => /^(?:GET|POST|PUT|DELETE)$/.test(method) && path !== '/*')
      .map(({ method, path }) => `${method} ${path}`),
  );
  const described = new Set(groups.flatMap(({ endpoints }) => endpoints.map(({ route }) => route)));
  const different = [
    ...[...routes].filter((route) => !described.has(route)),
    ...[...described].filter((route) => !routes.has(route)),
  ];
  if (different.length > 0)
    throw new Error(`docs/reference/sandbox.ts and the routes of the sandbox differ: ${different.join(', ')}.`);
}

/** Content for the examples: a subscriber with an e-mail to confirm, a custom field, and a request that was refused. */
async function prepare({ fetch, settle, clock }: Sandbox): Promise<void> {
  const publication = `http://127.0.0.1:4010/v2/publications/${publicationId}`;
  const address = `${publication}/subscriptions`;
  const headers = { authorization: 'Bearer sandbox-key', 'content-type': 'application/json' };
  const field = JSON.stringify({ kind: 'string', display: 'First Name' });
  await fetch(`${publication}/custom_fields`, { method: 'POST', headers, body: field });
  await fetch(address, { method: 'POST', headers, body: JSON.stringify({ email: 'ada' }) });
  const signup = { email: 'ada@example.com', double_opt_override: 'on', utm_source: 'docs' };
  await fetch(address, { method: 'POST', headers, body: JSON.stringify(signup) });
  clock.advance('PT1M');
  settle();
}

async function describeEndpoint(endpoint: Endpoint, sandbox: Sandbox): Promise<string> {
  const { route, about, query = {}, body, isStream = false } = endpoint;
  const [method = '', path = ''] = route.split(' ');
  const shown = path.replaceAll(/:(\w+)/g, '{$1}');
  const parameters = Object.entries(query).map(([name, meaning]) => [code(name), meaning]);
  const parts = [`### ${method} ${shown}`, about];
  if (parameters.length > 0) parts.push(table(['Query', 'Meaning'], parameters));
  if (isStream) return parts.join('\n\n');
  const address = `http://127.0.0.1:4010/_sandbox${await fillPath(endpoint.path ?? path, sandbox)}`;
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const answer = await sandbox.fetch(address, { method, ...(sent !== undefined && { body: sent }) });
  const text = JSON.stringify(await answer.json(), null, 2);
  if (!answer.ok) throw new Error(`${method} ${address} answered ${answer.status}: ${text}`);
  // Without a body the heading says it all.
  const flags = method === 'POST' ? '' : ` -X ${method}`;
  if (sent !== undefined) parts.push(`\`\`\`bash\ncurl${flags} -d '${sent}' ${address}\n\`\`\``);
  parts.push(`\`\`\`json\n${shorten(text)}\n\`\`\``);
  return parts.join('\n\n');
}

/** Puts the ID of a thing that exists into a path. */
async function fillPath(path: string, { fetch }: Sandbox): Promise<string> {
  const [, kind] = /\{(\w+)\}/.exec(path) ?? [];
  if (kind === undefined) return path;
  const lists: Readonly<Record<string, string>> = {
    subscription: 'subscriptions',
    message: 'inbox',
    fault: 'faults',
    snapshot: 'snapshots',
  };
  const answer = await fetch(`http://127.0.0.1:4010/_sandbox/${lists[kind]}`);
  const { data } = (await answer.json()) as { readonly data: readonly { readonly id: string }[] };
  const [first] = data;
  if (!first) throw new Error(`The sandbox has no ${kind} for the example of ${path}.`);
  return path.replace(`{${kind}}`, first.id);
}

const linesShown = 12;

function shorten(text: string): string {
  const lines = text.split('\n');
  return lines.length > linesShown ? [...lines.slice(0, linesShown), '…'].join('\n') : text;
}
