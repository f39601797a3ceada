/** The pages of the documentation, and where their links lead. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { listFiles } from '../../scripts/git.ts';
import { root } from '../../scripts/root.ts';
import { zips } from '../../scripts/script-zip.ts';
import { readPage } from './page.ts';

/** Every README and every page of the documentation site, the root README first. */
export function documentationPages(): string[] {
  const isPage = (file: string) => /^(?:.*\/README\.md|docs\/src\/content\/docs\/.*\.mdx?)$/.test(file);
  return ['README.md', ...listFiles().filter(isPage)];
}

/** On npm and in n8n a link has to be whole; it still leads into this repository. */
export const repository =
  /^https:\/\/github\.com\/newsletter-kit\/newsletter-kit(?:\.git|\/(?:blob|tree)\/main)?(?=[/#]|$)/;

/** Pages that are generated: the build of the site checks the links to them. */
const generated = /^docs\/src\/content\/docs\/(?:operations|places|reference)\//;

/**
 * Whether a link leads to a file of the repository, and to a heading of it. An address of another site is judged by its
 * form alone: no test asks the network.
 */
export function leadsSomewhere(link: string, page: string): boolean {
  const own = repository.test(link);
  if (/^[a-z]+:/.test(link) && !own) return isWellFormed(new URL(link));
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

const content = join(root, 'docs/src/content/docs');
const site = 'https://newsletter-kit.github.io/newsletter-kit/';

/** Names that RFC 2606 reserves for examples. */
const placeholder = /(?:^|\.)(?:example(?:\.(?:com|net|org))?|test|invalid)$/;

/**
 * HTTPS to a host that exists outside of examples; plain HTTP on this machine alone. A page of our site exists, and a
 * package on npm is ours or one that we use.
 */
function isWellFormed({ protocol, hostname, pathname, href }: URL): boolean {
  if (protocol === 'mailto:') return true;
  if (['127.0.0.1', 'localhost'].includes(hostname)) return protocol === 'http:';
  if (protocol !== 'https:' || placeholder.test(hostname) || !hostname.includes('.')) return false;
  if (hostname === new URL(site).hostname) return isPageOfSite(href.replace(/#.*/, ''));
  const [, packageName] = (hostname === 'www.npmjs.com' && /^\/package\/(.+?)\/?$/.exec(pathname)) || [];
  return packageName === undefined || knownPackages().has(packageName);
}

/** @param address - such as `https://newsletter-kit.github.io/newsletter-kit/start/website/` */
function isPageOfSite(address: string): boolean {
  const built = ['llms.txt', ...Object.keys(zips).map((name) => `download/${name}`)];
  if (built.some((file) => address === site + file)) return true;
  if (!address.startsWith(site) || !address.endsWith('/')) return false;
  const path = address.slice(site.length, -1);
  const [, generatedName] = /^reference\/(.+)$/.exec(path) ?? [];
  if (generatedName !== undefined) {
    const sources = globSync('docs/reference/*.ts', { cwd: root });
    return sources.some((file) => readFileSync(join(root, file), 'utf8').includes(`name: '${generatedName}'`));
  }
  const page = join(content, path);
  const files = [`${page}.md`, `${page}.mdx`, join(page, 'index.md'), join(page, 'index.mdx')];
  return path === 'playground' || files.some((file) => existsSync(file));
}

/** The packages of this workspace and those that any of them uses. */
function knownPackages(): ReadonlySet<string> {
  const names = listFiles()
    .filter((file) => basename(file) === 'package.json')
    .map((file) => JSON.parse(readFileSync(join(root, file), 'utf8')) as Partial<Manifest>)
    .flatMap(({ name, dependencies, devDependencies }) => [
      name ?? [],
      ...Object.keys({ ...dependencies, ...devDependencies }),
    ]);
  return new Set(names.flat());
}

interface Manifest {
  readonly name: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
