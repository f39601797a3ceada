/**
 * Measures the costs of each form for its page: script, requests, cookies, fonts, movement and memory, on a processor
 * four times slower.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Page } from 'puppeteer-core';
import { startEndpoint } from '../../../widget/test/endpoint.ts';
import { openBrowser } from '../../e2e/visitor.ts';
import { openSite } from '../../widget/site.ts';
import { layouts, listAndDate, sentHtml, setupOf } from '../../widget/snippets.ts';
import { columnIn, fonts, roots, walk, watchShifts } from '../../widget/steady.ts';
import { median, reportFigures } from '../figure.ts';
import { codeOf, ghost, ours, peers, type Peer } from './peers.ts';

const slowdown = 4;
const rounds = 15;
/** How long after the load event a page is left to itself before it is measured, in milliseconds. */
const settling = 1500;

interface Cost {
  /**
   * Milliseconds of JavaScript on the slowed processor, in time of the thread's own: what slows it down counts, since
   * the browser lets the thread itself spin for that, and what other programs of the machine do meanwhile does not.
   */
  readonly script: number;
  /** The same by the clock on the wall. */
  readonly wall: number;
  /** Milliseconds of all work of the main thread, in its own time. */
  readonly work: number;
  /** Megabytes. */
  readonly heap: number;
}

interface Traces {
  readonly requests: number;
  readonly cookies: number;
  readonly fonts: number;
  readonly shift: number;
  readonly isThere: boolean;
}

/**
 * Serves a page for each peer, the scripts, and an empty page: its memory is subtracted, and it shows that the
 * measurement itself runs no script.
 */
