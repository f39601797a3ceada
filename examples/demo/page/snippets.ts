/** The snippets to copy: the tag in the form that each kind of website takes. */
import { fallbackStyles } from './fallback-styles.ts';
import { fieldsOf, isTag } from './fallback.ts';
import {
  html,
  jsx,
  propertyScript,
  rule,
  svelte,
  template,
  templateFile,
  vue,
  write,
  type Dialect,
  type Tag,
} from './markup.ts';
import type { Options } from './options.ts';
import type { Platform, Setup } from './setup.ts';
import { tagOf, tagWithForm } from './tag.ts';

export interface Snippet {
  /** Where to paste it. */
  readonly place: string;
  readonly code: string;
}

interface Wanted {
  /** With the form in it. */
  readonly tag: Tag;
  /** Without a form. */
  readonly bare: Tag;
  /** A language tag; `en` needs no file. */
  readonly language: string;
  /** Name of a theme; empty for none. */
  readonly theme: string;
  /** The address of the script; languages and themes are in folders beside it. */
  readonly script: string;
}

/** The website whose owner keeps the files of the script there, as an example. */
const siteAddress = 'https://your-site.example';
/** An endpoint of a relay, which serves the script too, or of one of its forms. */
const relayEndpoint = /^(https?:\/\/[\w.:[\]/-]+)\/signup(?:\/[\w-]+)?$/;

const lines = (...parts: readonly (string | false | undefined)[]): string => parts.filter(Boolean).join('\n');
/** The language first: the form has its texts from the start then. */
const addresses = ({ language, script }: Wanted): string[] => [
  ...(language === 'en' ? [] : [new URL(`languages/${language}.js`, script).href]),
  script,
];
const themeAddress = ({ theme, script }: Wanted): string => new URL(`themes/${theme}.css`, script).href;
const scripts = (wanted: Wanted): string =>
  addresses(wanted)
    .map((address) => `<script src="${address}" async></script>`)
    .join('\n');
const link = (wanted: Wanted): string => wanted.theme && `<link rel="stylesheet" href="${themeAddress(wanted)}">`;

/** The style sheet of the form. In JSX and templates the tag itself has the custom properties. */
const sheet = ({ tag, theme }: Wanted): string => fallbackStyles(tag, theme !== '');
/** The tag with a style sheet in it: one piece to copy, whose style is there before the form. */
export const styled = (tag: Tag, css: string): Tag => ({
  ...tag,
  children: [{ name: 'style', attributes: {}, children: [css] }, ...tag.children],
});
const markup = (wanted: Wanted, dialect: Dialect = html): string => {
  const { tag } = wanted;
  const css = lines(rule('newsletter-signup', tag.styles), sheet(wanted));
  return lines(link(wanted), write(styled(tag, css), dialect), propertyScript(tag));
};
/** The markup and its scripts, in one piece. */
const pasted = (wanted: Wanted): string => lines(markup(wanted), scripts(wanted));
/** The same in a file of templates. */
const included = (wanted: Wanted): string => lines(markup(wanted, templateFile), scripts(wanted));
const imports = ({ language, theme }: Wanted): string =>
  lines(
    "import '@newsletter-kit/signup/define';",
    language === 'en' ? '' : `import '@newsletter-kit/signup/languages/${language}';`,
    theme && `import '@newsletter-kit/signup/themes/${theme}.css';`,
  );

