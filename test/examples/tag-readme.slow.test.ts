/** Every snippet of the widget's README and pages runs in Chromium with the built files, and does what they say. */
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, type InlineConfig } from 'vite';
import { addWidgetFiles } from '../../examples/demo/files.ts';
import { root } from '../../scripts/root.ts';
import { buildIfStale } from '../../scripts/build.ts';
import { readmeAndPages } from '../support/documentation.ts';
import { hosted, type Hosted } from '../e2e/hosted.ts';
import { useBrowser, type Opened } from '../e2e/use-browser.ts';

interface Snippet {
  readonly language: string;
  readonly code: string;
}

/** The README repeats the first snippets of the pages: the same code is one snippet. */
const snippets: readonly Snippet[] = Array.from(
  readmeAndPages('widget/README.md', 'website').matchAll(/^( *)```(\w+)\n([\s\S]*?)^ *```$/gm),
  ([, indent = '', language = '', code = '']) => ({
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }),
).filter(
  ({ language, code }, place, all) =>
    // The newcomer's test runs the commands.
    language !== 'sh' && all.findIndex((other) => other.language === language && other.code === code) === place,
);

const session = useBrowser();
let site: Hosted;
let folder = '';
/** The page at `/`. */
let shown = '';
interface Post {
  readonly type: string;
  readonly key: string;
  readonly body: string;
}
const posts: Post[] = [];

beforeAll(async () => {
  await buildIfStale('widget');
  folder = await mkdtemp(join(root, 'examples/node_modules/.readme-'));
  const pages = new Hono();
  pages.get('/', (context) => context.html(shown));
  for (const path of ['/favicon.ico', '/lighthouse.jpg']) pages.get(path, (context) => context.body(null, 204));
  pages.post('/signup', async (context) => {
    posts.push({
      type: context.req.header('content-type') ?? '',
      key: context.req.header('idempotency-key') ?? '',
      body: await context.req.text(),
    });
    return context.json({ status: 'accepted' }, 202);
  });
  pages.use('/built/*', serveStatic({ root: folder, rewriteRequestPath: (path) => path.replace('/built', '') }));
  addWidgetFiles(pages, '');
  site = await hosted(pages);
});
afterAll(async () => {
  site?.close();
  await rm(folder, { recursive: true, force: true });
});

/**
 * Opens a page with this body and a campaign in its address; `before` runs before any script of the
 * page.
 */
