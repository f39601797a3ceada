/**
 * The list of the example workflows on their page, which is written from their files. `vitest run -u` of this file
 * writes it again.
 */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { page, pagePath } from '../support/documentation.ts';

/** Heading and file of each workflow, in the order of the page. */
const listed = [...page('n8n/workflows').matchAll(/^## (.+)$(?=[^]*?^\[`([\w-]+\.json)`\])/gm)].map(
  ([, heading = '', file = '']) => ({ heading, file }),
);

interface Workflow {
  readonly description: string;
  readonly nodes: readonly { readonly name: string }[];
}

function describeWorkflow({ heading, file }: (typeof listed)[number]): string {
  const path = `../../../../../examples/workflows/${file}`;
  const picture = `../../../../../.github/guide/workflows/${basename(file, '.json')}.png`;
  const { description, nodes } = JSON.parse(readFileSync(join(root, 'examples/workflows', file), 'utf8')) as Workflow;
  // The page says it once.
  const about = description.replace(/ It needs the community node .*$/, '');
  const toSetUp = nodes.flatMap(({ name }) => /^Set up: (.+)$/.exec(name)?.[1] ?? []);
  return `## ${heading}

${about}${toSetUp.length > 0 ? ` To set up: ${toSetUp.join(', ')}.` : ''}

[![The workflow on n8n's canvas](${picture})](${path})

[\`${file}\`](${path})`;
}

it('describes each workflow in the words of its file', async () => {
  expect(listed.length).toBe(19);
  const text = page('n8n/workflows');
  const region = /(?<=<!-- workflows -->\n\n)[^]*?(?=\n\n<!-- \/workflows -->)/;
  expect(text).toMatch(region);
  const written = text.replace(region, () => listed.map(describeWorkflow).join('\n\n'));
  await expect(written).toMatchFileSnapshot(join(root, pagePath('n8n/workflows')));
});
