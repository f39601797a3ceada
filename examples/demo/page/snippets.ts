/** The kinds of code to copy: the tag as a kind of website takes it. `places.ts` says which takes which. */
import { readEndpoint } from './endpoint.ts';
import { fieldsOf, formOf, isTag } from './fallback.ts';
import { html, jsx, propertyScript, rule, svelte, template, vue, write, type Dialect, type Tag } from './markup.ts';
import type { Options, TagSetup } from './options.ts';
import { tagOf, tagWithForm } from './tag.ts';

export interface Wanted {
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

const lines = (...parts: readonly (string | false | undefined)[]): string => parts.filter(Boolean).join('\n');
/** The language first: the form has its texts from the start then. */
const addresses = ({ language, script }: Wanted): string[] => [
  ...(language === 'en' ? [] : [new URL(`languages/${language}.js`, script).href]),
  script,
];
const scripts = (wanted: Wanted): string =>
  addresses(wanted)
    .map((address) => `<script src="${address}" async></script>`)
    .join('\n');
/** That of the form until the script has come, unless the form is the page's own, and that of the theme. */
const sheets = ({ tag, theme, script }: Wanted): string[] => [
  ...(formOf(tag)?.attributes['slot'] ? [script.replace(/js$/, 'css')] : []),
  ...(theme ? [new URL(`themes/${theme}.css`, script).href] : []),
];
const links = (wanted: Wanted): string =>
  sheets(wanted)
    .map((address) => `<link rel="stylesheet" href="${address}">`)
    .join('\n');

const markup = (wanted: Wanted, dialect: Dialect = html): string =>
  lines(links(wanted), write(wanted.tag, dialect), propertyScript(wanted.tag));
const imports = ({ tag, language, theme }: Wanted): string =>
  lines(
    "import '@newsletter-kit/signup/define';",
    formOf(tag)?.attributes['slot'] && "import '@newsletter-kit/signup/signup-form.css';",
    language === 'en' ? '' : `import '@newsletter-kit/signup/languages/${language}';`,
    theme && `import '@newsletter-kit/signup/themes/${theme}.css';`,
  );

/** A kind of code: how it is written, and its language for who colours it. */
export interface Code {
  readonly language: string;
  readonly write: (wanted: Wanted) => string;
}

const code = (language: string, writer: Code['write']): Code => ({ language, write: writer });

/** The same for every setup. */
export const fixed = (language: string, ...text: readonly string[]): Code => code(language, () => text.join('\n'));
/** The tag with its form and its style sheets. */
export const tagOnly = code('html', (wanted) => markup(wanted));
export const scriptsOnly = code('html', scripts);
/** The tag and its scripts in one piece. */
export const pasted = code('html', (wanted) => lines(markup(wanted), scripts(wanted)));
/** The same in a file of templates. */
export const included = code('html', (wanted) => lines(markup(wanted, template), scripts(wanted)));
export const astroComponent = code('astro', (wanted) => included.write(wanted).replaceAll('<script', '$& is:inline'));
/** In WordPress a block. No blank lines: some themes turn them into paragraphs. */
export const inBlock = ({ language, write: content }: Code): Code =>
  code(language, (wanted) => lines('<!-- wp:html -->', content(wanted), '<!-- /wp:html -->'));
export const reactComponent = code(
  'jsx',
  (wanted) => `${imports(wanted)}\n\nexport function SignupForm() {\n  return (\n${write(wanted.tag, jsx, 2)}\n  );\n}`,
);
/** A component that only runs in the browser. */
export const clientComponent = code('jsx', (wanted) => `'use client';\n\n${reactComponent.write(wanted)}`);
export const vueComponent = code(
  'vue',
  (wanted) => `<script setup>\n${imports(wanted)}\n</script>\n\n<template>\n${write(wanted.tag, vue, 1)}\n</template>`,
);
export const svelteComponent = code(
  'svelte',
  (wanted) => `<script>\n${imports(wanted).replace(/^/gm, '  ')}\n</script>\n\n${write(wanted.tag, svelte)}`,
);
/** A React component for places without a build: it loads the scripts itself. */
export const loadingComponent = code('jsx', (wanted) =>
  lines(
    "import { useEffect } from 'react';",
    'export default function SignupForm() {',
    '  useEffect(() => {',
    `    for (const src of [${addresses(wanted)
      .map((address) => `'${address}'`)
      .join(', ')}]) {`,
    '      if (document.querySelector(`script[src="${src}"]`)) continue;',
    "      document.head.append(Object.assign(document.createElement('script'), { src }));",
    '    }',
    ...sheets(wanted).map(
      (address) =>
        `    document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '${address}' }));`,
    ),
    '  }, []);',
    '  return (',
    write(wanted.tag, jsx, 2),
    '  );',
    '}',
  ),
);
/** A div that the script turns into a form, for accounts whose tags, forms and scripts are filtered out. */
export const divOnly = code('html', ({ bare }) => write(asDiv({ ...bare, children: fieldsOf(bare) }, 'signup'), html));
/** Its custom properties; empty without any. */
export const divStyles = code('css', ({ bare }) => rule('newsletter-signup', bare.styles));
export const enqueuedScripts = code('php', (wanted) =>
  lines(
    "add_action('wp_enqueue_scripts', function () {",
    ...addresses(wanted).map((address) => {
      const handle = address === wanted.script ? 'signup-form' : `signup-form-${wanted.language}`;
      return `  wp_enqueue_script('${handle}', '${address}', [], null, ['strategy' => 'defer']);`;
    }),
    wanted.theme && `  wp_enqueue_style('signup-form-${wanted.theme}', '${sheets(wanted).at(-1)}');`,
    '});',
  ),
);

/**
 * A script that puts the form into the page, for places that take scripts only. It is in the syntax of 2009, since tag
 * managers refuse later ones, and runs once where such a place runs it again.
 */
function writeInjected(wanted: Wanted): string {
  const { bare } = wanted;
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
    wanted.theme &&
      `    document.head.insertAdjacentHTML('beforeend', ${quote(`<link rel="stylesheet" href="${sheets(wanted).at(-1)}">`)});`,
    `    [${addresses(wanted).map(quote).join(', ')}].forEach(function (address) {`,
    "      var script = document.createElement('script');",
    '      script.src = address;',
    '      document.head.appendChild(script);',
    '    });',
    '  })();',
    '</script>',
  );
}
export const injected = code('html', writeInjected);

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

/** The tag of a setup in HTML, without the scripts. */
export function markupOf(setup: TagSetup, options: Options): string {
  return tagOnly.write(wantedOf(setup, options));
}

/** What the code of a setup is written from. */
export function wantedOf(setup: TagSetup, options: Options): Wanted {
  const bare = tagOf(setup, options);
  const { relay = siteAddress } = readEndpoint(String(bare.attributes['endpoint']));
  return {
    tag: tagWithForm(setup, options),
    bare,
    language: setup.language,
    theme: setup.theme,
    script: `${relay}/signup-form.js`,
  };
}
