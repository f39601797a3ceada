/**
 * A form that the server rendered: it works without a script, and the script hydrates it with the visitor's values.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { createLog, createRelay, everySignup, openStore, readConfig, type SignupStore } from '@newsletter-kit/relay';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enginesToTest } from '../support/browsers/engines.ts';
import { buildIfStale } from '../../scripts/build.ts';
import type * as Server from '../../widget/src/server.ts';
import { startEndpoint } from '../../widget/test/endpoint.ts';
import { hosted, type Hosted } from '../e2e/hosted.ts';
import { bundle, openSite, type Page, type Site } from './site.ts';
import { windows, type Window } from './window.ts';

await buildIfStale('widget');
// Server and browser need the same build: sources and built files differ in the white space of their templates.
const built = '../../widget/dist/server.js';
const { renderSignup }: typeof Server = await import(built);
await import('../../widget/dist/languages/de.js' as string);

const fields = [
  { name: 'First name', required: true },
  { name: 'Topics', kind: 'list', options: 'AI, Design' },
  { name: 'Terms', kind: 'consent', label: 'I agree to the [terms].', href: '/terms', required: true },
] as const;

let site: Site;
let endpoint: Awaited<ReturnType<typeof startEndpoint>>;
let count = 0;
beforeAll(async () => {
  [site, endpoint] = [await openSite(), await startEndpoint()];
  site.script('/hydrate.js', await bundle(`import '@newsletter-kit/signup/hydrate';`));
  site.script(
    '/hydrate-german.js',
    await bundle(`import '@newsletter-kit/signup/languages/de'; import '@newsletter-kit/signup/hydrate';`),
  );
});
afterAll(async () => {
  await Promise.all([site?.close(), endpoint?.stop()]);
});

const around = (body: string, head = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>${head}</head><body>${body}</body></html>`;

function page(html: Page['html']): {
  address: string;
  mailbox: string;
  received(): Promise<{ body: string; headers: Record<string, string> }[]>;
} {
  const box = `hydration-${(count += 1)}`;
  return {
    address: site.page(`/${box}`, { html }),
    mailbox: box,
    received: () => fetch(`${endpoint.origin}/received/${box}`).then((response) => response.json()),
  };
}

/** The endpoint of the next page's form. */
const nextEndpoint = (): string => `${endpoint.origin}/signup/hydration-${count + 1}/accepted`;

/** Expressions in the page. */
const form = `document.querySelector('newsletter-signup')`;
const inForm = (selector: string): string => `${form}.shadowRoot.querySelector('${selector}')`;
const failures = `<script>globalThis.failures = []; addEventListener('error', ({ message }) => failures.push(message)); addEventListener('unhandledrejection', ({ reason }) => failures.push(String(reason)));</script>`;

