/**
 * Sandbox, relay and Chromium, with a site of the test at the address of the demo site: the relay accepts only its
 * origin.
 */
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import sharp from 'sharp';
import { afterAll, beforeAll } from 'vitest';
import { root } from '../../scripts/root.ts';
import { hosted, type Hosted } from '../e2e/hosted.ts';
import { missingLetters } from '../e2e/missing-letters.ts';
import { startServers, type Servers } from '../e2e/start-servers.ts';
import { waitUntil } from '../support/waits.ts';
import { useBrowser, type UsedBrowser } from '../e2e/use-browser.ts';

interface Site {
  fetch(request: Request): Response | Promise<Response>;
}

type Subscription = Awaited<ReturnType<Servers['api']['subscriptions']['list']>>['items'][number];

export interface World {
  readonly servers: Servers;
  readonly session: UsedBrowser;
  readonly open: UsedBrowser['open'];
  /** The subscription of this address, once the relay has delivered it. */
  arrived(email: string): Promise<Subscription>;
}

/** Opens a world for the tests of a file. @param siteOf - the site, once the servers run */
export function setWorld(siteOf: (servers: Servers) => Promise<Site> | Site): () => World {
  const session = useBrowser();
  let world: World | undefined;
  let site: Hosted | undefined;
  beforeAll(async () => {
    const servers = await startServers();
    world = { servers, session, ...actionsOf(servers, session) };
    await servers.stop('demo');
    site = await hosted(await siteOf(servers), Number(new URL(servers.demoUrl).port));
  }, 300_000);
  afterAll(async () => {
    site?.close();
    await world?.servers.close();
  });
  return () => {
    if (!world) throw new Error('The world is not open yet.');
    return world;
  };
}

function actionsOf({ api, demoUrl }: Servers, session: UsedBrowser): Pick<World, 'open' | 'arrived'> {
  return {
    open: (path, options) => session.open(demoUrl + path, options),
    async arrived(email) {
      const found = async (): Promise<Subscription | null> =>
        (await api.subscriptions.list({ email, expand: ['custom_fields'] })).items[0] ?? null;
      return waitUntil(`the API has ${email}`, found, 60_000);
    },
  };
}

/** The widths of a page for its picture: the first in which the whole page is seen, so that little of it is empty. */
const widths = [400, 480, 560, 640, 720, 800];

/** Takes the picture of a page that the gallery or the documentation shows, without a transition in it. */
export async function takePicture(page: Page, name: string, scheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  for (const width of widths) {
    await page.setViewport({ width, height: width * 0.75, deviceScaleFactor: 2 });
    const scrolls = await page.$$eval(
      'html, newsletter-signup >>> dialog, newsletter-signup >>> dialog > *',
      (elements) => elements.some(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight),
    );
    if (!scrolls) break;
  }
  const missing = await missingLetters(page);
  if (missing !== '') throw new Error(`No font of this machine has the letters ${missing}: install one.`);
  await sharp(await page.screenshot())
    .resize(640, 480)
    .webp({ quality: 80 })
    .toFile(join(root, 'examples/pictures', `${name}-${scheme}.webp`));
}
