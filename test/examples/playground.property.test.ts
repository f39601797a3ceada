/** Properties of every setup of the playground: its address contains it, and its snippets are valid for any text. */
import fc from 'fast-check';
import * as svelte from 'svelte/compiler';
import { transformWithOxc } from 'vite';
import { describe, expect, it } from 'vitest';
import * as vue from 'vue/compiler-sfc';
import { currentOptions } from '../../examples/demo/playground.ts';
import { exampleSetups, withExample, type ExampleSetup } from '../../examples/demo/page/examples.ts';
import { consentSentences } from '../../examples/demo/page/fallback.ts';
import {
  html,
  isStyleValue,
  jsx,
  propertyScript,
  svelte as svelteMarkup,
  vue as vueMarkup,
  write,
  type Tag,
} from '../../examples/demo/page/markup.ts';
import { optionsIn } from '../../examples/demo/page/options.ts';
import { platforms, snippetsFor } from '../../examples/demo/page/places.ts';
import { initialSetup, readSetup, writeSetup, type Setup } from '../../examples/demo/page/setup.ts';
import { tagOf, tagWithForm } from '../../examples/demo/page/tag.ts';
import { readElements } from '../../widget/scripts/manifest.ts';

const options = await currentOptions();
const read = (search: string): Setup => readSetup(new URLSearchParams(search), options);

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '"><script>alert(1)</script>',
    '{{ x }}',
    '${x}',
    "it's",
    '</style>',
    '*/',
    '&amp;',
    'a\nb',
    'a\rb',
    '\r',
    'toString',
    '__proto__',
  ),
);
const texts = (names: readonly string[]): fc.Arbitrary<Record<string, string>> =>
  fc.dictionary(fc.constantFrom(...names), text);
const setups = fc
  .record({
    values: texts(optionsIn(options).map(({ key }) => key)),
    fields: fc.array(texts(options.fieldOptions.map(({ key }) => key)), { maxLength: 4 }),
    mode: fc.constantFrom('own', 'enhance'),
    language: fc.constantFrom(...options.languages),
    theme: fc.constantFrom('', ...options.themes),
    direction: fc.constantFrom('ltr', 'rtl'),
    platform: fc.constantFrom(...platforms),
  })
  .map((changes) => read(writeSetup({ ...initialSetup, ...changes })));

describe('the playground', () => {
  it.each(exampleSetups)('keeps the example "$title" in its address', ({ setup }) => {
    expect(read(writeSetup(setup))).toEqual(setup);
  });

  it('has what is added to the manifest', async () => {
    const added = { attributes: [{ name: 'new-word', type: { text: "'one' | 'two'" }, default: 'one' }] };
    const elements = (await readElements()).map((element) => ({ ...element, ...added }));
    const more = await currentOptions(Promise.resolve(elements));
    const setup = readSetup(new URLSearchParams('attribute.new-word=two&field.0.name=&field.0.new-word=one'), more);
    expect(setup.fields).toEqual([{}]);
    expect(write(tagOf(setup, more), html)).toContain('<newsletter-signup new-word="two">');
  });

  it('reads every setup back from its address', () => {
    fc.assert(
      fc.property(setups, (setup) => {
        expect(read(writeSetup(setup))).toEqual(setup);
      }),
    );
  });

  it('reads any address as a setup', () => {
    fc.assert(
      fc.property(fc.string(), (search) => {
        expect(() => writeSetup(read(search))).not.toThrow();
      }),
    );
    expect(read('state=__proto__&platform=toString&width=7&language=xx')).toEqual(initialSetup);
  });

  const chosen = (title: string, setup: Setup): Setup => {
    const found = exampleSetups.find((example) => example.title === title);
    return withExample(setup, found as ExampleSetup);
  };

  it.each(exampleSetups)('keeps endpoint, place and language in the example "$title"', (example) => {
    const before = read(
      'attribute.endpoint=relay.example&attribute.layout=card&platform=wix&language=ar&direction=rtl',
    );
    const { values, platform, language } = withExample(before, example);
    expect(values['attribute.endpoint']).toBe('relay.example');
    expect({ platform, language }).toEqual({ platform: 'wix', language: example.changes.language ?? 'ar' });
    expect(withExample(initialSetup, example)).toEqual(example.setup);
  });

  it('combines a form with a language and a state in any order, and replaces a form by another', () => {
    const one = chosen('Refused', chosen('German', chosen('Consent', initialSetup)));
    expect(one).toEqual({ ...chosen('Consent', chosen('German', initialSetup)), state: 'refused' });
    expect(one.fields).toHaveLength(1);
    expect(chosen('One line', one)).toEqual({ ...initialSetup, language: 'de' });
  });

  it('names the sentence of a consent as the form sends it', () => {
    expect(consentSentences(tagWithForm(chosen('Consent', initialSetup), options))).toEqual([
      'I have read the privacy notice.',
    ]);
  });

  it('writes no default values, and no value of a switch', () => {
    expect(writeSetup(initialSetup)).toBe('');
    expect(
      write(
        tagOf(read('attribute.timeout=20&attribute.debug=on&field.0.name=City&field.0.kind=string'), options),
        html,
      ),
    ).toBe(
      '<newsletter-signup endpoint="https://relay.example/signup" debug>\n  <newsletter-field name="City"></newsletter-field>\n</newsletter-signup>',
    );
  });
});

