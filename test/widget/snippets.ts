/** Pages with the playground's snippets, as a server sends them: the components of frameworks are rendered. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Component } from 'svelte';
import { compile } from 'svelte/compiler';
import { render as renderSvelte } from 'svelte/server';
import { transformWithOxc } from 'vite';
import { createSSRApp } from 'vue';
import { parse } from 'vue/compiler-sfc';
import { renderToString } from 'vue/server-renderer';
import { currentOptions } from '../../examples/demo/playground.ts';
import { platforms, snippetsFor, type Platform } from '../../examples/demo/page/places.ts';
import type { Field } from '../../examples/demo/page/options.ts';
import { initialSetup, type Setup } from '../../examples/demo/page/setup.ts';
import { root } from '../../scripts/root.ts';
import { layouts, type Layout } from './sites.ts';

export const options = await currentOptions();
/** Scripts, which have no form without JavaScript, and platforms whose snippet has the form of another one. */
const others = 'wix gtm squarespace carrd hugo jekyll eleventy next nuxt sveltekit docusaurus'.split(' ');
export const platformNames = platforms.filter((name) => !others.includes(name));
export { layouts, type Layout };

/** A list of choices and a date, and their values in a form-encoded post. */
export const listAndDate: readonly Field[] = [
  { name: 'Topics', kind: 'list', options: 'boats, engineering, food, history' },
  { name: 'Birthday', kind: 'date' },
];

/** A field of each kind. */
export const everyKind: readonly Field[] = [
  { name: 'First name', required: 'on', autocomplete: 'given-name' },
  { name: 'Rhythm', options: 'Daily, Weekly', value: 'Weekly' },
  { name: 'Topics', kind: 'list', options: 'boats, engineering, food, history', required: 'on' },
  { name: 'Country', options: 'Austria, Belgium, Denmark, Finland, France, Germany, Ireland, Italy' },
  { name: 'Likes', kind: 'list' },
  { name: 'Age', kind: 'integer' },
  { name: 'Height', kind: 'double', placeholder: '1.75' },
  { name: 'Born', kind: 'date' },
  { name: 'Call me', kind: 'datetime' },
  { name: 'Printed', kind: 'boolean' },
  { name: 'Source', value: 'footer', hidden: 'on' },
  { kind: 'consent', label: 'I have read the [privacy notice].', href: '/privacy', required: 'on' },
];

/** A one-colour picture of 4 to 3. */
const picture = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 4 3'%3E%3C/svg%3E";

/** A setup with this layout, with a heading and small print around the form unless it is bare. */
export function setupOf(layout: Layout, changes: Partial<Setup> = {}, isBare = false): Setup {
  return {
    ...initialSetup,
    ...changes,
    values: {
      ...(layout !== 'inline' && { 'attribute.layout': layout }),
      ...(!isBare && {
        'slot.head': 'Letters from the lighthouse',
        'slot.note': 'Every Tuesday. Leave with one click.',
      }),
      ...(layout === 'cover' && { 'slot.picture': picture }),
      ...(layout === 'dialog' && { 'slot.trigger': 'Get the letters' }),
      ...changes.values,
    },
  };
}

/** The code of the snippet with the form. */
export const formSnippet = (setup: Setup): string => snippetsFor(setup, options)[0]?.code ?? '';

type Render = (code: string) => string | Promise<string>;

/** React's types belong to the widget. */
const require = createRequire(import.meta.url);

/** The component in a module, evaluated without its imports. */
async function renderReact(code: string): Promise<string> {
  const react = require('react') as { readonly createElement: (component: unknown) => unknown };
  const server = require('react-dom/server') as { readonly renderToString: (element: unknown) => string };
  const [, name = ''] = /function (\w+)\(/.exec(code) ?? [];
  const source = code.replaceAll(/^import .*$/gm, '').replace(/export (default )?function/, 'function');
  const { code: plain } = await transformWithOxc(source, 'snippet.jsx', { jsx: { runtime: 'classic' } });
  // oxlint-disable-next-line typescript/no-implied-eval -- the snippet itself is what is tested
  const component: unknown = new Function('React', 'useEffect', `${plain}; return ${name}`)(react, () => {});
  return server.renderToString(react.createElement(component));
}

async function renderVue(code: string): Promise<string> {
  const { descriptor } = parse(code);
  const app = createSSRApp({ template: descriptor.template?.content ?? '' });
  app.config.compilerOptions.isCustomElement = (tag) => tag.startsWith('newsletter-');
  return renderToString(app);
}

async function renderSvelteComponent(code: string): Promise<string> {
  const source = code.replaceAll(/^ *import .*$/gm, '');
  // Beside the module that it imports.
  const folder = await mkdtemp(join(root, 'test/node_modules/.snippet-'));
  try {
    const file = join(folder, 'component.js');
    await writeFile(file, compile(source, { generate: 'server' }).js.code);
    const module = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
      readonly default: Component;
    };
    const { head, body } = renderSvelte(module.default, { props: {} });
    return head + body;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The style sheet of the snippet's form, as the site of a test has it. */
export const sheet = '<link rel="stylesheet" href="/signup-form.css">';

const renders: Readonly<Partial<Record<Platform, Render>>> = {
  framer: renderReact,
  react: renderReact,
  vue: renderVue,
  svelte: renderSvelteComponent,
};

/**
 * The HTML that a website sends for the snippet with the form, with the scripts of `scriptFor`.
 *
 * @param scripts - in place of those of the snippet, whose addresses are examples
 */
export async function sentHtml(setup: Setup, scripts = ''): Promise<string> {
  const code = formSnippet(setup);
  const rendered = await renders[setup.platform]?.(code);
  // The module of a component imports the style sheet.
  const html = rendered ? `${sheet}\n${rendered}` : code.replaceAll(/<script (?:is:inline )?src[^]*?<\/script>/g, '');
  return html.replaceAll(/<link [^>]*signup-form\.css">/g, sheet) + scripts;
}
