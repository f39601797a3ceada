/** The files that the table of places names. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { guides } from '../../examples/demo/page/places.ts';
import { root } from '../../scripts/root.ts';

const has = (path: string): boolean => existsSync(join(root, path));

it.each(guides)(
  '$name names a test that runs it, or the sources of what is assumed',
  ({ platform, run, sources = [] }) => {
    if (run) expect(readFileSync(join(root, run.test), 'utf8').toLowerCase()).toContain(platform);
    else expect(sources.length).toBeGreaterThan(0);
  },
);

it.each(guides)('$name has pictures where the form was seen', ({ platform, run, like, picture }) => {
  expect(like).toBe(has(`examples/pages/${platform}.html`) ? `${platform}.html` : undefined);
  for (const scheme of ['light', 'dark'])
    expect(has(`examples/pictures/${picture}-${scheme}.webp`)).toBe(Boolean(run ?? like));
});
