/** The pages of the documentation, as they are committed, and where their links lead. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../../scripts/root.ts';
import { readPage } from './page.ts';

/** Every README and every page of the documentation site, the root README first. */
export function documentationPages(): string[] {
  const patterns = ['README.md', '**/README.md', 'docs/src/content/docs/**/*.md', 'docs/src/content/docs/**/*.mdx'];
  const globs = patterns.map((pattern) => `:(glob)${pattern}`);
  const files = execFileSync('git', ['ls-files', '--', ...globs], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n');
  const rest = files.filter((file) => file !== 'README.md' && existsSync(join(root, file)));
  return ['README.md', ...rest];
}

/** On npm and in n8n a link has to be whole; it still leads into this repository. */
export const repository =
  /^https:\/\/github\.com\/newsletter-kit\/newsletter-kit(?:\.git|\/(?:blob|tree)\/main)?(?=[/#]|$)/;

/** Pages that are generated: the build of the site checks the links to them. */
const generated = /^docs\/src\/content\/docs\/reference\//;

/**
 * Whether a link leads to a file of the repository, and to a heading of it. Links to other sites and to servers of this
 * machine count as good.
 */
export function leadsSomewhere(link: string, page: string): boolean {
  const own = repository.test(link);
  if (/^[a-z]+:/.test(link) && !own) return true;
  const [path = '', anchor] = decodeURI(link).replace(repository, '').split('#');
  if (own && ['/issues', '/security'].includes(path)) return true;
  const named = own ? path || 'README.md' : path && join(dirname(page), path);
  if (generated.test(named)) return true;
  const target = join(root, named || page);
  if (!existsSync(target)) return false;
  if (anchor === undefined) return true;
  const file = statSync(target).isDirectory() ? join(target, 'README.md') : target;
  return anchor === 'readme' || readPage(readFileSync(file, 'utf8')).anchors.has(anchor);
}
