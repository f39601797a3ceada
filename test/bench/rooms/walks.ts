/**
 * The walks of a call, a signup and a poll: how many functions one warm act enters, in how many files, and how many
 * frames stand between who calls the client and the request that leaves. Counted by V8's precise coverage between the
 * first line of an act and its answer. What Node brings does not count; ky, Hono and the vendor's SDK do.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BeehiivClient } from '@beehiiv/sdk';
import { createClient } from '@newsletter-kit/core';
import { createLog, createRelay, openStore, readConfig } from '@newsletter-kit/relay';
import { type Figure, reportFigures } from '../figure.ts';

// The modules of n8n-workflow that Node can load by itself.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, specifier === 'n8n-workflow' ? { ...context, conditions: ['require'] } : context),
});
const { openTriggerWorld } = await import('../../nodes/triggerWorld.ts');

interface Walk {
  readonly files: number;
  readonly functions: number;
  readonly calls: number;
}

/** Something that is done the same way again and again. */
interface Act {
  /** What has to be there before, uncounted. */
  readonly prepare?: () => Promise<unknown>;
  readonly act: () => Promise<unknown>;
  /** Which files count, by their address. */
  readonly counts: (url: string) => boolean;
}

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

const isOurs = (url: string): boolean => url.startsWith('file:') && url !== import.meta.url;
const apiUrl = 'http://api.test/v2';
const publicationId = 'pub_00000000-0000-4000-8000-000000000001';

/** Counts what an act enters once it has been done five times. */
async function walk({ prepare, act, counts }: Act): Promise<Walk> {
  for (let time = 0; time < 5; time += 1) {
    await prepare?.();
    await act();
  }
  await prepare?.();
  await session.post('Profiler.takePreciseCoverage');
  await act();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const entered = result
    .filter(({ url }) => counts(url))
    .map(({ functions }) => functions.map(({ ranges: [range] }) => range?.count ?? 0).filter((count) => count > 0))
    .filter((calls) => calls.length > 0);
  if (entered.length === 0) throw new Error('No file that counts was entered.');
  const calls = entered.flat();
  return { files: entered.length, functions: calls.length, calls: calls.reduce((sum, count) => sum + count, 0) };
}

const told = ({ files, functions, calls }: Walk): string => `${functions} functions in ${files} files, ${calls} calls`;

Error.stackTraceLimit = 200;
let frames = Number.NaN;

/** Answers every request with a custom field, and counts the frames above this one. */
function answer(): Promise<Response> {
  const lines = new Error('here').stack?.split('\n') ?? [];
  frames = lines.filter((line) => line.includes('file://') && !line.includes(import.meta.url)).length;
  const data = { id: 'field_1', kind: 'string', display: 'City', created: 1_700_000_000 };
  return Promise.resolve(Response.json({ data }));
}

async function callWalk(): Promise<Readonly<Record<'call' | 'frames', Figure>>> {
  const client = createClient({ baseUrl: apiUrl, token: 'key', publicationId, fetch: answer });
  const ours = await walk({ act: () => client.customFields.get({ id: 'field_1' }), counts: isOurs });
  const ourFrames = frames;
  const sdk = new BeehiivClient({ baseUrl: apiUrl, token: 'key', fetch: answer });
  const theirs = await walk({ act: () => sdk.customFields.show('field_1', publicationId), counts: isOurs });
  const peer = '@beehiiv/sdk';
  return {
    call: {
      value: ours.functions,
      ratios: { [peer]: ours.functions / theirs.functions },
      detail: `${told(ours)}; ${peer} ${told(theirs)}`,
    },
    frames: {
      value: ourFrames,
      ratios: { [peer]: ourFrames / frames },
      detail: `between the line that calls and fetch; ${peer} ${frames}`,
    },
  };
}

async function signupWalk(): Promise<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-walk-'));
  const config = readConfig({
    RELAY_STORE: `sqlite:${join(folder, 'relay.db')}`,
    NEWSLETTER_API_URL: apiUrl,
    NEWSLETTER_API_KEY: 'key',
    NEWSLETTER_PUBLICATION_ID: publicationId,
    RELAY_ALLOWED_ORIGINS: 'https://shop.example',
  });
  // It is never started, so nothing is delivered beside the post.
  const relay = createRelay({ config, store: await openStore(config.store), log: createLog({ level: 'silent' }) });
  let people = 0;
  const act = async (): Promise<void> => {
    const body = JSON.stringify({ email: `visitor.${(people += 1)}@example.com`, utm_source: 'bench' });
    const headers = { 'Content-Type': 'application/json', Origin: 'https://shop.example' };
    const request = new Request('http://relay.test/signup', { method: 'POST', headers, body });
    const response = await relay.fetch(request, '192.0.2.1');
    if (response.status !== 202) throw new Error(`The relay answered ${response.status}: ${await response.text()}`);
  };
  const walked = await walk({ act, counts: isOurs });
  await relay.stop();
  rmSync(folder, { recursive: true });
  return { value: walked.functions, detail: `${told(walked)}, from the post to its 202` };
}

async function pollWalk(): Promise<Figure> {
  const world = await openTriggerWorld();
  let people = 0;
  await world.poll();
  const walked = await walk({
    prepare: () => {
      world.now += 60_000;
      return world.subscribe(`visitor.${(people += 1)}@example.com`);
    },
    act: async () => {
      const found = await world.poll();
      if (found?.length !== 1) throw new Error(`The poll found ${found?.length ?? 'no'} people instead of one.`);
    },
    counts: (url) => url.includes('/dist/nodes/'),
  });
  world.close();
  return { value: walked.functions, detail: `${told(walked)}: the bundle that n8n loads, with one new person` };
}

const figures = { ...(await callWalk()), signup: await signupWalk(), poll: await pollWalk() };
await session.post('Profiler.stopPreciseCoverage');
session.disconnect();
reportFigures(figures);
