/** From a service's shapes to a certified client: probe --out, a sandbox with --shape, certify. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test as base } from '@newsletter-kit/sandbox/vitest';
import { expect } from 'vitest';
import { scratchFolder } from '../support/scratch-folder.ts';

/** A service that differs from the specification. */
const test = base.extend({
  sandboxOptions: {
    seed: 'demo',
    assumptions: { empty_texts: 'absent', extra_fields: 'some', deletion_times: 'seconds', last_cursor: 'absent' },
  },
});

const source = '--conditions=@newsletter-kit/source';
const commandOf = (room: string): string =>
  fileURLToPath(new URL(`../../packages/${room}/src/main.ts`, import.meta.url));

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [source, ...args], {
    env: { ...process.env, HOME: '/nonexistent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, output };
}

test('a client is certified in the shapes that a service answers', async ({ sandboxOnPort: { env } }) => {
  const shapes = join(scratchFolder(), 'shapes.json');
  const probed = await run([commandOf('cli'), 'probe', '--out', shapes], env);
  expect(probed.code, probed.output).toBe(0);
  expect(readFileSync(shapes, 'utf8')).not.toContain('@');

  const client = join(scratchFolder(), 'client.mjs');
  const core = fileURLToPath(new URL('../../packages/core/src/index.ts', import.meta.url));
  writeFileSync(
    client,
    `import { createClient } from ${JSON.stringify(core)};
    const { NEWSLETTER_API_URL: baseUrl, NEWSLETTER_API_KEY: token, NEWSLETTER_PUBLICATION_ID: publicationId } = process.env;
    const client = createClient({ baseUrl, token, publicationId });
    await client.subscriptions.create({ email: 'ada@example.com' });
    let [all, sourced, extra] = [0, 0, 0];
    for await (const subscription of client.subscriptions.list({ limit: 100 })) {
      all += 1;
      sourced += 'utm_source' in subscription ? 1 : 0;
      extra += 'external_ref' in subscription ? 1 : 0;
    }
    if (all !== 301 || sourced === 0 || sourced === all || extra !== all) throw new Error([all, sourced, extra].join());`,
  );
  const certified = await run([
    commandOf('sandbox'),
    '--shape',
    shapes,
    'certify',
    '--only',
    'created_status',
    '--only',
    'lost-response',
    '--',
    process.execPath,
    source,
    client,
  ]);
  expect(certified.output).toContain('Survived 3 of 3 scenarios.');
  expect(certified.code).toBe(0);
});
