/** Sets up a site, a browser and an endpoint for the tests of a file. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { root } from '../../scripts/root.ts';
import { startEndpoint } from '../../widget/test/endpoint.ts';
import { openBrowser, type BrowserSession } from '../e2e/visitor.ts';
import { openSite, type Site } from './site.ts';

export interface Stage {
  /** Has a fake of Turnstile at `/turnstile.js`. */
  readonly site: Site;
  readonly session: BrowserSession;
  /** Origin of the endpoint. */
  readonly origin: string;
}

/** Starts them before the tests of a file, and stops them afterwards. @returns a function for use in a test */
export function setStage(): () => Stage {
  let stage: (Stage & { readonly end: () => Promise<unknown> }) | undefined;
  beforeAll(async () => {
    const [site, session, endpoint] = [await openSite(), await openBrowser(), await startEndpoint()];
    site.script('/turnstile.js', await readFile(join(root, 'widget/test/pages/turnstile.js'), 'utf8'));
    stage = {
      site,
      session,
      origin: endpoint.origin,
      end: () => Promise.all([session.close(), site.close(), endpoint.stop()]),
    };
  });
  afterEach(() => stage?.session.closePages());
  afterAll(() => stage?.end());
  return () => {
    if (!stage) throw new Error('The site is not started yet.');
    return stage;
  };
}
