/** The core's README shows a login that works. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test } from '@newsletter-kit/sandbox/vitest';
import { expect, onTestFinished } from 'vitest';

const readme = readFileSync(new URL('../../packages/core/README.md', import.meta.url), 'utf8');
const [, snippet = ''] = /## Signing in with OAuth\n\n```ts\n([\s\S]*?)```/.exec(readme) ?? [];

test.override({ sandboxOptions: { seed: 'demo' } });

test('sign in, keep the tokens, call', async ({ sandboxOnPort: sandbox }) => {
  const folder = mkdtempSync(join(tmpdir(), 'oauth-readme-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // The sandbox plays the person; everything else stands in the README.
  const person = `import { consent } from '@newsletter-kit/sandbox';\nconst sendTo = (url: string) => consent(fetch, url);\n`;
  const code = person + snippet.replaceAll('http://127.0.0.1:4010', sandbox.address).replace('./private', folder);
  const args = ['--conditions=source', '--input-type=module-typescript', '--eval', code];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: fileURLToPath(new URL('..', import.meta.url)) });
  expect(stdout).toBe('10\n');
  expect(statSync(join(folder, 'tokens.json')).mode & 0o777).toBe(0o600);
});