async function serve(): Promise<{ server: Server; origin: string }> {
  const files = new Map<string, Buffer>();
  for (const peer of peers) files.set(`/${peer.name}.js`, await codeOf(peer));
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const file = files.get(path);
    if (file) return void response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(file);
    const peer = peers.find(({ name }) => path === `/${name}`);
    if (!peer && path !== '/empty') return void response.writeHead(204).end();
    const form =
      peer?.markup.replace('SCRIPT', `/${peer.name}.js`).replaceAll('SITE', `http://${request.headers.host}`) ?? '';
    response
      .writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
      .end(`<!doctype html><html lang="en"><title>Page</title><h1>News</h1>${form}<p>What comes after.</p></html>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/**
 * One visit with an empty browser profile. Every request to another host gets an empty page and never leaves this
 * machine.
 */
async function visit<Result>(measure: (context: BrowserContext, page: Page) => Promise<Result>): Promise<Result> {
  const context = await session.browser.createBrowserContext({
    proxyServer: `127.0.0.1:${nowhere}`,
    proxyBypassList: ['127.0.0.1'],
  });
  try {
    const page = await context.newPage();
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      const isOurs = !/^https?:/.test(request.url()) || request.url().startsWith(origin);
      (isOurs
        ? request.continue()
        : request.respond({ status: 200, contentType: 'text/html', body: '<!doctype html><title>Elsewhere</title>' })
      ).catch(() => {});
    });
    return await measure(context, page);
  } finally {
    await context.close();
  }
}

const metricsOf = (
  name: string,
  rate: number,
  timeDomain: 'timeTicks' | 'threadTicks',
): Promise<Readonly<Record<string, number>>> =>
  visit(async (_, page) => {
    const devtools = await page.createCDPSession();
    await devtools.send('Performance.enable', { timeDomain });
    await devtools.send('Emulation.setCPUThrottlingRate', { rate });
    await page.goto(`${origin}/${name}`, { waitUntil: 'load' });
    await sleep(settling);
    const before = (await devtools.send('Performance.getMetrics')).metrics;
    await devtools.send('HeapProfiler.collectGarbage');
    const after = (await devtools.send('Performance.getMetrics')).metrics.filter(
      ({ name: metric }) => metric === 'JSHeapUsedSize',
    );
    return Object.fromEntries([...before, ...after].map((metric) => [metric.name, metric.value]));
  });

async function costOf(name: string): Promise<Cost> {
  const own = await metricsOf(name, slowdown, 'threadTicks');
  const wall = await metricsOf(name, slowdown, 'timeTicks');
  const milliseconds = (seconds = Number.NaN): number => seconds * 1000;
  return {
    script: milliseconds(own['ScriptDuration']),
    wall: milliseconds(wall['ScriptDuration']),
    work: milliseconds(own['TaskDuration']),
    heap: (wall['JSHeapUsedSize'] ?? Number.NaN) / 1_000_000,
  };
}

const tracesOf = ({ name, isThere }: Peer): Promise<Traces> =>
  visit(async (context, page) => {
    let requests = -1;
    page.on(
      'request',
      (request) => (requests += request.url().endsWith('/favicon.ico') || !/^https?:/.test(request.url()) ? 0 : 1),
    );
    await page.evaluateOnNewDocument(
      `globalThis.shift = 0; new PerformanceObserver((list) => { for (const { value } of list.getEntries()) shift += value; }).observe({ type: 'layout-shift', buffered: true });`,
    );
    await page.goto(`${origin}/${name}`, { waitUntil: 'load' });
    await sleep(settling);
    return {
      requests,
      cookies: (await context.cookies()).length,
      fonts: (await page.evaluate('document.fonts.size')) as number,
      shift: (await page.evaluate('shift')) as number,
      isThere: (await page.evaluate(isThere)) as boolean,
    };
  });

/**
 * The layout shifts of our snippets, from the first paint without the script to the thanks: every layout, in each font
 * and root.
 *
 * @returns the largest sum of one page, and the number of pages
 */
async function shiftOfSnippets(): Promise<{ largest: number; pages: number }> {
  const [site, endpoint] = [await openSite(), await startEndpoint()];
  try {
    const page = await watchShifts(await session.browser.newPage());
    const shifts: number[] = [];
    for (const layout of layouts)
      for (const [width, fields] of [
        [360, listAndDate],
        [1280, []],
      ] as const)
        for (const font of fonts)
          for (const root of roots) {
            const values = { 'attribute.endpoint': `${endpoint.origin}/signup/shift-${shifts.length}/accepted` };
            const { shift } = await walk(page, site, await sentHtml(setupOf(layout, { fields, values })), {
              around: columnIn(font, root),
              width,
            });
            shifts.push(shift);
          }
    await page.close();
    return { largest: Math.max(...shifts), pages: shifts.length };
  } finally {
    await Promise.all([site.close(), endpoint.stop()]);
  }
}

const { server, origin } = await serve();
/** A port that refuses: what no interception catches ends there. */
const nowhere = 9;
const session = await openBrowser();
try {
  const names = [...peers.map(({ name }) => name), 'empty'];
  const costs = new Map(names.map((name) => [name, [] as Cost[]]));
  // One after the other in each round, so that what else the machine does meets all of them alike; the first round
  // warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const cost = await costOf(name);
      if (round > 0) costs.get(name)?.push(cost);
    }
  }
  const traces = new Map<Peer, Traces>();
  for (const peer of peers) traces.set(peer, await tracesOf(peer));
  const { largest, pages } = await shiftOfSnippets();
  const missing = [...traces].filter(([, { isThere }]) => !isThere).map(([{ name }]) => name);
  if (missing.length > 0) throw new Error(`${missing.join(' and ')} showed no form: there is nothing to compare.`);

  const middle = (name: string, of: keyof Cost): number => median((costs.get(name) ?? []).map((cost) => cost[of]));
  const over = (of: 'heap' | 'work') => (name: string) => middle(name, of) - middle('empty', of);
  const [heapOf, workOf] = [over('heap'), over('work')];
  const beside = (describe: (peer: Peer) => string): string =>
    peers.map((peer) => `${peer.name} ${describe(peer)}`).join(' · ');
  const trace = (of: 'requests' | 'cookies' | 'fonts') => ({
    value: traces.get(ours)?.[of] ?? Number.NaN,
    detail: beside((peer) => String(traces.get(peer)?.[of])),
  });
  reportFigures({
    script: {
      value: middle(ours.name, 'script') / middle(ghost.name, 'script'),
      detail: `${beside(({ name }) => `${middle(name, 'script').toFixed(1)} ms`)} of the thread’s own time; by the clock ${beside(({ name }) => `${middle(name, 'wall').toFixed(1)} ms`)}, a share of ${(middle(ours.name, 'wall') / middle(ghost.name, 'wall')).toFixed(3)}; an empty page ${middle('empty', 'script').toFixed(1)} ms; median of ${rounds}`,
    },
    work: {
      value: workOf(ours.name) / workOf(ghost.name),
      detail: `over an empty page, which has ${middle('empty', 'work').toFixed(0)} ms: ${beside(({ name }) => `${workOf(name).toFixed(0)} ms`)} of the thread’s own time; median of ${rounds}`,
    },
    heap: {
      value: heapOf(ours.name),
      ratios: { [ghost.name]: heapOf(ours.name) / heapOf(ghost.name) },
      detail: `over an empty page: ${beside(({ name }) => `${heapOf(name).toFixed(2)} MB`)}`,
    },
    requests: trace('requests'),
    cookies: trace('cookies'),
    fonts: trace('fonts'),
    shift: {
      value: largest,
      detail: `the largest of ${pages} pages: the playground’s snippet of each layout, with and without fields, in a serif, a sans and a monospace, on a root of 16 and of 10 px, from the first paint without the script to the thanks; until the form is there, in the space that their documents keep free: ${beside((peer) => String(traces.get(peer)?.shift))}`,
    },
  });
} finally {
  await session.close();
  server.close();
  server.closeAllConnections();
}
