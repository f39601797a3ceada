/** A custom field whose name differs from that of the service stays empty there, without a word to the visitor. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@newsletter-kit/core';
import { createSandbox } from '@newsletter-kit/sandbox';
import { expect, it } from 'vitest';
import { exampleSetups } from '../../examples/demo/page/examples.ts';
import { root } from '../../scripts/root.ts';
import { documentationPages } from './pages.ts';

/** A name in a tag, in a form-encoded post, in the list of a script or a shortcode, and in JSON. */
const names = [
  /<newsletter-field\s[^>]*?\bname="([^"]+)"/g,
  /data-newsletter-field[^>]*?\bdata-name="([^"]+)"/g,
  /custom_fields\[([^\]]+)\]/g,
  /\b(?:data-)?fields="([^"]+)"/g,
  /"name": ?"([^"]+)"/g,
];
const namesIn = (text: string): string[] =>
  names.flatMap((pattern) => [...text.matchAll(pattern)].flatMap(([, list = '']) => list.split(/, */)));

const paths = [
  ...documentationPages(),
  ...globSync('examples/{pages,site,demo/page}/*.html', { cwd: root }).toSorted(),
];

it('every field that is copied and that the sandbox has is written as there', async () => {
  const client = createClient({
    baseUrl: 'http://127.0.0.1/v2',
    token: 'sandbox-key',
    publicationId: 'pub_00000000-0000-4000-8000-000000000001',
    fetch: createSandbox({ seed: 'demo' }).fetch,
  });
  const display = new Map<string, string>();
  for await (const { display: name } of client.customFields.list()) if (name) display.set(name.toLowerCase(), name);
  const copied = [
    ...paths.flatMap((path) => namesIn(readFileSync(join(root, path), 'utf8')).map((name) => [path, name] as const)),
    ...exampleSetups.flatMap(({ title, setup }) => setup.fields.map(({ name = '' }) => [title, name] as const)),
  ];
  expect(copied.filter(([, name]) => display.get(name.toLowerCase()) === name).length).toBeGreaterThan(9);
  expect(copied.filter(([, name]) => (display.get(name.toLowerCase()) ?? name) !== name)).toEqual([]);
});
