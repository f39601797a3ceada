/** The table of the page about certify: every change of every field, for our client and the package of the service. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { page } from '../support/documentation.ts';

interface Reading {
  readonly outcome: string;
  readonly deviation?: { readonly operation: string };
}

const source = '--conditions=@newsletter-kit/source';
const sandbox = fileURLToPath(new URL('../../packages/sandbox/src/main.ts', import.meta.url));

/** The cells of a row: changes survived of those tried, by operation. */
async function certify(program: string): Promise<readonly string[]> {
  const path = fileURLToPath(new URL(`certified/${program}.mjs`, import.meta.url));
  const certifying = ['certify', '--json', '--only', 'deviation=*', '--', process.execPath, source, path];
  const child = spawn(process.execPath, [source, sandbox, ...certifying], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [json] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const { readings } = JSON.parse(json) as { readings: readonly Reading[] };
  return ['subscriptions.create', 'subscriptions.list'].map((operation) => {
    const tried = readings.filter(({ deviation }) => deviation?.operation === operation);
    return `${tried.filter(({ outcome }) => outcome === 'survived').length} of ${tried.length}`;
  });
}

/** Some 140 runs of the program each. */
test.each([
  ['newsletter-kit', '`@newsletter-kit/core`'],
  ['beehiiv-sdk', '`@beehiiv/sdk` 0.1.9'],
])(
  'the page has what a program with %s survives',
  async (program, name) => {
    const cells = await certify(program);
    expect(page('sandbox/certify')).toContain(`| ${name} | ${cells.join(' | ')} |`);
  },
  1_200_000,
);