describe.each(enginesToTest())('a form from the server in $title', ({ name }) => {
  let window: Window;
  beforeAll(async () => {
    window = await windows[name]();
  });
  afterAll(() => window?.close());

  /** Waits until a form is hydrated: the script has disabled the browser's validation. */
  const isHeld = (held = inForm('form')): Promise<void> =>
    expect.poll(() => window.ask(`${held}?.noValidate`)).toBe(true);
  const hydrate = async (held?: string, script = '/hydrate.js'): Promise<void> => {
    await window.ask(
      `void document.head.append(Object.assign(document.createElement('script'), { type: 'module', src: '${script}' }))`,
    );
    await isHeld(held);
  };

  describe('without any script', () => {
    let relay: Hosted;
    let store: SignupStore;
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'newsletter-hydration-'));
      const config = readConfig({
        NEWSLETTER_API_URL: 'http://127.0.0.1:9/v2',
        NEWSLETTER_API_KEY: 'sandbox-key',
        NEWSLETTER_PUBLICATION_ID: 'pub_00000000-0000-4000-8000-000000000001',
        RELAY_ALLOWED_ORIGINS: site.origin,
        RELAY_STORE: `sqlite:${join(folder, 'relay.db')}`,
      });
      store = await openStore(config.store);
      const { fetch } = createRelay({ config, store, log: createLog({ level: 'silent', secrets: [] }) });
      relay = await hosted({ fetch });
    });
    afterAll(async () => {
      relay?.close();
      await store?.close();
      await rm(folder, { recursive: true, force: true });
    });

    it('is visible, labelled and validated, and the relay accepts its post', async () => {
      await window.open(
        page(around(renderSignup({ endpoint: `${relay.origin}/signup`, 'utm-source': 'blog' }, { fields }))).address,
      );
      expect(
        await window.ask(`${inForm('#email')}.checkVisibility() && ${inForm('#email')}.labels[0].textContent.trim()`),
      ).toBe('Email address');
      await window.ask(`void (${inForm('#email')}.value = 'ada@example.com')`);
      await window.ask(`void ${inForm('[name="custom_fields[Topics][]"][value=Design]')}.click()`);
      await window.ask(`void ${inForm('button')}.click()`);
      // The browser's own validation prevents sending until every required value is set.
      expect(await window.ask(`${inForm(':invalid:not(form, fieldset)')}.name`)).toBe('custom_fields[First name]');
      await window.ask(`void (${inForm('[name="custom_fields[First name]"]')}.value = 'Ada')`);
      await window.ask(`void ${inForm('[name=consent]')}.click()`);
      await window.ask(`void ${inForm('button')}.click()`);
      await expect.poll(() => window.ask('location.href')).toContain(relay.origin);
      expect(await window.ask('document.body.innerText')).toMatch(/thank/i);
      const kept = [];
      for await (const signup of everySignup(store)) kept.push(signup);
      expect(JSON.stringify(kept)).toContain('ada@example.com');
      expect(JSON.stringify(kept)).toContain('Design');
    });
  });

  it('is hydrated with typed values, focus and every node in place', async () => {
    const { address, received } = page(
      around(renderSignup({ endpoint: nextEndpoint(), 'utm-source': 'blog' }, { fields }), failures),
    );
    await window.open(address);
    await window.ask(`void (() => {
      globalThis.email = ${inForm('#email')};
      email.value = 'ada@example.com';
      ${inForm('[name="custom_fields[First name]"]')}.value = 'Ada';
      ${inForm('[value=AI]')}.checked = true;
      email.focus();
    })()`);
    await hydrate();
    expect(
      await window.ask(
        `[${inForm('#email')} === email, ${form}.shadowRoot.activeElement === email, email.value, ${form}.shadowRoot.querySelectorAll('form').length]`,
      ),
    ).toEqual([true, true, 'ada@example.com', 1]);
    await window.ask(`void ${inForm('[name=consent]')}.click()`);
    await window.ask(`${form}.submit()`);
    await expect.poll(() => window.ask(`${form}.state`)).toBe('success');
    const [post, ...more] = await received();
    expect(more).toEqual([]);
    expect(post?.headers).toHaveProperty('idempotency-key');
    expect(JSON.parse(post?.body ?? '')).toMatchObject({
      email: 'ada@example.com',
      utm_source: 'blog',
      custom_fields: [
        { name: 'First name', value: 'Ada' },
        { name: 'Topics', value: ['AI'] },
      ],
    });
    expect(await window.ask('failures')).toEqual([]);
  });

  it('is hydrated once it is complete, also if the script is loaded before the page', async () => {
    const whole = around(
      `<p>Before</p>${renderSignup({ endpoint: nextEndpoint() }, { fields })}<p>After</p>`,
      `${failures}<script type="module" async src="/hydrate.js"></script>`,
    );
    const cuts = [
      whole.indexOf('id="field-1"'),
      whole.indexOf('</template>'),
      whole.indexOf('<newsletter-field name="Topics"'),
    ];
    async function* pieces(): AsyncGenerator<string> {
      for (const [index, cut] of [...cuts, whole.length].entries()) {
        yield whole.slice(cuts[index - 1] ?? 0, cut);
        await new Promise((resolve) => setTimeout(resolve, 150));
      }
    }
    await window.open(page(pieces()).address);
    await isHeld();
    expect(
      await window.ask(
        `Array.from(${form}.shadowRoot.querySelectorAll('form'), (each) => each.querySelectorAll('[part=field]').length)`,
      ),
    ).toEqual([4]);
    expect(await window.ask('failures')).toEqual([]);
  });

  it('is rendered again with typed values if the page has other fields than the server', async () => {
    const server = renderSignup({ endpoint: nextEndpoint() }, { fields: [{ name: 'City' }] });
    await window.open(
      page(
        around(
          server.replace(
            '</newsletter-signup>',
            '<newsletter-field name="Size" kind="integer"></newsletter-field></newsletter-signup>',
          ),
          failures,
        ),
      ).address,
    );
    await window.ask(
      `void (() => { ${inForm('#email')}.value = 'ada@example.com'; const city = ${inForm('[name="custom_fields[City]"]')}; city.value = 'Lyon'; city.focus(); })()`,
    );
    await hydrate();
    expect(
      await window.ask(
        `Array.from(${form}.shadowRoot.querySelectorAll('[part=input]'), ({ name, value }) => [name, value].join('='))`,
      ),
    ).toEqual(['email=ada@example.com', 'custom_fields[City]=Lyon', 'custom_fields[Size]=']);
    expect(
      await window.ask(
        `[${form}.shadowRoot.activeElement?.name, ${form}.shadowRoot.querySelectorAll('form').length, getComputedStyle(${inForm('button')}).cursor]`,
      ),
    ).toEqual(['custom_fields[City]', 1, 'pointer']);
    expect(await window.ask('failures')).toEqual([]);
  });

  it('is replaced by the page’s own form', async () => {
    const server = renderSignup({ endpoint: nextEndpoint() });
    await window.open(
      page(
        around(
          server.replace(
            '</newsletter-signup>',
            '<form><input name="email" aria-label="Own"></form></newsletter-signup>',
          ),
          failures,
        ),
      ).address,
    );
    await hydrate(`document.querySelector('form')`);
    expect(
      await window.ask(
        `[${form}.shadowRoot.querySelectorAll('form').length, document.querySelector('form input').checkVisibility()]`,
      ),
    ).toEqual([0, true]);
  });

  it('has the language of the page before and after hydration', async () => {
    await window.open(
      page(
        around(renderSignup({ endpoint: nextEndpoint() }, { language: 'de-AT' })).replace('lang="en"', 'lang="de-AT"'),
      ).address,
    );
    expect(await window.ask(`${inForm('label')}.textContent.trim()`)).toBe('E-Mail-Adresse');
    await hydrate(undefined, '/hydrate-german.js');
    await window.ask(`${form}.submit()`);
    await expect.poll(() => window.ask(`${form}.state`)).toBe('error');
    expect(await window.ask(`${inForm('label')}.textContent.trim()`)).toBe('E-Mail-Adresse');
    expect(await window.ask(`${inForm('[part=problem]')}.textContent`)).not.toMatch(/Enter an email/);
  });

  it('can be one of several on a page: each label names its own field', async () => {
    await window.open(
      page(
        around(
          [1, 2, 3].map(() => renderSignup({ endpoint: nextEndpoint() }, { fields: [{ name: 'City' }] })).join(''),
          failures,
        ),
      ).address,
    );
    await hydrate();
    const own = await window.ask(`Array.from(document.querySelectorAll('newsletter-signup')).every(({ shadowRoot }) =>
      Array.from(shadowRoot.querySelectorAll('input[id]')).length === 2 &&
      Array.from(shadowRoot.querySelectorAll('input[id]')).every((input) => input.labels.length === 1 && input.labels[0].getRootNode() === shadowRoot))`);
    expect(own).toBe(true);
    expect(await window.ask('failures')).toEqual([]);
  });
});

describe('the entry for hydration', () => {
  it('has less than 2,000 bytes', async () => {
    const [plain, hydrating] = await Promise.all(
      ['define', 'hydrate'].map((entry) => bundle(`import '@newsletter-kit/signup/${entry}';`)),
    );
    expect(brotliCompressSync(hydrating ?? '').length - brotliCompressSync(plain ?? '').length).toBeLessThan(2000);
  });
});

describe('renderSignup', () => {
  it('escapes every value', () => {
    const html = renderSignup(
      { endpoint: '"><script>alert(1)</script>', 'text-button': '<img src=x>' },
      { fields: [{ name: '"><b>' }] },
    );
    expect(html).not.toMatch(/<script|<img|<b>/);
  });

  it.each(['onclick', 'a b', '"', 'x><script'])('refuses %s as the name of an attribute', (attribute) => {
    expect(() => renderSignup({ [attribute]: 'alert(1)' })).toThrow(
      `"${attribute}" is not an allowed attribute of a form.`,
    );
  });

  it('leaves out attributes that are false or undefined', () => {
    expect(renderSignup({ endpoint: '/signup', redirect: undefined, hidden: false })).toMatch(
      /^<newsletter-signup endpoint="\/signup"><template /,
    );
  });
});
