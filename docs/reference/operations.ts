/** The pages about the API: its operations, and what the specification leaves open about them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  assumed,
  missingScope,
  operations,
  resourceOf,
  resources,
  statuses,
  type Operation,
  type OperationId,
  type OperationWords,
  words,
} from '@newsletter-kit/core/contract';
import { gaps, type Gap } from '../../packages/sandbox/src/gaps.ts';
import { createSandbox } from '@newsletter-kit/sandbox';
import { loadBundle } from '../../test/nodes/bundle.ts';
import { executeContext } from '../../test/nodes/context.ts';
import { fillings, offered } from '../../test/nodes/parameters.ts';
import { root } from '../site.ts';
import { code, codes, relink, table, type Page } from './page.ts';

type KnownOperation = Operation & { readonly id: OperationId };

const all: readonly KnownOperation[] = operations;

/** The page that lists the operations. */
export function operationsPage(): Page {
  const rows = all.map((operation) => [
    `[${code(operation.id)}](../operations/${fileOf(operation)}.md)`,
    code(`${operation.method} ${operation.path}`),
    operation.scope === null ? '–' : code(operation.scope),
    operation.doc,
  ]);
  return {
    name: 'operations',
    title: 'Operations of the API',
    description: 'Every operation of the API with its method, path and scope; each has a page.',
    isWide: true,
    source,
    body: `
The Newsletter Publishing API, version 2, in ${all.length} operations. Paths start at the base URL of the service, which ends with \`/v2\`; those of
OAuth start at the address of its app. The [assumptions](assumptions.md) list what the specification leaves open.

${table(['Operation', 'Request', 'Scope', 'What it does'], rows)}
`,
  };
}

/** A page for each operation. */
export async function operationPages(): Promise<readonly Page[]> {
  const callers = await findCallers();
  return all.map((operation) => ({
    name: fileOf(operation),
    title: operation.id,
    description: `${operation.doc}.`,
    source,
    body: `${resources[resourceOf(operation.id)].description}

${describeOperation(operation, callers)}`,
  }));
}

const source = 'packages/core/src/records/index.ts';
/** `subscriptions-bulk-create`. */
const fileOf = ({ id }: KnownOperation): string => id.replace('.', '-').replaceAll(/[A-Z]/g, '-$&').toLowerCase();

function describeOperation(operation: KnownOperation, callers: Callers): string {
  const { id, method, path, base, scope, success, errors, pagination, retry, query, body } = operation;
  const { description, returns, parameters, errors: ownErrors = {}, example }: OperationWords = words[id];
  const [resource = '', verb = ''] = id.split('.');
  const facts = [
    ['Request', code(`${method} ${path}`)],
    ['Scope', scope === null ? 'none' : code(scope)],
    ['Client', code(`client.${resource}.${verb}()`)],
    ['Command', code(`newsletter api ${id}`)],
    ['n8n', callers.get(id)?.join(', ') ?? '–'],
    ['Answers', `${success}. ${returns}`],
    ['Pages', pageWords[pagination]],
    ['Retry', retryWords[retry]],
    ...(base === 'app' ? [['Address', 'the app of the service, not its API']] : []),
    ...(operation.extension ? [['Specification', 'not shown there; services have it']] : []),
  ];
  const required = new Set<string>([
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    ...(body?.required ?? []),
  ]);
  const repeatable = new Set(query.filter((name) => name.endsWith('[]')));
  const parameterRows = Object.entries(parameters).map(([name, { text, default: preset }]) => [
    code(repeatable.has(`${name}[]`) ? `${name}[]` : name) + (required.has(name) ? ' (required)' : ''),
    text,
    preset === undefined ? '' : code(String(preset)),
  ]);
  const known: Readonly<Record<number, { readonly description: string }>> = statuses;
  const forbidden = scope !== null && !errors.includes(403) ? [403] : [];
  const errorRows = [...errors, ...forbidden]
    .toSorted((a, b) => a - b)
    .map((status) => [
      String(status),
      ownErrors[status] ?? (forbidden.includes(status) ? missingScope : (known[status]?.description ?? '')),
    ]);
  return [
    description,
    table(['', ''], facts),
    ...(parameterRows.length > 0 ? ['## Parameters', table(['Name', 'Meaning', 'Default'], parameterRows)] : []),
    '## Errors',
    table(['Status', 'When'], errorRows),
    ...(example ? ['## Example', `\`\`\`ts\nawait client.${resource}.${verb}(${example});\n\`\`\``] : []),
    ...(assumed[id].length > 0
      ? [
          `## Not specified\n\nThe specification leaves this open; it is filled so:\n\n${assumed[id].map((text) => `- ${text}`).join('\n')}`,
        ]
      : []),
  ].join('\n\n');
}

