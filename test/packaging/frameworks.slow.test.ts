/**
 * Apps in React 19, Vue 3 and Svelte 5 that install the packed package: their type checkers check the tags, Vite builds
 * them, and Chromium runs them.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildIfStale } from '../../scripts/build.ts';
import { startEndpoint } from '../../widget/test/endpoint.ts';
import { hosted, type Hosted } from '../e2e/hosted.ts';
import { useBrowser } from '../e2e/use-browser.ts';
import type { App } from './apps/app.ts';
import { react } from './apps/react.ts';
import { svelte } from './apps/svelte.ts';
import { vue } from './apps/vue.ts';
import { installOnePacked, type Installation } from './installed.ts';

let endpoint: Awaited<ReturnType<typeof startEndpoint>>;
const session = useBrowser();
beforeAll(async () => {
  await buildIfStale('widget');
  endpoint = await startEndpoint();
});
afterAll(() => endpoint?.stop());

interface CheckerError {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly message: string;
}

/** Reads the errors that tsc and vue-tsc report as text, and svelte-check as JSON. */
function readErrors(output: string): readonly CheckerError[] {
  const texts = Array.from(
    output.matchAll(/^(\S+)\((\d+),\d+\): error (.*(?:\n .*)*)$/gm),
    ([, file = '', line = '', message = '']) => ({ file, line: Number(line), message }),
  );
  const objects = Array.from(output.matchAll(/^\d+ (\{.*\})$/gm), ([, json = '']) => {
    const { filename, start, message } = JSON.parse(json) as {
      readonly filename: string;
      readonly start: { readonly line: number };
      readonly message: string;
    };
    return { file: filename, line: start.line + 1, message };
  });
  return [...texts, ...objects];
}

/** The answers to the fields that every app begins with. */
const answers = { Company: 'Acme', 'First name': 'Ada', City: 'London' };

const forms = [
  { title: 'fields in a list with keys', form: 'fields', list: 'keyed' },
  { title: 'fields in a list without keys', form: 'fields', list: 'unkeyed' },
  { title: 'a form inside the tag and a list with keys', form: 'own', list: 'keyed' },
  { title: 'a form inside the tag and a list without keys, bound to state', form: 'own', list: 'unkeyed' },
] as const;