const writers: Readonly<Record<Platform, (wanted: Wanted) => readonly Snippet[]>> = {
  html: (wanted) => [{ place: 'Where the form belongs', code: pasted(wanted) }],
  // No blank lines: some themes turn them into paragraphs.
  wordpress: (wanted) => [
    {
      place: 'A “Custom HTML” block, pasted in the code editor or as the content of the block',
      code: lines('<!-- wp:html -->', markup(wanted), scripts(wanted), '<!-- /wp:html -->'),
    },
    ...whereFiltered(wanted),
  ],
  webflow: (wanted) => [{ place: 'A “Code Embed” element', code: pasted(wanted) }],
  squarespace: (wanted) => [{ place: 'A “Code” block, with HTML as its language', code: pasted(wanted) }],
  carrd: (wanted) => [{ place: 'An “Embed” element of the type “Code” and the style “Inline”', code: pasted(wanted) }],
  shopify: (wanted) => [{ place: 'A “Custom Liquid” section', code: included(wanted) }],
  hugo: (wanted) => [
    { place: 'layouts/shortcodes/signup.html', code: included(wanted) },
    { place: 'The page', code: '{{< signup >}}' },
  ],
  jekyll: (wanted) => [
    { place: '_includes/signup.html', code: included(wanted) },
    { place: 'The page or its layout', code: '{% include signup.html %}' },
  ],
  eleventy: (wanted) => [
    { place: '_includes/signup.html', code: included(wanted) },
    { place: 'The page or its layout', code: '{% include "signup.html" %}' },
  ],
  astro: (wanted) => [
    {
      place: 'src/components/SignupForm.astro',
      code: included(wanted).replaceAll(/<(?:style|script)\b/g, '$& is:inline'),
    },
    {
      place: 'The page or its layout',
      code: "---\nimport SignupForm from '../components/SignupForm.astro';\n---\n\n<SignupForm />",
    },
  ],
  wix: (wanted) => [{ place: 'Settings → Custom Code → Body, end', code: injected(wanted) }],
  gtm: (wanted) => [
    { place: 'Tags → New → Custom HTML, with a trigger of the type “DOM Ready”', code: injected(wanted) },
  ],
  ghost: (wanted) => [
    { place: 'An “HTML” card in the post or page', code: markup(wanted) },
    { place: 'Settings → Code injection → Site header', code: scripts(wanted) },
  ],
  framer: (wanted) => [
    {
      place:
        'Assets → Code → a new code component (an “Embed” is a frame, which does not see the campaign of the page)',
      code: lines(
        "import { useEffect } from 'react';",

        'export default function SignupForm() {',
        '  useEffect(() => {',
        `    for (const src of [${addresses(wanted)
          .map((address) => `'${address}'`)
          .join(', ')}]) {`,
        '      if (document.querySelector(`script[src="${src}"]`)) continue;',
        "      document.head.append(Object.assign(document.createElement('script'), { src }));",
        '    }',
        wanted.theme &&
          `    document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '${themeAddress(wanted)}' }));`,
        '  }, []);',
        '  return (',
        write(styled(wanted.tag, sheet(wanted)), jsx, 2),
        '  );',
        '}',
      ),
    },
  ],
  react: (wanted) => [{ place: 'A component (React 19)', code: reactComponent(wanted) }],
  next: (wanted) => [
    { place: 'app/signup-form.jsx', code: `'use client';\n\n${reactComponent(wanted)}` },
    { place: 'The page', code: "import { SignupForm } from './signup-form';\n\n<SignupForm />" },
  ],
  docusaurus: (wanted) => [
    { place: 'src/components/SignupForm.jsx', code: reactComponent(wanted) },
    {
      place: 'The page, in MDX',
      code: "import { SignupForm } from '@site/src/components/SignupForm';\n\n<SignupForm />",
    },
  ],
  nuxt: (wanted) => [
    { place: 'app/components/SignupForm.vue', code: vueComponent(wanted) },
    { place: 'The page', code: '<SignupForm />' },
    {
      place: 'nuxt.config.ts, so that Vue treats the tag as a custom element',
      code: lines(
        'export default defineNuxtConfig({',
        "  vue: { compilerOptions: { isCustomElement: (tag) => tag.startsWith('newsletter-') } },",
        '});',
      ),
    },
  ],
  vue: (wanted) => [
    { place: 'A component (Vue 3)', code: vueComponent(wanted) },
    {
      place: 'vite.config.js, so that Vue treats the tag as a custom element',
      code: lines(
        "import vue from '@vitejs/plugin-vue';",
        'export default {',
        "  plugins: [vue({ template: { compilerOptions: { isCustomElement: (tag) => tag.startsWith('newsletter-') } } })],",
        '};',
      ),
    },
  ],
  svelte: (wanted) => [{ place: 'A component (Svelte 5)', code: svelteComponent(wanted) }],
  sveltekit: (wanted) => [
    { place: 'src/routes/SignupForm.svelte', code: svelteComponent(wanted) },
    {
      place: 'The page',
      code: "<script>\n  import SignupForm from './SignupForm.svelte';\n</script>\n\n<SignupForm />",
    },
  ],
};

const reactComponent = (wanted: Wanted): string =>
  `${imports(wanted)}\n\nexport function SignupForm() {\n  return (\n${write(styled(wanted.tag, sheet(wanted)), jsx, 2)}\n  );\n}`;
const vueComponent = (wanted: Wanted): string =>
  `<script setup>\n${imports(wanted)}\n</script>\n\n<template>\n${write(wanted.tag, vue, 1)}\n</template>\n\n<style>\n${sheet(wanted)}\n</style>`;
