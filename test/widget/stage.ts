/** Sets up a site, a browser and an endpoint for the tests of a file. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { root } from '../../scripts/root.ts';
import { startEndpoint } from '../../widget/test/endpoint.ts';
import { useBrowser, type UsedBrowser } from '../e2e/use-browser.ts';
import { openSite, type Site } from './site.ts';

export interface Stage {
  /** Has a fake of Turnstile at `/turnstile.js`. */
  readonly site: Site;
  readonly session: UsedBrowser;
  /** Origin of the endpoint. */
  readonly origin: string;
}

/** Starts them before the tests of a file, and stops them afterwards. @returns a function for use in a test */
export function setStage(): () => Stage {
  const session = useBrowser();
  let started: { readonly site: Site; readonly endpoint: Awaited<ReturnType<typeof startEndpoint>> } | undefined;
  beforeAll(async () => {
    started = { site: await openSite(), endpoint: await startEndpoint() };
    const turnstile = join(root, 'widget/test/pages/turnstile.js');
    started.site.script('/turnstile.js', await readFile(turnstile, 'utf8'));
  });
  afterAll(() => Promise.all([started?.site.close(), started?.endpoint.stop()]));
  return () => {
    if (!started) throw new Error('The site is not started yet.');
    return { site: started.site, session, origin: started.endpoint.origin };
  };
}
