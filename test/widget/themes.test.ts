/**
 * Themes after a bundler. Vite and Next.js lower `light-dark()` to two variables for older browsers, and set these only
 * beside a `color-scheme` that they see: without the default of the theme, no colour of it would be valid.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';

const folder = join(root, 'widget/themes');

async function bundled(file: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    root: folder,
    build: { write: false, rolldownOptions: { input: join(folder, file) } },
  });
  const [output] = Array.isArray(built) ? built : [built];
  if (!output || !('output' in output)) throw new Error('Vite built nothing.');
  const [css] = output.output.flatMap((part) => ('source' in part ? String(part.source) : []));
  return css ?? '';
}

it.each(globSync('*.css', { cwd: folder }))('%s keeps its colours where light-dark() is lowered', async (file) => {
  expect(readFileSync(join(folder, file), 'utf8')).toContain('light-dark(');
  const css = await bundled(file);
  expect(css).toContain('var(--lightningcss-dark,');
  expect(css).toMatch(/:where\(:root\)\s*\{\s*--lightningcss-dark:\s*;?\s*\}/);
});