describe('the address of a relay', () => {
  const addresses = (typed: string): string[] => {
    const [{ code } = { code: '' }] = snippetsFor(
      { ...initialSetup, values: { 'attribute.endpoint': typed } },
      options,
    );
    return [/endpoint="(.*?)"/, /action="(.*?)"/, /src="(.*?)"/].map((pattern) => pattern.exec(code)?.[1] ?? '');
  };

  it.each([
    ['http://127.0.0.1:23503', 'http://127.0.0.1:23503', '/signup'],
    ['http://127.0.0.1:23503/', 'http://127.0.0.1:23503', '/signup'],
    ['127.0.0.1:23503/signup/', 'http://127.0.0.1:23503', '/signup'],
    [' localhost:8787\n', 'http://localhost:8787', '/signup'],
    ['[::1]:8787', 'http://[::1]:8787', '/signup'],
    ['Signup.example.com', 'https://signup.example.com', '/signup'],
    ['http://signup.example.com/signup/footer/', 'http://signup.example.com', '/signup/footer'],
    ['https://example.com/letters/signup', 'https://example.com/letters', '/signup'],
    ['https://bücher.example', 'https://xn--bcher-kva.example', '/signup'],
    [' ', 'https://relay.example', '/signup'],
  ])('is completed from %j', (typed, relay, path) => {
    expect(addresses(typed)).toEqual([relay + path, relay + path, `${relay}/signup-form.js`]);
  });

  it.each([
    ['https://signup.example/a?b', 'https://signup.example/a?b'],
    ['n8n.example/webhook/letters', 'https://n8n.example/webhook/letters'],
    ['https://signup.example/?form=1', 'https://signup.example/?form=1'],
    ['https://me:secret@signup.example', 'https://me:secret@signup.example'],
    ['/signup.php', '/signup.php'],
    ['./signup.php', './signup.php'],
    ['https://', 'https://'],
  ])('is not read into %j', (typed, endpoint) => {
    expect(addresses(typed)).toEqual([endpoint, endpoint, 'https://your-site.example/signup-form.js']);
  });
});

/** Snippets in HTML, of which those below are in files of templates. */
const templates = ['shopify', 'hugo', 'jekyll', 'eleventy', 'astro'] as const;
const pasted = ['html', 'wordpress', 'webflow', 'squarespace', 'ghost', 'carrd', ...templates] as const;

