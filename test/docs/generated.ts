/** Generates the list of the example workflows from their files, and the page of the benchmarks from its data. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../../scripts/root.ts';
import { committedReport, updatedFiles, type Report } from '../bench/report.ts';
import { page, pagePath, withSections } from '../support/documentation.ts';

/** Heading and file of each workflow, in the order of the page. */
export const listed = [...page('n8n/workflows').matchAll(/^## (.+)$(?=[^]*?^\[`([\w-]+\.json)`\])/gm)].map(
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

/** The text of each file, by its path from the root of the repository. */
export function generate(): Readonly<Record<string, string>> {
  const report = JSON.parse(readFileSync(join(root, committedReport.data), 'utf8')) as Report;
  return {
    ...withSections(pagePath('n8n/workflows'), { workflows: listed.map(describeWorkflow).join('\n\n') }),
    ...updatedFiles(report),
  };
}
