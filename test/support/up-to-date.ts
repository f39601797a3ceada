/** Compares generated files with those of the repository. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { GeneratedFiles } from '../../scripts/generate.ts';
import { root } from '../../scripts/root.ts';

export function expectUpToDate(files: GeneratedFiles): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, path);
    expect(existsSync(file) ? readFileSync(file, 'utf8') : null, `${path}: run "npm run generate"`).toBe(text);
  }
}