const svelteComponent = (wanted: Wanted): string =>
  `<script>\n${imports(wanted).replace(/^/gm, '  ')}\n</script>\n\n${write(styled(wanted.tag, sheet(wanted)), svelte)}`;

/**
 * A script that puts the form into the page, for places that take scripts only. It is in the syntax of 2009, since tag
 * managers refuse later ones, and runs once where such a place runs it again.
 */
function injected(wanted: Wanted): string {
  const { bare, theme } = wanted;
  const quote = (text: string): string =>
    `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'").replaceAll('</', '<\\/')}'`;
  const list = (texts: readonly string[]): string =>
    texts
      .map((text) => `\n      ${quote(text)},`)
      .join('')
      .slice(0, -1);
  const properties = propertyScript(bare).split('\n').slice(1, -1);
  return lines(
    '<script>',
    '  (function () {',
    '    // The form stands before this element: any selector of CSS.',
    "    var place = document.querySelector('footer');",
    "    if (!place || document.querySelector('newsletter-signup')) return;",
    `    place.insertAdjacentHTML('beforebegin', [${list(write(bare, template).split('\n'))}`,
    "    ].join('\\n'));",
    ...properties.map((line) => `  ${line}`),
    theme &&
      `    document.head.insertAdjacentHTML('beforeend', ${quote(`<link rel="stylesheet" href="${themeAddress(wanted)}">`)});`,
    `    [${addresses(wanted).map(quote).join(', ')}].forEach(function (address) {`,
    "      var script = document.createElement('script');",
    '      script.src = address;',
    '      document.head.appendChild(script);',
    '    });',
    '  })();',
    '</script>',
  );
}

/** For WordPress accounts whose tags, forms and scripts are filtered out: a div that the script turns into a form. */
function whereFiltered(wanted: Wanted): readonly Snippet[] {
  const styles = rule('newsletter-signup', wanted.bare.styles);
  const enqueue = addresses(wanted).map((address) => {
    const handle = address === wanted.script ? 'signup-form' : `signup-form-${wanted.language}`;
    return `  wp_enqueue_script('${handle}', '${address}', [], null, ['strategy' => 'defer']);`;
  });
  if (wanted.theme) enqueue.push(`  wp_enqueue_style('signup-form-${wanted.theme}', '${themeAddress(wanted)}');`);
  return [
    {
      place: 'Where WordPress filters tags, forms and scripts: a div, which shows nothing without the script …',
      code: lines(
        '<!-- wp:html -->',
        write(asDiv({ ...wanted.bare, children: fieldsOf(wanted.bare) }, 'signup'), html),
        '<!-- /wp:html -->',
      ),
    },
    {
      place: '… the script in the theme’s functions.php',
      code: lines("add_action('wp_enqueue_scripts', function () {", ...enqueue, '});'),
    },
    ...(styles ? [{ place: '… and the styles in Appearance → Customize → Additional CSS', code: styles }] : []),
  ];
}

/**
 * `<newsletter-signup>` or `<newsletter-field>` as a div with `data-` attributes. Its other content stays, such as a
 * form in the slot `fallback`.
 */
export function asDiv({ attributes, children }: Tag, kind: 'signup' | 'field'): Tag {
  const { lang, dir, ...rest } = attributes;
  return {
    name: 'div',
    attributes: {
      [`data-newsletter-${kind}`]: true,
      ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [`data-${name}`, value])),
      ...(lang !== undefined && { lang }),
      ...(dir !== undefined && { dir }),
    },
    children: children.map((child) =>
      isTag(child) && child.name === 'newsletter-field' ? asDiv(child, 'field') : child,
    ),
  };
}

export function snippetsFor(setup: Setup, options: Options): readonly Snippet[] {
  return writers[setup.platform](wantedOf(setup, options));
}

/** The tag of a setup in HTML, without the scripts. */
export function markupOf(setup: Setup, options: Options): string {
  return markup(wantedOf(setup, options));
}

function wantedOf(setup: Setup, options: Options): Wanted {
  const bare = tagOf(setup, options);
  const [, relay] = relayEndpoint.exec(String(bare.attributes['endpoint'])) ?? [];
  return {
    tag: tagWithForm(setup, options),
    bare,
    language: setup.language,
    theme: setup.theme,
    script: `${relay ?? siteAddress}/signup-form.js`,
  };
}