describe.each<App>([react, vue, svelte])('an app in $name', ({ name, packages, files, checkers, ...app }) => {
  let installed: Installation;
  let site: Hosted;
  beforeAll(async () => {
    installed = await installOnePacked('signup', ...packages);
    for (const [path, content] of Object.entries(files)) {
      const file = join(installed.folder, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    }
    const { code, stderr } = await installed.command('vite', ['build', '--logLevel', 'error']);
    expect(code, stderr).toBe(0);
    site = await hosted(new Hono().use(serveStatic({ root: join(installed.folder, 'dist') })));
  });
  afterAll(async () => {
    site?.close();
    await installed?.remove();
  });

  it.each(checkers)('has types that accept valid code and refuse each mistake: $title', async (checker) => {
    const { code, stdout, stderr } = await installed.command(checker.command, checker.args);
    const errors = readErrors(stdout);
    const elsewhere = errors.filter(({ file }) => file !== app.mistakesFile);
    expect(elsewhere, stdout + stderr).toEqual([]);
    const lines = (files[app.mistakesFile] ?? '').split('\n');
    const found = app.mistakes.map((mistake) => ({
      mistake: mistake.code,
      errors: errors.filter(({ line }) => lines[line - 1] === mistake.code).map(({ message }) => message),
    }));
    expect(found).toEqual(
      app.mistakes.map((mistake) => ({ mistake: mistake.code, errors: [expect.stringContaining(mistake.error)] })),
    );
    expect(code).not.toBe(0);
  });

  let count = 0;
  /** Opens the app, whose form posts to an endpoint that answers as planned. */
  async function open(form: string, list: string, plan: string): Promise<OpenedApp> {
    const box = `${name}-${(count += 1)}`.replaceAll(' ', '-');
    const query = new URLSearchParams({ form, list, endpoint: `${endpoint.origin}/signup/${box}/${plan}` });
    const { page, complaints } = await session.open(`${site.origin}/?${query}`);
    await page.waitForSelector(control('email'));
    return {
      page,
      complaints,
      received: async () => {
        const posts: { body: string }[] = await (await fetch(`${endpoint.origin}/received/${box}`)).json();
        return posts.map(({ body }): unknown => {
          const { audit: _audit, ...sent } = JSON.parse(body) as Record<string, unknown>;
          return sent;
        });
      },
    };
  }

  it('receives the events of the tag and sets its properties', async () => {
    const { page, received } = await open('fields', 'keyed', 'refused,accepted');
    await fill(page, { email: 'ada@example.com', ...customFields(answers) });
    await press(page);
    await page.waitForSelector('newsletter-signup:state(error)');
    await press(page);
    await page.waitForSelector('newsletter-signup:state(success)');
    await expect
      .poll(() => page.$eval('#heard', ({ textContent }) => textContent))
      .toBe('newsletter-submit Join, newsletter-error refused, newsletter-submit Join, newsletter-success blog');
    expect(await received()).toEqual(
      Array(2).fill({
        email: 'ada@example.com',
        utm_source: 'blog',
        custom_fields: [
          { name: 'Company', value: 'Acme' },
          { name: 'First name', value: 'Ada' },
          { name: 'City', value: 'London' },
          { name: 'Plan', value: 'basic' },
        ],
      }),
    );
  });

  it.each(forms)(
    'keeps each answer with its field when fields are added and removed: $title',
    async ({ form, list }) => {
      const { page, complaints, received } = await open(form, list, 'accepted');
      await fill(page, { email: 'ada@example.com', ...customFields(answers) });
      await page.focus(control('custom_fields[City]'));

      await click(page, '#remove');
      await page.waitForFunction(`!(${names}).includes('custom_fields[Company]')`);
      expect(await page.evaluate(entries)).toEqual([
        ['email', 'ada@example.com'],
        ['custom_fields[First name]', 'Ada'],
        ['custom_fields[City]', 'London'],
        ['custom_fields[Plan]', 'basic'],
      ]);
      // Without keys a framework removes the last element of its own form, which has the focus.
      const keepsFocus = form === 'fields' || list === 'keyed';
      if (keepsFocus) expect(await page.evaluate(focused)).toBe('custom_fields[City]');

      await click(page, '#insert');
      await page.waitForFunction(`(${names}).includes('custom_fields[Job title]')`);
      expect(await page.evaluate(entries)).toEqual([
        ['email', 'ada@example.com'],
        ['custom_fields[Job title]', ''],
        ['custom_fields[First name]', 'Ada'],
        ['custom_fields[City]', 'London'],
        ['custom_fields[Plan]', 'basic'],
      ]);
      if (keepsFocus) expect(await page.evaluate(focused)).toBe('custom_fields[City]');

      await fill(page, customFields({ 'Job title': 'Engineer' }));
      await press(page);
      await page.waitForSelector('newsletter-signup:state(success)');
      expect(await received()).toEqual([
        {
          email: 'ada@example.com',
          utm_source: 'blog',
          custom_fields: [
            { name: 'Job title', value: 'Engineer' },
            { name: 'First name', value: 'Ada' },
            { name: 'City', value: 'London' },
            { name: 'Plan', value: 'basic' },
          ],
        },
      ]);
      await expect
        .poll(() => page.$eval('#heard', ({ textContent }) => textContent))
        .toBe('newsletter-submit Join, newsletter-success blog');
      expect(complaints).toEqual([]);
    },
  );

  it.each(forms)('removes the problem of a field with the field: $title', async ({ form, list }) => {
    const { page, complaints, received } = await open(form, list, 'accepted');
    await fill(page, { email: 'ada@example.com', ...customFields({ ...answers, Company: '' }) });
    await press(page);
    await page.waitForSelector('newsletter-signup:state(error)');
    expect(await page.evaluate(problems)).toEqual(['custom_fields[Company]']);

    await click(page, '#remove');
    await page.waitForFunction(`!(${names}).includes('custom_fields[Company]')`);
    expect(await page.evaluate(problems)).toEqual([]);
    await press(page);
    await page.waitForSelector('newsletter-signup:state(success)');
    expect(await received()).toMatchObject([
      {
        custom_fields: [
          { name: 'First name', value: 'Ada' },
          { name: 'City', value: 'London' },
          { name: 'Plan', value: 'basic' },
        ],
      },
    ]);
    expect(complaints).toEqual([]);
  });

  it('does not require a field whose required is false', async () => {
    const { page } = await open('fields', 'keyed', 'accepted');
    await fill(page, { email: 'ada@example.com', ...customFields({ Company: 'Acme' }) });
    await press(page);
    await page.waitForSelector('newsletter-signup:state(success), newsletter-signup:state(error)');
    expect(await page.evaluate(problems)).toEqual([]);
  });

  it('keeps the address out of the events where expose-email is false', async () => {
    const { page } = await open('fields', 'keyed', 'accepted');
    await page.evaluate(
      `addEventListener('newsletter-success', ({ email }) => { globalThis.email = email ?? 'none'; })`,
    );
    await fill(page, { email: 'ada@example.com', ...customFields(answers) });
    await press(page);
    await page.waitForSelector('newsletter-signup:state(success)');
    expect(await page.evaluate('email')).toBe('none');
  });
});

interface OpenedApp {
  readonly page: Page;
  /** What the page reports in the console. */
  readonly complaints: readonly string[];
  /** The bodies that the endpoint received. */
  received(): Promise<readonly unknown[]>;
}

/**
 * Expressions in the page: the form that is shown, its entries, their names, the name that has the focus, and the names
 * that are marked as wrong.
 */
const form = `(document.querySelector('newsletter-signup form')
  ?? document.querySelector('newsletter-signup').shadowRoot.querySelector('form'))`;
const entries = `[...new FormData(${form})].filter(([name]) => name === 'email' || name.startsWith('custom_fields['))`;
const names = `${entries}.map(([name]) => name)`;
const focused = `(document.activeElement.shadowRoot ?? document).activeElement.name`;
const problems = `[...${form}.querySelectorAll('[aria-invalid=true]')].map(({ name }) => name)`;

/** Selects a control in the form of the tag, or in the form inside the tag. */
const control = (name: string): string =>
  ['newsletter-signup >>> ', 'newsletter-signup '].map((scope) => `${scope}input[name="${name}"]`).join(', ');

const customFields = (values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`custom_fields[${name}]`, value]));

async function fill(page: Page, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(values)) await page.type(control(name), value);
}

/** Clicks without moving the focus. */
const click = (page: Page, selector: string): Promise<void> =>
  page.$eval(selector, (button) => (button as HTMLElement).click());

/** Presses the button of the form. */
const press = (page: Page): Promise<void> =>
  page.click('newsletter-signup >>> form button, newsletter-signup form button');
