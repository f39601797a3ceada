/** The guide of the n8n package matches the editor: labels and pictures. */
import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { loadBundle, type Bundle, type Property } from '../nodes/bundle.ts';
import { offered } from '../nodes/parameters.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const packageReadme = read('nodes/README.md');
const guide = read('docs/src/content/docs/start/n8n.md');
const crm = read('docs/src/content/docs/start/crm.md').replace(/^## In code$[\s\S]*/m, '');

/** What the editor of n8n 2.40 itself shows, as it stood on the pictures. */
const words = new Set([
  'Execute Once',
  'Settings',
  'Community nodes',
  'Install a community node',
  'npm Package Name',
  'Install',
  'Create credential',
  'Credentials',
  'Save',
  'Connect',
  'OAuth Redirect URL',
  'Client ID',
  'Add first step…',
  'Triggers',
  'Fetch Test Event',
  'Edit Fields (Set)',
  'Publish',
  'Published',
  'Got it',
  'Unpublish',
  'Add to workflow',
  'Expression',
  'Retry',
  'Webhook URLs',
  'Production URL',
  'Executions',
  'Execute workflow',
  'Google Sheets',
  // A custom field, in the sandbox's window.
  'First Name',
  'Microsoft Excel (OneDrive)',
  'Trigger manually',
  'Read/Write Files from Disk',
  'Read File(s) From Disk',
  'File(s) Selector',
  'Extract from File',
  'Extract from CSV',
  'Overview',
  'Data Table',
  'Data tables',
  'On Error',
  'Retry On Fail',
  'If',
  'Switch',
  'Continue',
  'Continue (using error output)',
  'AI Agent',
  'HTTP Request',
  'Merge',
  'Stop and Error',
  'Newsletter Tool',
  // What the nodes speak.
  'Newsletter Publishing API',
  // The credentials that `npm run n8n` brings.
  'Newsletter sandbox',
  'Newsletter sandbox (OAuth2)',
]);

let bundle: Bundle;
let shown: Set<string>;
beforeAll(async () => {
  bundle = await loadBundle();
  const { newsletter, trigger, credential, oAuth2 } = bundle;
  const load = createRequire(join(bundle.folder, 'loader.cjs'));
  const { NewsletterSignupTrigger } = load('./nodes/Newsletter/NewsletterSignupTrigger.node.js') as {
    NewsletterSignupTrigger: new () => Pick<Bundle['trigger'], 'description'>;
  };
  const signup = new NewsletterSignupTrigger().description;
  const sync = bundle.sync.description;
  const properties = [newsletter.description, trigger.description, signup, sync]
    .flatMap((node) => node.properties)
    .concat(credential.properties, oAuth2.properties);
  shown = new Set([
    ...[newsletter.description, trigger.description, signup, sync, credential, oAuth2].map((type) =>
      String(Reflect.get(type, 'displayName')),
    ),
    ...properties.flatMap(labels),
    ...offered(bundle).map(({ action }) => action),
    ...offered(bundle).map(
      ({ resource, operation }) => `${chosen('resource', resource)}: ${chosen('operation', operation)}`,
    ),
    // The outputs of each operation, in n8n's expression.
    ...[...String(Reflect.get(sync, 'outputs')).matchAll(/"displayName":"([^"]+)"/g)].map(([, name = '']) => name),
    ...['contact-sync-data-table', 'signup-form'].flatMap(namesIn),
  ]);
});

/** How the editor shows a choice of the node. */
function chosen(parameter: string, value: string): string {
  const found = bundle.newsletter.description.properties
    .filter(({ name }) => name === parameter)
    .flatMap(({ options = [] }) => options)
    .find((option) => option.value === value);
  return found?.name ?? '';
}

/** The names of an example workflow, of its nodes and of its data tables. */
function namesIn(example: string): string[] {
  const { name, nodes } = JSON.parse(readFileSync(join(root, `examples/workflows/${example}.json`), 'utf8')) as {
    readonly name: string;
    readonly nodes: readonly { readonly name: string; readonly parameters: object }[];
  };
  const tables = nodes.map(({ parameters }) => String(Reflect.get(parameters, 'tableName') ?? name));
  return [name, ...nodes.map((node) => node.name), ...tables];
}

function labels({ displayName, name, options = [], values = [], ...option }: Property): string[] {
  return [
    displayName ?? name,
    ...options.flatMap(labels),
    ...values.flatMap(labels),
    ...('action' in option ? [String(option.action)] : []),
  ];
}

describe('the guide', () => {
  it.each([
    ['automations', () => guide, 40],
    ['the contact sync', () => crm, 20],
    [
      'the README of the package and the page of its installation',
      () => packageReadme + read('docs/src/content/docs/n8n/usage.md'),
      10,
    ],
    ['the page of Newsletter', () => read('docs/src/content/docs/n8n/newsletter.md'), 30],
    ['the page of Newsletter Trigger', () => read('docs/src/content/docs/n8n/newsletter-trigger.md'), 20],
    ['the page of Newsletter Signup Trigger', () => read('docs/src/content/docs/n8n/signup-trigger.md'), 10],
    ['the page of Newsletter Sync', () => read('docs/src/content/docs/n8n/newsletter-sync.md'), 15],
  ])('every label exists in the editor: %s', (_, text, least) => {
    const named = [
      ...text()
        .replaceAll(/```[\s\S]*?```/g, '')
        .matchAll(/(?<!\*)\*([^*]+)\*(?!\*)/g),
    ].flatMap(([, text = '']) => text.replaceAll(/\s+/g, ' ').split(' → '));
    expect(named.length).toBeGreaterThan(least);
    expect(named.filter((name) => !words.has(name) && !shown.has(name))).toEqual([]);
  });

  it('shows pictures that exist and are small', () => {
    const pictures = [...(guide + crm).matchAll(/!\[([^\]]+)\]\(([^)]+\.png)\)/g)].map(([, , path = '']) =>
      join(root, 'docs/src/content/docs/start', path),
    );
    expect(pictures.length).toBeGreaterThan(9);
    for (const picture of pictures) {
      expect(readFileSync(picture).subarray(1, 4).toString(), picture).toBe('PNG');
      expect(statSync(picture).size, picture).toBeLessThan(150_000);
    }
  });

  it('documents the sandbox credential with the preset addresses', () => {
    expect(guide).toContain(String(bundle.credential.properties.find(({ name }) => name === 'baseUrl')?.default));
    expect(guide).toContain('`sandbox-key`');
  });
});
