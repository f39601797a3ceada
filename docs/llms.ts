/** `llms.txt`: the pages for readers with their descriptions, for programs that read documentation. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { base, content } from './site.ts';

interface Frontmatter {
  readonly title: string;
  readonly description?: string;
  readonly pagefind?: boolean;
}

/** @param site - such as `https://newsletter-kit.github.io` */
export function llmsText(site: string): string {
  const pages = globSync('**/*.{md,mdx}', { cwd: content })
    .toSorted()
    .flatMap((file) => {
      const [, head = ''] = readFileSync(join(content, file), 'utf8').split('---\n');
      const { title, description = '', pagefind } = parse(head) as Frontmatter;
      if (pagefind === false) return [];
      const path = file
        .replaceAll('\\', '/')
        .replace(/(?:index)?\.mdx?$/, '/')
        .replace(/\/+$|^\/$/, '/');
      return `- [${title}](${site}${base}/${path === '/' ? '' : path}): ${description}`;
    });
  return `# Newsletter Kit

> A signup form for any website, a relay that stores signups and delivers them, nodes for n8n, a sync with contacts, a client and a sandbox,
> for newsletter services that speak the API of beehiiv, version 2. Built against the specification; never tried live. MIT licence.

## Pages

${pages.join('\n')}
`;
}
