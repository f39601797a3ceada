/** The documentation site as `npm run docs` builds and serves it, for the tests of a file, with a browser. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { base } from '../../docs/site.ts';
import { root } from '../../scripts/root.ts';
import { useBrowser, type UsedBrowser } from '../e2e/use-browser.ts';
import { starter, type Started } from '../scripts/starter.ts';
import { freePort } from '../support/free-ports.ts';

/** The folder of the built files. */
export const built = join(root, 'docs', 'dist');

export let session: UsedBrowser;
/** Such as `http://127.0.0.1:4321`. */
export let origin: string;
/** The HTML of each page by its path, such as `/newsletter-kit/start/website/`. */
export let pages: ReadonlyMap<string, string>;
/** The same of the old addresses, which lead to pages. */
export let moved: ReadonlyMap<string, string>;

let site: Started | undefined;

/** Builds the site and serves it while the tests of the calling file run. */
export function useBuiltSite(): void {
  session = useBrowser();
  beforeAll(async () => {
    const port = await freePort();
    // Vitest sets variables that Astro reads too, such as BASE_URL.
    const others = Object.keys(process.env).filter((name) => !['PATH', 'HOME'].includes(name));
    site = starter(['docs', '--port', String(port)], Object.fromEntries(others.map((name) => [name, undefined])));
    origin = `http://127.0.0.1:${port}`;
    await site.says(new RegExp(`:${port}${base}/`));
    const files = globSync('**/*.html', { cwd: built }).map((file) => {
      const path = `${base}/${file.replaceAll('\\', '/').replace(/(^|\/)index\.html$/, '$1')}`;
      return [path, readFileSync(join(built, file), 'utf8')] as const;
    });
    const leadsOn = ([, html]: readonly [string, string]): boolean => html.includes('http-equiv="refresh"');
    pages = new Map(files.filter((file) => !leadsOn(file)));
    moved = new Map(files.filter(leadsOn));
  }, 600_000);
  afterAll(async () => {
    site?.child.kill();
    await site?.ended;
  });
}
