/** The example workflows match the current nodes, and run from one node to the next. */
import { globSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { page, pagePath } from '../support/documentation.ts';
import type { Property } from './bundle.ts';
import { evaluator } from './expressions.ts';
import { offered } from './parameters.ts';
import { workbench } from './workbench.ts';

interface WorkflowNode {
  readonly name: string;
  readonly type: string;
  readonly position: readonly [x: number, y: number];
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly credentials?: Readonly<Record<string, unknown>>;
}

interface Workflow {
  readonly name: string;
  readonly description?: string;
  readonly nodes: readonly WorkflowNode[];
  readonly connections: Readonly<Record<string, { readonly main: readonly (readonly { readonly node: string }[])[] }>>;
}

const bench = workbench();
const paths = globSync('examples/workflows/*.json', { cwd: root }).toSorted();
const read = (path: string): Workflow => JSON.parse(readFileSync(join(root, path), 'utf8')) as Workflow;

const isNote = ({ type }: WorkflowNode): boolean => type.endsWith('.stickyNote');
const contentOf = ({ parameters }: WorkflowNode): string => String(parameters['content']);
/** The sentences of a note, without its headings, tables and code. */
const proseOf = (note: WorkflowNode): string =>
  contentOf(note)
    .replaceAll(/```[^]*?```/g, '')
    .replaceAll(/^[#|].*$/gm, '')
    .trim();

/** The place of a note, or of a node with its name, outputs and buttons, on the canvas. */
function boxOf(node: WorkflowNode): Readonly<Record<'left' | 'right' | 'top' | 'bottom', number>> {
  const [x, y] = node.position;
  if (isNote(node))
    return {
      left: x,
      right: x + Number(node.parameters['width']),
      top: y,
      bottom: y + Number(node.parameters['height']),
    };
  const hasManyOutputs = /Sync$|\.switch$/.test(node.type);
  return {
    left: x - 60,
    right: x + (hasManyOutputs ? 215 : 195),
    top: y - 36,
    bottom: y + (hasManyOutputs ? 282 : 152),
  };
}

function overlap(one: WorkflowNode, other: WorkflowNode): boolean {
  const [a, b] = [boxOf(one), boxOf(other)];
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** Set parameters without a property, nested ones included. */
function unknownParameters(values: Readonly<Record<string, unknown>>, properties: readonly Property[]): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const property = properties.find((each) => each.name === name);
    if (!property) return [name];
    if (property.type === 'collection')
      return unknownParameters(value as Readonly<Record<string, unknown>>, property.options ?? []);
    if (property.type !== 'fixedCollection') return [];
    return Object.entries(value as Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>).flatMap(
      ([group, rows]) => {
        const inner = property.options?.find((each) => each.name === group)?.values ?? [];
        return rows.flatMap((row) => unknownParameters(row, inner));
      },
    );
  });
}

describe.each(paths)('%s', (path) => {
  it('sets only parameters that the operation shows', () => {
    for (const { name, parameters } of read(path).nodes.filter(
      ({ type }) => type === 'n8n-nodes-newsletter-kit.newsletter',
    )) {
      const { resource, operation, ...others } = parameters;
      const found = offered(bench.bundle).find((each) => each.resource === resource && each.operation === operation);
      expect(found, name).toBeDefined();
      expect(unknownParameters(others, found?.properties ?? [])).toEqual([]);
    }
    for (const { name, parameters } of read(path).nodes.filter(
      ({ type }) => type === 'n8n-nodes-newsletter-kit.newsletterSync',
    )) {
      expect(unknownParameters(parameters, bench.bundle.sync.description.properties), name).toEqual([]);
    }
  });

  it('says in its description what it does, and which package it needs', () => {
    const { description = '', nodes } = read(path);
    expect(description).toMatch(/^[A-Z].+[.] .*[.]$/);
    const needsPackage = nodes.some(({ type }) => type.startsWith('n8n-nodes-newsletter-kit.'));
    expect(description).toContain(
      needsPackage ? 'needs the community node n8n-nodes-newsletter-kit' : 'needs no community node',
    );
  });

  it('has an overview and short notes: yellow ones say what to set up, grey ones what to know', () => {
    const notes = read(path).nodes.filter(isNote);
    expect(notes.filter(({ name }) => name === 'Overview')).toHaveLength(1);
    expect(notes.some(({ name }) => name.startsWith('Set up: '))).toBe(true);
    for (const note of notes) {
      const prose = proseOf(note).replaceAll(/`[^`]*`/g, 'x');
      const sentences = prose.match(/[.!?](?=\s|$)/g) ?? [];
      expect([1, 2, 3], note.name).toContain(sentences.length);
      expect(proseOf(note).split(/\s+/).length, note.name).toBeLessThanOrEqual(60);
      expect(contentOf(note), note.name).toMatch(note.name === 'Overview' ? /^## \w/ : `### ${note.name}\n`);
      expect(note.parameters['color'], note.name).toBe(note.name.startsWith('Set up: ') ? undefined : 7);
    }
  });

  it('names each node and note once, without which n8n refuses the workflow', () => {
    const names = read(path).nodes.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  it('lays its notes beside the nodes and beside each other', () => {
    const { nodes } = read(path);
    for (const note of nodes.filter(isNote))
      expect(nodes.filter((other) => other !== note && overlap(note, other)).map(({ name }) => name)).toEqual([]);
  });

  it('leaves out every credential but that of the sandbox, so that n8n marks the node', () => {
    for (const { name, credentials = {} } of read(path).nodes)
      for (const credential of Object.values(credentials))
        expect(credential, name).toEqual({ id: 'newsletterSandbox', name: 'Newsletter sandbox' });
  });

  it('connects existing nodes, and names the credential of the sandbox', () => {
    const { nodes, connections } = read(path);
    const names = nodes.map(({ name }) => name);
    const connected = Object.entries(connections).flatMap(([from, { main }]) => [
      from,
      ...main.flat().map(({ node }) => node),
    ]);
    expect(connected.filter((name) => !names.includes(name))).toEqual([]);
    for (const { type, parameters, credentials } of nodes) {
      // Neither the Signup Trigger nor the check of the CRM's answers sends a request to the service.
      if (type.endsWith('.newsletterSignupTrigger') || parameters['operation'] === 'checkAnswers')
        expect(credentials).toBeUndefined();
      else if (type.startsWith('n8n-nodes-newsletter-kit.'))
        expect(credentials).toEqual({ newsletterApi: { id: 'newsletterSandbox', name: 'Newsletter sandbox' } });
    }
  });
});

const syncs = paths.filter((path) => /\/contact-sync/.test(path));

it.each(syncs)('%s tells people before it writes, and an error ends what stands below it', (path) => {
  const { nodes, connections } = read(path);
  const heightOf = (name: string): number => nodes.find((node) => node.name === name)?.position[1] ?? Number.NaN;
  // n8n runs the branches from the top to the bottom.
  const branches = (connections['Sync']?.main ?? []).map((targets) => targets.map(({ node }) => heightOf(node)));
  // Which of the two writes comes first is up to the CRM.
  const writes = branches.slice(3, 5).toSorted(([one = 0], [other = 0]) => one - other);
  const heights = [...branches.slice(0, 3), ...writes, ...branches.slice(5)].flat();
  expect(heights).toEqual(heights.toSorted((a, b) => a - b));
  expect(branches.map(({ length }) => length)).toEqual([1, 1, path.includes('data-table') ? 1 : 0, 1, 1, 1]);
  expect(connections['Sync']?.main[5]).toMatchObject([{ node: 'Stop: held back' }]);
  expect(connections['Check answers']?.main[0]).toMatchObject([{ node: 'Stop: refused' }]);
});

it.each(paths)('lists %s on the page of the examples, with a small picture', (path) => {
  const folder = join(root, dirname(pagePath('n8n/workflows')));
  const file = basename(path);
  const linked = new RegExp(`\\[!\\[[^\\]]+\\]\\(([^)]+)\\)\\]\\(([^)]*/${file})\\)`);
  const [, picture = '', target = ''] = linked.exec(page('n8n/workflows')) ?? [];
  expect(picture).toBe(`../../../../../.github/guide/workflows/${basename(path, '.json')}.png`);
  expect(join(folder, target)).toBe(join(root, 'examples/workflows', file));
  expect(readFileSync(join(root, 'examples/workflows/README.md'), 'utf8')).toContain(`](${file})`);
  expect(readFileSync(join(folder, picture)).subarray(1, 4).toString()).toBe('PNG');
  expect(statSync(join(folder, picture)).size).toBeLessThan(150_000);
});

/** Examples with sample data, whose titles, names and set-up are checked more closely. */
const templates = [
  'act-on-signup',
  'erase-with-approval',
  'import-csv',
  'signup-form',
  'slack-notice',
  'stripe-tier',
  'subscriber-log',
  'subscriber-notice',
  'typeform-subscribe',
  'unsubscribed-to-crm',
  'weekly-growth',
  'weekly-sources',
];

interface Template extends Workflow {
  readonly pinData?: Readonly<Record<string, readonly { readonly json: object }[]>>;
}

/** Nodes that start a workflow with data to pin; a schedule, an uploaded file and a signed webhook have none. */
const begins = /\.(newsletterTrigger|newsletterSignupTrigger|formTrigger|stripeTrigger|typeformTrigger)$/;

describe.each(templates)('the template %s', (file) => {
  const { name, nodes, pinData = {} } = read(`examples/workflows/${file}.json`) as Template;
  const setUp = nodes
    .filter(({ name: node }) => node.startsWith('Set up: '))
    .map(contentOf)
    .join('\n');

  it('has a title of at least eight words, without a period', () => {
    expect(name).toMatch(/^[A-Z][a-z]+ /);
    expect(name.split(' ').length).toBeGreaterThanOrEqual(8);
    expect(name).not.toMatch(/[.:!]$/);
  });

  it('names in its set-up each node that needs a credential', () => {
    for (const { name: node, type } of nodes) {
      const kind =
        /\.(postgres|emailSend|newsletter|newsletterTrigger|crypto|formTrigger|slack|googleSheets|stripeTrigger|typeformTrigger)$/.exec(
          type,
        )?.[1];
      if (kind === undefined) continue;
      const plural = { postgres: '*Postgres* nodes', emailSend: '*Email* nodes' }[kind];
      expect(setUp.includes(`*${node}*`) || (plural !== undefined && setUp.includes(plural)), node).toBe(true);
    }
  });

  it('has sample data of invented people for a manual run', () => {
    const pinned = nodes.filter(({ name: node, type }) => begins.test(type) && node !== 'Upload a CSV file');
    expect(Object.keys(pinData)).toEqual(pinned.map(({ name: node }) => node));
    const text = readFileSync(join(root, `examples/workflows/${file}.json`), 'utf8');
    expect(
      text.match(/[\w.+-]+@[\w.-]+/g)?.filter((address) => !/@(?:erased\.invalid|example\.com)$/.test(address)) ?? [],
    ).toEqual([]);
  });

  it('names every node by its purpose, and contains no secret', () => {
    for (const node of nodes)
      expect(node.name).not.toMatch(/^(Set|If|Edit Fields|Postgres|Send Email|Webhook|Code)\d*$/);
    expect(JSON.stringify(nodes)).not.toMatch(/(?:api[-_ ]?key|password|secret|token)"?\s*[:=]\s*"[^"=]/i);
  });
});

describe('the import of a CSV file', () => {
  const { nodes, connections } = read('examples/workflows/import-csv.json');
  const targetsOf = (name: string, output: number): string[] =>
    (connections[name]?.main[output] ?? []).map(({ node }) => node);

  it.each([
    ['email,utm_source', ','],
    ['\uFEFFemail;utm_source\r\nada@example.com;fair', ';'],
    ['"Name, first; second";email', ';'],
    ['email', ','],
    ['', ','],
  ])('finds the delimiter of %j', (text, delimiter) => {
    const { parameters = {} } = nodes.find(({ name }) => name === 'Read the rows') ?? {};
    expect(evaluator(parameters, [{ text }]).read('options.delimiter', 0)).toBe(delimiter);
  });

  it.each([
    ['email\nada@example.com', true],
    ['email\r\nada@example.com\r\n', true],
    ['email\n\n', false],
    ['', false],
  ])('finds out whether %j has rows', (text, expected) => {
    const { parameters = {} } = nodes.find(({ name }) => name === 'Are there rows?') ?? {};
    expect(evaluator(parameters, [{ text }]).read('conditions.conditions.0.leftValue', 0)).toBe(expected);
  });

  it('tells the person who uploaded a file, on the page and by email, where it could not be read', () => {
    for (const [name, output] of [
      ['Read the text', 1],
      ['Are there rows?', 1],
      ['Read the rows', 1],
    ] as const)
      expect(targetsOf(name, output)).toEqual(['Say what went wrong']);
    expect(targetsOf('Say what went wrong', 0)).toEqual(['Email what went wrong']);
    expect(targetsOf('Email what went wrong', 0)).toEqual(['Tell what went wrong']);
  });

  it('answers last, since a page pauses the execution', () => {
    const heights = targetsOf('Import in bulk', 0).map((name) => [
      nodes.find((node) => node.name === name)?.position[1] ?? 0,
      name,
    ]);
    // n8n runs the branches from the top to the bottom.
    expect(heights.toSorted(([a], [b]) => Number(a) - Number(b)).map(([, name]) => name)).toEqual([
      'Keep the refused rows',
      'Count the rows',
    ]);
    expect(targetsOf('Email the count', 0)).toEqual(['Answer with the counts']);
  });
});

describe('the table of sources', () => {
  const { nodes } = read('examples/workflows/weekly-sources.json');
  const parametersOf = (name: string) => nodes.find((node) => node.name === name)?.parameters ?? {};

  it('has a row for each item of the report, in which markup is text', async () => {
    for (let index = 0; index < 20; index++)
      await bench.run('subscription', 'create', {
        email: `reader${index}@example.com`,
        customFields: {},
        additionalFields: { utm_source: '<b>Küste & Co' },
      });
    const items = (await bench.run('subscription', 'reportSources', parametersOf('Report the sources'))).map(
      ({ json }): Readonly<Record<string, unknown>> => ({
        ...json,
        label: evaluator(parametersOf('Name the rows'), [json]).read('assignments.assignments.0.value', 0),
      }),
    );
    const email = evaluator(parametersOf('Email the table'), [{ sources: items }]);
    const html = String(email.read('html', 0));
    expect(html.match(/<tr>/g)).toHaveLength(items.length + 1);
    expect(html).toContain('<tr><td>&lt;b>Küste &amp; Co</td><td align="right">20</td><td align="right">');
    expect(html).toMatch(
      /<td>without a source<.td><td align="right">\d+<.td><td align="right">\d+ %<.td><td align="right">\d+ to \d+ %/,
    );
    const people = items.reduce((sum, { signed_up }) => sum + Number(signed_up), 0);
    expect(email.read('subject', 0)).toBe(`${people} people by source, and who is still there`);
  });
});

describe('raising a tier', () => {
  const { nodes, connections } = read('examples/workflows/raise-tier.json');
  const parametersOf = (name: string) => nodes.find((node) => node.name === name)?.parameters;

  it('changes nobody until the settings say so', () => {
    expect(parametersOf('Settings')).toMatchObject({
      assignments: { assignments: [{ name: 'raise', type: 'boolean', value: false }] },
    });
    const sources = Object.entries(connections).filter(([, { main }]) =>
      main.flat().some(({ node }) => node === 'Raise them'),
    );
    expect(sources).toEqual([['Raise them?', { main: [[expect.objectContaining({ node: 'Raise them' })]] }]]);
  });

  it('raises the first hundred subscriptions with one bulk update', async () => {
    const found = await bench.run('subscription', 'getMany', parametersOf('The first hundred'));
    expect(found).toHaveLength(100);
    const raised = await bench.run(
      'subscription',
      'bulkUpdate',
      { ...parametersOf('Raise them'), subscription: (index: number) => found[index]?.json['id'] },
      { items: found.map(({ json }) => json) },
    );
    expect(raised.map(({ json }) => json['job_status'])).toEqual(found.map(() => 'complete'));
    const [first] = await bench.run('subscription', 'get', {
      subscription: { mode: 'id', value: found[0]?.json['id'] },
    });
    expect(first?.json['subscription_tier']).toBe('premium');
  });
});