const pageWords: Readonly<Record<Operation['pagination'], string>> = {
  none: 'no: one answer holds everything',
  cursor: 'by cursor',
  offset: 'by page number',
  'cursor-or-offset': 'by cursor, or by page number',
};
const retryWords: Readonly<Record<Operation['retry'], string>> = {
  safe: 'yes: it only reads',
  upsert: 'yes: repeating it gives the same state',
  once: 'only where the first attempt provably was not processed',
};

/** The operations of the n8n node that call an operation of the API, as the editor names them. */
type Callers = ReadonlyMap<string, readonly string[]>;

/** Runs every operation of the built n8n node against a sandbox, and notes the requests. */
async function findCallers(): Promise<Callers> {
  const bundle = await loadBundle();
  const sandbox = createSandbox({ seed: 'demo' });
  const found = new Map<string, Set<string>>();
  try {
    for (const each of offered(bundle)) {
      const fetch: typeof sandbox.fetch = (input, init) => {
        const id = operationAt(new URL(input instanceof Request ? input.url : input).pathname, init?.method ?? 'GET');
        if (id !== undefined) found.set(id, (found.get(id) ?? new Set()).add(`*${each.action}*`));
        return sandbox.fetch(input, init);
      };
      // The address of the examples is subscribed already, and some operations are for new addresses alone.
      for (const parameters of fillings(each).flatMap((filled) => [filled, { ...filled, email: 'new@example.com' }]))
        await bundle.newsletter.execute.call(executeContext({ sandbox: { fetch }, parameters, continueOnFail: true }));
    }
  } finally {
    sandbox.close();
  }
  return new Map([...found].map(([id, names]) => [id, [...names]]));
}

function operationAt(pathname: string, method: string): string | undefined {
  return all.find(
    ({ base, path, method: known }) =>
      base === 'api' && known === method && new RegExp(`^/v2${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  )?.id;
}

/** `api.md` of core, which is generated from the contract too. */
export function clientPage(): Page {
  const api = readFileSync(join(root, 'packages/core/api.md'), 'utf8');
  return {
    name: 'client',
    title: 'Client methods',
    description: 'Every method of the client, and its types.',
    source: 'packages/core/scripts/api.ts',
    body: relink(api.replace(/^# [^\n]*\n\n[^]*?\n\n/, ''), 'packages/core'),
  };
}

export function assumptionsPage(): Page {
  const rows = Object.entries<Gap>(gaps).map(([id, { silent, default: preset, others }]) => [
    code(id),
    codes([preset, ...Object.keys(others)]),
    silent,
  ]);
  const open = all.filter(({ id }) => assumed[id].length > 0);
  const notes = open.map(
    (operation) =>
      `### ${operation.id}\n\n${assumed[operation.id].map((text) => `- ${text}`).join('\n')}\n\n[The operation](../operations/${fileOf(operation)}.md)`,
  );
  return {
    name: 'assumptions',
    title: 'Assumptions',
    description:
      'What the specification leaves open, how Newsletter Kit fills it, and how the sandbox answers otherwise.',
    source: 'packages/sandbox/src/gaps.ts',
    body: `
The specification leaves some behaviour open. Newsletter Kit then follows an assumption. A service may behave differently there:
\`newsletter probe\` reads a service, and reports which value of each switch its answers show.

## Switches of the sandbox

Start the sandbox with \`--assumptions FILE\`, or send the values to [\`PUT /_sandbox/assumptions\`](sandbox-behaviour.md#assumptions) while it runs. The
first value is the default.

${table(['Switch', 'Values', 'What is left open'], rows)}

## Operation by operation

${notes.join('\n\n')}
`,
  };
}
