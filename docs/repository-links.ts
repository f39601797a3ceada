/**
 * Turns the relative links of the pages, which work on GitHub, into addresses of the site. A link to a page becomes the
 * page's address; a link to another file or folder of the repository becomes its address on GitHub. A link without a
 * target fails the build.
 */
import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AstroIntegration } from 'astro';
import type { SatteriProcessorOptions } from '@astrojs/markdown-satteri';
import { base, content, pages, repository, root } from './site.ts';

type MarkdownPlugin = NonNullable<SatteriProcessorOptions['mdastPlugins']>[number];

/**
 * Resolves a link of a page.
 *
 * @param link As written: `../concepts/consent.md#withdrawal`.
 * @param page The file that contains it.
 * @throws Error if the link leads to nothing
 */
export function resolveLink(link: string, page: string): string {
  if (/^(?:[a-z][\w+.-]*:|\/|#|$)/i.test(link)) return link;
  const [path = '', anchor] = link.split('#');
  const target = join(dirname(page), decodeURI(path));
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const slug = slugOf(target);
  if (slug !== undefined) return `${base}/${slug}${hash}`;
  if (!existsSync(target) || relative(root, target).startsWith('..'))
    throw new Error(`${relative(root, page)} links to ${link}, which does not exist.`);
  const kind = statSync(target).isDirectory() ? 'tree' : 'blob';
  return `${repository}/${kind}/main/${relative(root, target).split(sep).join('/')}${hash}`;
}

/** The address of a page on the site, such as `concepts/consent/`; of a folder, that of its first page. */
function slugOf(target: string): string | undefined {
  const folder = [content, pages].find((each) => !relative(each, target).startsWith('..'));
  if (folder === undefined || !existsSync(target)) return undefined;
  if (statSync(target).isDirectory()) return slugOf(join(target, 'index.md'));
  const [, slug] = /^(.*)\.(?:mdx?|astro)$/.exec(relative(folder, target).split(sep).join('/')) ?? [];
  if (slug === undefined) return undefined;
  const page = slug.replace(/(^|\/)index$/, '');
  return page === '' ? '' : `${page}/`;
}

interface MarkdownNode {
  readonly url: string;
}

interface MarkdownContext {
  readonly fileURL: URL | undefined;
  setProperty(node: MarkdownNode, key: 'url', value: string): void;
}

/** Links without a target. Astro only logs the error of a plugin, and leaves the page out. */
const broken: string[] = [];

/** Fails the build if a link has no target. */
export const brokenLinks = {
  name: 'broken-links',
  hooks: {
    'astro:build:done': () => {
      if (broken.length > 0) throw new Error(broken.join('\n'));
    },
  },
} satisfies AstroIntegration;

function rewrite(node: MarkdownNode, context: MarkdownContext): void {
  if (!context.fileURL) throw new Error('A page without a file has no relative links.');
  let url: string;
  try {
    url = resolveLink(node.url, fileURLToPath(context.fileURL));
  } catch (error) {
    broken.push(String(error));
    throw error;
  }
  if (url !== node.url) context.setProperty(node, 'url', url);
}

/** The plugin of the Markdown processor. Pictures stay as they are: Astro copies and resizes them. */
export const repositoryLinks = {
  name: 'repository-links',
  link: rewrite,
  definition: rewrite,
} satisfies MarkdownPlugin;
