/** The checks of n8n's verification: its linter in strict mode, and both legs of its scanner. */
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packInto } from '../../scripts/n8n/pack.ts';
import { installTools, lintStrictly, scan, stageSources } from './verification.ts';

let packed: string;
let sources: Awaited<ReturnType<typeof stageSources>>;
beforeAll(async () => {
  await installTools();
  packed = await mkdtemp(join(tmpdir(), 'newsletter-n8n-scan-'));
  await packInto(packed);
  sources = await stageSources();
});
afterAll(async () => {
  await sources?.remove();
  await rm(packed, { recursive: true, force: true });
});

const passed = { code: 0, said: expect.not.stringMatching(/error|warning/i) };

describe('the verification of n8n', () => {
  it('finds no problem in the sources', async () => {
    expect(await scan(sources.folder, 'source')).toEqual(passed);
  });

  it('finds no problem in the published files', async () => {
    expect(await scan(packed, 'tarball')).toEqual(passed);
  });

  it('passes the linter in strict mode', async () => {
    const manifest = JSON.parse(await readFile(join(sources.folder, 'package.json'), 'utf8')) as {
      n8n: { strict?: boolean };
    };
    expect(manifest.n8n.strict).toBe(true);
    expect(await lintStrictly(sources.folder)).toEqual({ code: 0, said: expect.any(String) as string });
  });

  it('reports a forbidden global and other mistakes', async () => {
    const wrong = await stageSources();
    try {
      await appendFile(join(wrong.folder, 'nodes', 'Newsletter', 'Newsletter.node.ts'), 'console.log(process.env);\n');
      await writeFile(join(wrong.folder, 'timer.js'), 'setTimeout(() => globalThis, 1);\n');
      expect(await scan(wrong.folder, 'source')).toMatchObject({
        code: 1,
        said: expect.stringContaining('no-restricted-globals'),
      });
      expect(await scan(wrong.folder, 'tarball')).toMatchObject({
        code: 1,
        said: expect.stringContaining('setTimeout'),
      });
      expect((await lintStrictly(wrong.folder)).code).not.toBe(0);
    } finally {
      await wrong.remove();
    }
  });
});
