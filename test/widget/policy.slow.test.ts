/**
 * Every Content Security Policy of the documentation, in every engine, with the script and with the bundled package:
 * the form works without a violation.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { page } from '../support/documentation.ts';
import { enginesToTest } from '../support/browsers/engines.ts';
import { root } from '../../scripts/root.ts';
import { startEndpoint } from '../../widget/test/endpoint.ts';
import { openSite, type Site } from './site.ts';
import { patience, windows, type Window } from './window.ts';

const policies = Array.from(
  page('website/csp').matchAll(/^Content-Security-Policy: (.+)$/gm),
  ([, policy = '']) => policy,
);
const files = ['/signup-form.js', '/bundle.js'] as const;

let site: Site;
let cdn: Site;
let endpoint: Awaited<ReturnType<typeof startEndpoint>>;
let count = 0;
beforeAll(async () => {
  [site, cdn, endpoint] = [await openSite(), await openSite(), await startEndpoint()];
  for (const each of [site, cdn]) each.script('/watch-policy.js', watch);
});
afterAll(async () => {
  await Promise.all([site?.close(), cdn?.close(), endpoint?.stop()]);
});

/** A page with this policy. Its own script counts the violations. */
function pageUnder(
  policy: string,
  file: string,
  markup = (endpoint: string): string =>
    `<newsletter-signup endpoint="${endpoint}"><newsletter-field name="First name"></newsletter-field></newsletter-signup>`,
): { address: string; box: string } {
  const box = `policy-${(count += 1)}`;
  // Here the script of a relay and its endpoint have servers of their own.
  const real = policy
    .replaceAll(/(?<=script-src )https:\/\/signup\.example\.com|https:\/\/cdn\.example/g, cdn.origin)
    .replaceAll(/https:\/\/(?:relay\.example|signup\.example\.com)/g, endpoint.origin);
  const from = real.includes(cdn.origin) ? cdn.origin : '';
  const address = site.page(`/${box}`, {
    headers: { 'Content-Security-Policy': real },
    html: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Policy</title>
      <script nonce="R4nd0m" src="${from}/watch-policy.js"></script>
      <script nonce="R4nd0m" src="${from}${file}" ${file === '/bundle.js' ? 'type="module"' : 'async'}></script>
      ${markup(`${endpoint.origin}/signup/${box}/accepted`)}`,
  });
  return { address, box };
}

/** Lists the violations, except the icon, which the browser requests itself. */
const watch = `globalThis.violations = [];
document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
  if (!blockedURI.endsWith('/favicon.ico')) violations.push([violatedDirective, blockedURI, sample].join(' '));
});`;

async function received(box: string): Promise<unknown[]> {
  const answer: unknown = await fetch(`${endpoint.origin}/received/${box}`).then((response) => response.json());
  return Array.isArray(answer) ? answer : [];
}

describe.each(enginesToTest())('under a strict policy in $title', ({ name }) => {
  let window: Window;
  beforeAll(async () => {
    window = await windows[name]();
  });
  afterAll(() => window?.close());

  it('the page has at least four policies', () => expect(policies.length).toBeGreaterThanOrEqual(4));

  describe.each(files)('%s', (file) => {
    it.each(policies)('%s', async (policy) => {
      const { address, box } = pageUnder(policy, file);
      await window.open(address);
      const form = `document.querySelector('newsletter-signup')`;
      await expect.poll(() => window.ask(`Boolean(${form}.shadowRoot?.querySelector('input'))`), patience).toBe(true);
      // `style-src` does not restrict adopted style sheets.
      expect(await window.ask(`getComputedStyle(${form}.shadowRoot.querySelector('button')).cursor`)).toBe('pointer');
      await window.ask(
        `(() => { const form = ${form}; form.shadowRoot.querySelector('input').value = 'ada@example.com'; form.submit(); })()`,
      );
      await expect.poll(() => window.ask(`${form}.state`), patience).toBe('success');
      expect(await received(box)).toHaveLength(1);
      expect(await window.ask('violations')).toEqual([]);
    });
  });

  const noPolicies = "script-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'";

  it.runIf(name === 'chromium').each([
    ['signup-form.js', 'is posted by the browser where a hash allows it alone', '', 'email=ada%40example.com'],
    ['signup-form.js', 'is posted by the browser with strict-dynamic', " 'strict-dynamic'", 'email=ada%40example.com'],
    ['signup-form.js', 'sends with the address of the files', ' https://cdn.example', '{"email":"ada@example.com"'],
    ['signup-form-complete.js', 'sends where a hash allows it alone', '', '{"email":"ada@example.com"'],
  ])('with the hash of %s, %s', async (file, _title, beside, body) => {
    const script = await readFile(join(root, 'widget', 'dist', file));
    const hash = `sha384-${createHash('sha384').update(script).digest('base64')}`;
    const box = `hash-${(count += 1)}`;
    const address = site.page(`/${box}`, {
      headers: {
        'Content-Security-Policy': `script-src '${hash}'${beside.replace('https://cdn.example', cdn.origin)}`,
      },
      html: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Hash</title>
        <script src="${cdn.origin}/${file}" integrity="${hash}" crossorigin async></script>
        <newsletter-signup endpoint="${endpoint.origin}/signup/${box}/accepted"></newsletter-signup>`,
    });
    await window.open(address);
    await expect.poll(() => window.ask(`Boolean(customElements.get('newsletter-signup'))`), patience).toBe(true);
    await window.ask(
      `(() => { const form = document.querySelector('newsletter-signup'); form.shadowRoot.querySelector('input').value = 'ada@example.com'; form.submit(); })()`,
    );
    await expect.poll(() => received(box), patience).toMatchObject([{ body: expect.stringContaining(body) }]);
  });

  describe.each(files)('%s without the name lit-html among the trusted types', (file) => {
    it('does not start, and the console names the policy', async () => {
      const { address } = pageUnder(noPolicies, file);
      await window.open(address);
      await expect.poll(() => window.ask('violations.length'), patience).toBeGreaterThan(0);
      expect(await window.ask('violations.join()')).toContain('trusted-types');
      expect(await window.ask(`customElements.get('newsletter-signup') === undefined`)).toBe(true);
    });

    it('lets the browser post a form inside the tag', async () => {
      const { address, box } = pageUnder(
        noPolicies,
        file,
        (action) =>
          `<newsletter-signup><form action="${action}" method="post"><input type="email" name="email" required><button>Subscribe</button></form></newsletter-signup>`,
      );
      await window.open(address);
      await expect.poll(() => window.ask('violations.length'), patience).toBeGreaterThan(0);
      await window.ask(
        `(() => { document.querySelector('input').value = 'ada@example.com'; document.querySelector('button').click(); })()`,
      );
      await expect.poll(() => received(box), patience).toMatchObject([{ body: 'email=ada%40example.com' }]);
    });
  });
});