describe('a snippet', () => {
  it.each(pasted)('for %s escapes any typed text', (platform) => {
    fc.assert(
      fc.property(setups, (setup) => {
        for (const { code } of snippetsFor({ ...setup, platform }, options)) {
          expect(code).not.toContain('<script>alert');
          expect(code.match(/<\/style>/g)?.length ?? 0).toBeLessThanOrEqual(1);
          if (platform === 'wordpress') expect(code).not.toMatch(/\n\s*\n/);
        }
      }),
    );
  });

  it.each(templates)('for %s has no expression in any typed text', (platform) => {
    fc.assert(
      fc.property(setups, (setup) => {
        const [{ code } = { code: '' }] = snippetsFor({ ...setup, platform }, options);
        expect(code.replaceAll(/\{\{ '[\w-]+\.(?:js|css)' \| asset_url \}\}/g, '')).not.toMatch(/\{[{%]/);
      }),
    );
  });

  it.each(['wix', 'gtm'] as const)('for %s is a script that any typed text leaves whole', (platform) => {
    fc.assert(
      fc.property(setups, (setup) => {
        const [{ code } = { code: '' }] = snippetsFor({ ...setup, platform }, options);
        const [, script = '', rest] = /^<script>\n([^]*?)<\/script>([^]*)$/.exec(code) ?? [];
        expect(rest).toBe('');
        expect(script).not.toContain('{{');
        // oxlint-disable-next-line typescript/no-implied-eval -- only compiled
        expect(() => new Function(script)).not.toThrow();
      }),
    );
  });

  type Compile = (code: string) => unknown;
  const compileJsx: Compile = (code) => transformWithOxc(code, 'newsletter.jsx');
  const compileVue: Compile = (code) => {
    const { errors, descriptor } = vue.parse(code);
    const source = descriptor.template?.content ?? '';
    const [error] = [...errors, ...vue.compileTemplate({ source, filename: 'letters.vue', id: 'letters' }).errors];
    if (error !== undefined) throw new Error(String(error));
  };
  const compileSvelte: Compile = (code) => svelte.compile(code, { filename: 'letters.svelte' });

  it.each([
    ['react', compileJsx],
    ['framer', compileJsx],
    ['next', compileJsx],
    ['docusaurus', compileJsx],
    ['vue', compileVue],
    ['nuxt', compileVue],
    ['svelte', compileSvelte],
    ['sveltekit', compileSvelte],
  ] as const)('for %s compiles with any typed text', async (platform, compile) => {
    await fc.assert(
      fc.asyncProperty(setups, async (setup) => {
        const [first] = snippetsFor({ ...setup, platform }, options);
        await compile(first?.code ?? '');
      }),
      { numRuns: 60 },
    );
  });

  it('escapes by the rules of its language', () => {
    const tag: Tag = {
      name: 'newsletter-signup',
      attributes: { 'text-button': 'A "b" & {c}' },
      styles: { '--x': '1px' },
      children: [],
    };
    expect(write(tag, html)).toBe(
      '<newsletter-signup text-button="A &quot;b&quot; &amp; {c}" style="--x: 1px"></newsletter-signup>',
    );
    expect(write(tag, jsx)).toBe(`<newsletter-signup text-button={"A \\"b\\" & {c}"} style={{ '--x': '1px' }} />`);
    const opening = '<newsletter-signup text-button="A &quot;b&quot; &amp; &#123;c&#125;" style="--x: 1px"';
    expect(write(tag, vueMarkup)).toBe(`${opening}></newsletter-signup>`);
    expect(write(tag, svelteMarkup)).toBe(`${opening}></newsletter-signup>`);
  });

  it('sets a property by a script, or in the tag if the language can', () => {
    const tag: Tag = {
      name: 'newsletter-signup',
      attributes: {},
      properties: { messages: { busy: '</script>"' } },
      children: [],
    };
    const text = String.raw`"\u003c/script\u003e\""`;
    expect(propertyScript(tag)).toBe(
      `<script>\n  document.querySelector('newsletter-signup').messages = { busy: ${text} };\n</script>`,
    );
    expect(write(tag, jsx)).toBe(`<newsletter-signup messages={{ busy: ${text} }} />`);
    expect(write(tag, svelteMarkup)).toBe(`<newsletter-signup messages={{ busy: ${text} }}></newsletter-signup>`);
    expect(write(tag, vueMarkup)).toBe(
      `<newsletter-signup :messages="{ busy: ${text.replaceAll('"', '&quot;')} }"></newsletter-signup>`,
    );
  });

  it('refuses text that cannot be the value of a custom property', () => {
    for (const value of ['red', '#a36', 'rgb(1 2 3 / 50%)', 'calc(1rem + 2px)', 'min(1rem, 2vw)'])
      expect(isStyleValue(value), value).toBe(true);
    for (const value of [
      'red}',
      'red;color:x',
      'a)',
      '(',
      '</style>',
      '/* x',
      "url('x",
      'red !important',
      '\n',
      '1px\r',
      '\f',
      '\0',
    ])
      expect(isStyleValue(value), value).toBe(false);
  });
});
