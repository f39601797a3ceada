/**
 * The owner of a website was given the relay's address alone: a page of another origin has the snippet of the
 * documentation, takes form and script from the relay, and signs up.
 */
import { appendFileSync, cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { copyTag } from '../../packages/relay/scripts/tag.ts';
import { createLog } from '../../packages/relay/src/index.ts';
import { tagFiles } from '../../packages/relay/src/tag-files.ts';
import { runRelay, type RunningRelay } from '../../packages/relay/test/running-relay.ts';
import { root } from '../../scripts/root.ts';
import { blocks, page as documentation } from '../support/documentation.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { hosted, type Hosted } from './hosted.ts';
import { servers, session } from './servers-and-browser.ts';
import { addedByBuilder, complaintsOf, notice, subscribe } from './visitor.ts';

const address = 'https://signup.example.com';
const [snippet = ''] = blocks(documentation('website/tag'), 'html');
const [policy = ''] =
  documentation('website/csp').match(/(?<=^Content-Security-Policy: ).*signup\.example\.com.*$/m) ?? [];

const pageOf = (body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Letters</title><link rel="icon" href="data:,"><main>${body}</main></html>`;

const pages: Readonly<Record<string, { readonly body: (code: string) => string; readonly policy?: string }>> = {
  'a bare page': { body: (code) => code },
  'a page under the policy of the documentation': { body: (code) => code, policy: `${policy}; img-src data:` },
  'a page that a builder puts together': { body: addedByBuilder },
  'a page in German with a theme': {
    body: (code) =>
      `<link rel="stylesheet" href="${address}/themes/harbor.css"><script src="${address}/languages/de.js" async></script>${code.replace('<newsletter-signup', '$& lang="de" layout="card"')}`,
  },
};

let site: Hosted;
beforeAll(async () => {
  // The relay accepts only the origin of the demo site.
  await servers.stop('demo');
  site = await hosted(
    {
      fetch(request) {
        const { pathname, searchParams } = new URL(request.url);
        const page = pages[decodeURIComponent(pathname.slice(1))];
        const real = (text: string): string => text.replaceAll(address, searchParams.get('relay') ?? servers.relayUrl);
        const headers = new Headers({ 'content-type': 'text/html' });
        if (page?.policy) headers.set('content-security-policy', real(page.policy));
        return new Response(page ? pageOf(real(page.body(snippet))) : null, { status: page ? 200 : 404, headers });
      },
    },
    Number(new URL(servers.demoUrl).port),
  );
});
afterAll(() => site?.close());

describe.each(Object.keys(pages))('%s', (name) => {
  it('signs up with the address of the relay alone, and its parts are loaded once', async () => {
    const tab = await session.browser.newPage();
    const complaints = complaintsOf(tab);
    const loaded: { readonly url: URL; readonly isCached: boolean }[] = [];
    tab.on('response', (answer) => void loaded.push({ url: new URL(answer.url()), isCached: answer.fromCache() }));
    const where = `${site.origin}/${encodeURIComponent(name)}?utm_source=harbour`;
    const signUp = async (email: string): Promise<void> => {
      loaded.length = 0;
      await tab.goto(where);
      await tab.waitForSelector('newsletter-signup >>> [part~=button]', { visible: true });
      await subscribe(tab, { email });
      await notice(tab, 'success');
    };
    const email = `${name.replaceAll(/\W/g, '')}@example.com`;
    await signUp(email);
    await expect
      .poll(async () => (await servers.api.subscriptions.list({ email })).items)
      .toEqual([expect.objectContaining({ email, utm_source: 'harbour' })]);
    const others = loaded.filter(({ url }) => url.href !== where && url.protocol !== 'data:');
    expect(new Set(others.map(({ url }) => url.origin))).toEqual(new Set([servers.relayUrl]));
    const parts = () => loaded.filter(({ url }) => url.pathname.startsWith('/parts/'));
    expect(parts().map(({ url }) => url.pathname + url.search)).toEqual([
      expect.stringMatching(/^\/parts\/[0-9a-f]{16}\/signup\.js$/),
    ]);

    await signUp(`again-${email}`);
    expect(parts().map(({ isCached }) => isCached)).toEqual([true]);
    expect(complaints).toEqual([]);
  });
});

it('signs up on a page that was opened before the relay had another version of the form', async () => {
  const [widget, before, after, kept] = [scratchFolder(), scratchFolder(), scratchFolder(), scratchFolder()];
  for (const part of ['dist', 'themes']) cpSync(join(root, 'widget', part), join(widget, part), { recursive: true });
  copyTag(widget, before);
  for (const file of ['signup-form.js', 'signup.js'])
    appendFileSync(join(widget, 'dist', file), '\n// The next version.\n');
  copyTag(widget, after);
  const relayOf = (builtIn: string): RunningRelay => {
    const log = createLog({ level: 'warn' });
    return runRelay({ settings: { RELAY_ALLOWED_ORIGINS: site.origin }, tagFiles: tagFiles(log, kept, builtIn) });
  };
  let relay = relayOf(before);
  const server = await hosted({ fetch: (request) => relay.fetch(request) });
  onTestFinished(() => server.close());
  const tab = await session.browser.newPage();
  const parts: string[] = [];
  tab.on('response', (answer) => {
    const { pathname } = new URL(answer.url());
    if (pathname.startsWith('/parts/')) parts.push(`${answer.status()} ${pathname}`);
  });
  await tab.goto(`${site.origin}/${encodeURIComponent('a bare page')}?relay=${server.origin}`);
  await tab.waitForSelector('newsletter-signup >>> [part~=button]', { visible: true });
  relay = relayOf(after);
  expect(await (await fetch(`${server.origin}/signup-form.js`)).text()).toContain('The next version.');
  await subscribe(tab, { email: 'before@example.com' });
  await notice(tab, 'success');
  const [version] = readdirSync(join(before, 'parts'));
  expect(parts).toEqual([`200 /parts/${version}/signup.js`]);
});

it('keeps the parts beside the store, for pages that are open during an upgrade', () => {
  const [version = ''] = readdirSync(`${servers.relayFile}-tag/parts`);
  expect(readdirSync(`${servers.relayFile}-tag/parts/${version}`)).toContain('signup.js');
});

it('signs up where no script runs', async () => {
  const tab = await session.browser.newPage();
  await tab.setJavaScriptEnabled(false);
  await tab.goto(`${site.origin}/${encodeURIComponent('a bare page')}`);
  await tab.type('input[name=email]', 'plain@example.com');
  await Promise.all([tab.waitForNavigation(), tab.click('button')]);
  await expect
    .poll(async () => (await servers.api.subscriptions.list({ email: 'plain@example.com' })).items)
    .toHaveLength(1);
});