function open(body: string, { before = '', javaScript = true } = {}): Promise<Opened> {
  shown = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>README</title></head><body>${body.replaceAll(/https:\/\/(?:relay\.example|signup\.example\.com)/g, site.origin)}</body></html>`;
  posts.length = 0;
  return session.open(`${site.origin}/?utm_source=exchange`, {
    javaScript,
    before: `if (location.protocol !== 'about:') { localStorage.clear(); ${before} }`,
  });
}

/** Selects in the form in use: that of the element, or the page's own. */
const inTag = (selector: string): string =>
  `newsletter-signup >>> ${selector}, newsletter-signup ${selector}:not([slot=fallback] *)`;

/** Opens the form if it is in a dialog, fills in the required fields, sends it, and returns the received body. */
async function signUp(page: Page): Promise<Record<string, unknown>> {
  const email = await page.waitForSelector(inTag('input[name=email]'));
  await page.$$eval('[slot=trigger]', ([trigger]) => trigger instanceof HTMLElement && trigger.click());
  await email?.type('ada+news@example.com');
  for (const input of await page.$$(inTag('input[required]:not([name=email])'))) {
    if (await input.evaluate((control) => control instanceof HTMLInputElement && control.type === 'checkbox'))
      await input.evaluate((control) => (control as HTMLInputElement).click());
    else await input.type('Ada');
  }
  await page.$eval('newsletter-signup', (form) => (form as HTMLElement & { submit: () => void }).submit());
  await page.waitForSelector('newsletter-signup:state(success)');
  expect(posts).toHaveLength(1);
  return JSON.parse(posts[0]?.body ?? '') as Record<string, unknown>;
}

const script = '<script src="/signup-form.js" async></script>';
const tag = '<newsletter-signup endpoint="https://relay.example/signup"></newsletter-signup>';
const remembered = (page: Page): Promise<string> => page.evaluate(() => JSON.stringify(localStorage));

/** Builds a page around these files and opens it. */
async function openBuilt(
  files: Readonly<Record<string, string>>,
  plugins: InlineConfig['plugins'] = [],
): Promise<Opened> {
  const name = `page-${Object.keys(files).length}-${Date.now()}`;
  const source = await mkdtemp(join(folder, 'source-'));
  for (const [file, content] of Object.entries(files))
    await writeFile(join(source, file), content.replaceAll('https://relay.example', site.origin));
  await writeFile(
    join(source, 'index.html'),
    `<!doctype html><html lang="en"><head><title>README</title></head><body><div id="app"></div><script type="module" src="./main.tsx"></script></body></html>`,
  );
  await build({
    plugins,
    configFile: false,
    root: source,
    base: `/built/${name}/`,
    logLevel: 'warn',
    build: { outDir: join(folder, name), emptyOutDir: true },
  });
  return open(await readFile(join(folder, name, 'index.html'), 'utf8'));
}

interface Check {
  readonly language: string;
  /** Text that only this snippet of its language contains. */
  readonly has: string;
  readonly does: string;
  readonly run: (code: string) => Promise<void>;
}

const styled = `${tag.replace('></', '><h2 slot="head">Letters</h2></')}`;
const row =
  '<newsletter-signup><form action="/signup" style="display: flex"><input name="email" aria-label="Email address"><button>Subscribe</button></form></newsletter-signup>';

/**
 * A check of a snippet with styles: with it a page looks otherwise than without.
 *
 * @param act - makes visible what it styles
 */
function looks(
  language: 'css' | 'html',
  has: string,
  body = styled,
  act: (page: Page) => Promise<unknown> = () => Promise.resolve(),
): Check {
  return {
    language,
    has,
    does: 'changes the looks',
    async run(code) {
      const pictures: string[] = [];
      for (const style of ['', language === 'css' ? `<style>${code}</style>` : code]) {
        const { page, complaints } = await open(script + style + body);
        await page.waitForSelector(inTag('button'));
        await act(page);
        // A blinking caret is no difference.
        await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
        pictures.push(await page.screenshot({ encoding: 'base64' }));
        expect(complaints).toEqual([]);
      }
      expect(pictures[1]).not.toBe(pictures[0]);
    },
  };
}

/** A stand-in for a consent platform, with the part of its published interface that the snippet uses. */
interface Banner {
  /** Text that only its snippet contains. */
  readonly has: string;
  /**
   * The code of the platform: `known` is the answer of a visitor who returns, undefined for a new one; it defines
   * `choose(agreed)`, a click of the visitor.
   */
  readonly code: string;
  /** Whether the snippet needs the platform before it. */
  readonly isFirst?: boolean;
}

const banners: readonly Banner[] = [
  {
    has: 'CookiebotOnAccept',
    code: `window.Cookiebot = { consent: { necessary: true, statistics: true, marketing: false }, hasResponse: false };
      window.choose = (agreed) => {
        Cookiebot.hasResponse = true;
        Cookiebot.consent.marketing = agreed;
        dispatchEvent(new Event(agreed ? 'CookiebotOnAccept' : 'CookiebotOnDecline'));
      };
      if (known !== undefined) choose(known);`,
  },
  {
    has: 'OneTrustGroupsUpdated',
    // Where visitors have to opt out, all groups are active before the answer.
    code: `let isClosed = known !== undefined;
      window.OneTrust = { IsAlertBoxClosed: () => isClosed };
      const update = (agreed) => {
        const groups = agreed ? ['C0001', 'C0004'] : ['C0001'];
        window.OnetrustActiveGroups = ',' + groups.join() + ',';
        dispatchEvent(new CustomEvent('OneTrustGroupsUpdated', { detail: groups }));
      };
      window.choose = (agreed) => {
        isClosed = true;
        update(agreed);
      };
      update(known ?? true);`,
  },
  {
    has: '__tcfapi',
    isFirst: true,
    code: `const listeners = [];
      let data = { eventStatus: known === undefined ? 'cmpuishown' : 'tcloaded', purpose: { consents: { 1: known ?? false } } };
      window.__tcfapi = (command, version, listener) => {
        if (command !== 'addEventListener' || version !== 2) return listener(null, false);
        listeners.push(listener);
        listener(data, true);
      };
      window.choose = (agreed) => {
        data = { eventStatus: 'useractioncomplete', purpose: { consents: { 1: agreed } } };
        for (const listener of listeners) listener(data, true);
      };`,
  },
  {
    has: 'gtag(',
    code: `window.dataLayer = [];
      window.gtag = function () { dataLayer.push(arguments); };
      window.choose = (agreed) => onChoice(agreed ? 'granted' : 'denied');
      if (known !== undefined) addEventListener('DOMContentLoaded', () => choose(known));`,
  },
];

/** A check of a consent platform's snippet, in any order of platform, snippet and script. */
function bridge({ has, code: platform, isFirst = false }: Banner): Check {
  return {
    language: 'js',
    has,
    does: 'passes consent and its refusal to the script, in any order, also of a visitor who returns',
    async run(snippet) {
      const old = `localStorage.setItem('newsletter-signup-1', 't:${Date.now() - 1000}?utm_source=earlier')`;
      const load = '<script src="/signup-form.js"></script>';
      const tell = `<script>${snippet}</script>`;
      for (const known of [undefined, true, false]) {
        const banner = `<script>(() => { const known = ${known}; ${platform} })()</script>`;
        const orders = [
          [banner, tell, load],
          [load, banner, tell],
          [banner, load, tell],
        ];
        if (!isFirst) orders.push([tell, banner, load], [load, tell, banner], [tell, load, banner]);
        for (const order of orders) {
          const { page, complaints } = await open(order.join('') + tag, { before: known === undefined ? '' : old });
          await page.waitForSelector(inTag('button'));
          if (known === undefined) expect(await remembered(page)).toBe('{}');
          else if (known) await expect.poll(() => remembered(page)).toMatch(/earlier.*exchange/);
          else expect(await remembered(page)).toBe('{}');
          await page.evaluate('choose(true)');
          await expect.poll(() => remembered(page)).toContain('exchange');
          await page.evaluate('choose(false)');
          expect(await remembered(page)).toBe('{}');
          expect(complaints).toEqual([]);
          await page.close();
        }
      }
    },
  };
}

/** A check of a component: it renders the form and its field, and logs the event. */
function component(
  language: string,
  files: (code: string) => Readonly<Record<string, string>>,
  plugins: () => Promise<InlineConfig['plugins']>,
): Check {
  return {
    language,
    has: '<newsletter-signup',
    does: 'is a component that works',
    async run(code) {
      const { page, complaints } = await openBuilt(files(code), await plugins());
      const said = new Promise((resolve) =>
        page.on('console', (message) => message.text().includes('Signed up') && resolve(message.text())),
      );
      await page.waitForSelector(inTag('input[type=checkbox]'));
      expect(await signUp(page)).toMatchObject({ utm_source: 'exchange' });
      expect(await said).toContain('Signed up');
      expect(complaints).toEqual([]);
    },
  };
}

const checks: readonly Check[] = [
  {
    language: 'html',
    has: 'I have read the privacy notice</label>',
    does: 'is a form that works with and without JavaScript',
    async run(code) {
      const { page } = await open(code);
      expect(await signUp(page)).toMatchObject({ consent: 'I have read the privacy notice', utm_source: 'exchange' });
      const { page: plain } = await open(code, { javaScript: false });
      await plain.type('input[name=email]', 'ada@example.com');
      for (const box of await plain.$$('input[type=checkbox]')) await box.click();
      await Promise.all([plain.waitForNavigation(), plain.click('button')]);
      expect([...new URLSearchParams(posts[0]?.body)]).toEqual([
        ['email', 'ada@example.com'],
        ['custom_fields[First Name]', ''],
        ['custom_fields[Topics][]', 'AI'],
        ['custom_fields[Topics][]', 'Design'],
        ['consent', 'on'],
      ]);
    },
  },
  ...['signup-landing.js" async', 'data-cookie-domain'].map((has): Check => ({
    language: 'html',
    has,
    does: 'stores the visit of a page without a form',
    async run(code) {
      const { page, complaints } = await open(code.replaceAll('example.com', '127.0.0.1'));
      await page.evaluate(`newsletterConsent.push('granted')`);
      await expect.poll(() => page.evaluate('JSON.stringify(localStorage) + document.cookie')).toContain('exchange');
      await page.evaluate(`newsletterConsent.push('denied')`);
      await expect.poll(() => page.evaluate('JSON.stringify(localStorage) + document.cookie')).toBe('{}');
      expect(complaints).toEqual([]);
    },
  })),
  {
    language: 'js',
    has: 'messages = {',
    does: 'sets any text, before the script has come',
    async run(code) {
      const { page } = await open(`${tag}<script>${code}</script>${script}`);
      await page.waitForSelector(inTag('button'));
      await page.click(inTag('button'));
      await page.waitForSelector(inTag('[part=problem]'));
      expect(await page.$eval(inTag('[part=problem]'), ({ textContent }) => textContent)).toMatch(/^Skriv/);
    },
  },
  looks('css', "@import url('/themes/"),
  looks('html', 'rebeccapurple'),
  looks('html', '::part(head)'),
  looks('css', "[part='problem']", row, async (page) => {
    await page.click('button');
    await page.waitForSelector('[part=problem]');
  }),
  {
    language: 'html',
    has: 'integrity="sha384-',
    does: 'runs that very file or none',
    async run(code) {
      const content = await readFile(join(root, 'widget/dist/signup-form.js'));
      const pinned = (hash: string): string =>
        code.replace(/https:\/\/cdn\.[^"]*/, '/signup-form.js').replace(/sha384-[^"]*/, `sha384-${hash}`) + tag;
      const { page } = await open(pinned(createHash('sha384').update(content).digest('base64')));
      await signUp(page);
      const { page: other, complaints } = await open(
        pinned(createHash('sha384').update('another file').digest('base64')),
      );
      expect(await other.evaluate(() => customElements.get('newsletter-signup') === undefined)).toBe(true);
      expect(complaints.join()).toContain('integrity');
    },
  },
  {
    language: 'json',
    has: 'html.customData',
    does: 'names files that the package has',
    async run(code) {
      const settings = JSON.parse(code) as Readonly<Record<string, readonly string[]>>;
      for (const path of Object.values(settings).flat()) {
        const data = JSON.parse(
          await readFile(join(root, path.replace('./node_modules/@newsletter-kit/signup', 'widget')), 'utf8'),
        ) as { readonly version: number };
        expect(data.version).toBeGreaterThan(1);
      }
    },
  },
  {
    language: 'js',
    has: 'signup/define',
    does: 'registers the tag in a bundle',
    async run(code) {
      const { page, complaints } = await openBuilt({
        'main.tsx': `${code}; document.body.insertAdjacentHTML('beforeend', '${tag}');`,
      });
      await signUp(page);
      expect(complaints).toEqual([]);
    },
  },
  ...banners.map(bridge),
  {
    language: 'js',
    has: "push('granted')",
    does: 'grants the consent before the script and after it',
    async run(code) {
      for (const body of [
        `<script>${code}</script>${script}${tag}`,
        `${script.replace(' async', '')}<script>${code}</script>${tag}`,
      ]) {
        const { page } = await open(body);
        await expect.poll(() => remembered(page)).toContain('exchange');
      }
    },
  },
  component(
    'tsx',
    (code) => ({
      'SignupForm.tsx': code,
      'main.tsx': `import { createRoot } from 'react-dom/client'; import { createElement } from 'react'; import { SignupForm } from './SignupForm.tsx'; createRoot(document.getElementById('app')!).render(createElement(SignupForm));`,
    }),
    async () => [],
  ),
  component(
    'vue',
    (code) => ({
      'SignupForm.vue': code,
      'main.tsx': `import { createApp } from 'vue'; import SignupForm from './SignupForm.vue'; createApp(SignupForm).mount('#app');`,
    }),
    async () => [
      (await import('@vitejs/plugin-vue')).default({
        template: { compilerOptions: { isCustomElement: (name: string) => name.startsWith('newsletter-') } },
      }),
    ],
  ),
  component(
    'svelte',
    (code) => ({
      'SignupForm.svelte': code,
      'main.tsx': `import { mount } from 'svelte'; import SignupForm from './SignupForm.svelte'; mount(SignupForm, { target: document.getElementById('app')! });`,
    }),
    async () => [(await import('@sveltejs/vite-plugin-svelte')).svelte({ configFile: false })],
  ),
  {
    language: 'http',
    has: 'POST /signup',
    does: 'is what the endpoint receives',
    async run(code) {
      const { page } = await open(
        `${script}<newsletter-signup endpoint="/signup" utm-source="blog"><newsletter-field name="First Name" required></newsletter-field></newsletter-signup>`,
      );
      const documented = JSON.parse(code.slice(code.indexOf('{'))) as { readonly audit: object };
      // The page of the test has another address.
      const audit = { ...documented.audit, page: `${site.origin}/` };
      expect(await signUp(page)).toEqual({ ...documented, audit });
      expect(posts[0]?.type).toBe('application/json');
      expect(posts[0]?.key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    },
  },
];

/** Snippets with tests elsewhere: policies, `ask`, analytics, a listener, the shortcode, the style sheet. */
const elsewhere = [
  /^Content-Security-Policy:/,
  /"ask":/,
  /window\.(dataLayer|plausible|_paq)\b/,
  /addEventListener\('newsletter-success'/,
  /^\[newsletter_kit /,
  /^<link rel="stylesheet" href="[^"]*\/signup-form\.css">\n$/,
];

const isFoundBy = ({ language, has }: Check, snippet: Snippet): boolean =>
  snippet.language === language && snippet.code.includes(has);
const others = snippets.filter(
  (snippet) =>
    !elsewhere.some((pattern) => pattern.test(snippet.code)) && !checks.some((each) => isFoundBy(each, snippet)),
);

describe('the documentation of the tag', () => {
  it('has a check for every snippet that is no form, and a snippet for every check', () => {
    expect(others.filter(({ language }) => language !== 'html')).toEqual([]);
    expect(
      checks
        .filter((check) => snippets.filter((snippet) => isFoundBy(check, snippet)).length !== 1)
        .map(({ has }) => has),
    ).toEqual([]);
  });

  it.each(others)('signs up with the campaign of the page or its own: $code', async ({ code }) => {
    const { page, complaints } = await open(/signup-form(-complete)?\.js/.test(code) ? code : script + code);
    const [, source = 'exchange'] = /utm-source="([^"]+)"/.exec(code) ?? [];
    expect(await signUp(page)).toMatchObject({ email: 'ada+news@example.com', utm_source: source });
    expect(complaints).toEqual([]);
  });

  it.each(checks)('$language: $has … $does', async (check) => {
    await check.run(snippets.find((snippet) => isFoundBy(check, snippet))?.code ?? '');
  });
});
