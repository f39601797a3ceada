/** The page of the documentation hands out the hash of a released script alone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeRelease, releaseOf } from '../../scripts/release.ts';
import { root } from '../../scripts/root.ts';
import { documentationPages } from '../docs/pages.ts';
import { page } from '../support/documentation.ts';

const released = { version: '1.2.3', hash: `sha384-${'Ab+/'.repeat(16)}` };
const pageWith = (text: string): string => `Before\n\n<!-- release -->\n\n${text}\n\n<!-- /release -->\n\nAfter\n`;

describe('the page on integrity', () => {
  it('names version and hash of a release', () => {
    expect(releaseOf(pageWith(describeRelease(released)))).toEqual(released);
  });

  it('names none where it tells how to get the hash of an own build', () => {
    expect(
      releaseOf(pageWith('```html\n<script src="https://cdn.example/a.js" integrity="sha384-…"></script>\n```')),
    ).toBe(undefined);
  });

  it('names either a release or widget/dist/integrity.json now', () => {
    const text = page('website/csp');
    expect(text).toMatch(/<!-- release -->\n\n[\s\S]+\n\n<!-- \/release -->/);
    if (!releaseOf(text)) expect(text).toContain('`widget/dist/integrity.json`');
  });
});

it('no page names the hash of a script, or its address in a version, besides the release', () => {
  const named = documentationPages().flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8').replace(/<!-- release -->[\s\S]*<!-- \/release -->/, '');
    return /@newsletter-kit\/signup@\d|sha384-[\w+/=]{64}/.test(text) ? [path] : [];
  });
  expect(named).toEqual([]);
});
