/** What to copy: the tag as each kind of website takes it. */
import { html, jsx, propertyScript, rule, svelte, vue, write, type Tag } from './markup.ts';
import type { Platform } from './platforms.ts';
import { reservation, type Sample } from './space.ts';

/** One thing to copy, and where it goes. */
export interface Snippet {
  /** Where to put it. */
  readonly place: string;
  readonly code: string;
}

interface Wanted {
  readonly tag: Tag;
  /** `en` needs no file. */
  readonly language: string;
  /** Name of a theme, or nothing. */
  readonly theme: string;
  /** The form's height at each width, as far as it is measured. */
  readonly samples?: readonly Sample[] | undefined;
}

/** Where the files of the package lie on the visitor's own website. */
const scriptAddress = 'https://your-site.example/newsletter-signup.js';

const lines = (...parts: readonly (string | false | undefined)[]): string => parts.filter(Boolean).join('\n');
const languageAddress = (language: string): string => new URL(`languages/${language}.js`, scriptAddress).href;
const addresses = ({ language }: Wanted): string[] => [
  scriptAddress,
  ...(language === 'en' ? [] : [languageAddress(language)]),
];
const themeAddress = (theme: string): string => new URL(`themes/${theme}.css`, scriptAddress).href;
const markup = (tag: Tag): string => lines(write(tag, html), propertyScript(tag));
const scripts = (wanted: Wanted): string =>
  addresses(wanted)
    .map((address) => `<script src="${address}" async></script>`)
    .join('\n');
const isTag = (child: Tag | string): child is Tag => typeof child !== 'string';
const hasOwnForm = ({ children }: Tag): boolean => children.some((child) => isTag(child) && child.name === 'form');

/** Whether the layout puts nothing around the form. */
const isBare = ({ attributes: { layout = 'inline' } }: Tag): boolean =>
  ['inline', 'joined', 'stacked'].includes(String(layout));
const bareWidth = {
  display: 'flow-root',
  'max-inline-size': 'var(--newsletter-width, 30rem)',
  'margin-inline': 'auto',
};

/**
 * Rules of the page: custom properties, and the space that is kept free until the script has come. A form of the page's
 * own is there from the start, as wide as the element will make it; on a surface it still moves by the padding.
 */
const rules = ({ tag, samples }: Wanted, undefinedForm: string): string =>
  lines(
    rule('newsletter-signup', tag.styles),
    // A picture has its height before it is loaded.
    tag.children.some((child) => isTag(child) && child.name === 'img') &&
      rule("newsletter-signup > [slot='picture']", { 'aspect-ratio': '4 / 3' }),
    hasOwnForm(tag)
      ? isBare(tag) && rule('newsletter-signup', bareWidth)
      : samples && reservation(undefinedForm, tag.attributes['layout'] === 'dialog' ? [] : samples),
  );
const sheet = (wanted: Wanted): string => {
  const { theme } = wanted;
  const styles = rules(wanted, 'newsletter-signup:not(:defined)');
  return lines(
    theme && `<link rel="stylesheet" href="${themeAddress(theme)}">`,
    styles && `<style>\n${styles}\n</style>`,
  );
};
/** Rules of the page as React writes them; custom properties stand on the tag itself there. */
const jsxSheet = (wanted: Wanted): string => {
  const { styles: _, ...tag } = wanted.tag;
  const css = rules({ ...wanted, tag }, 'newsletter-signup:not(:defined)');
  return css && `      <style>{\`\n${css}\n\`}</style>`;
};
const imports = ({ language, theme }: Wanted): string =>
  lines(
    "import '@newsletter-kit/signup/define';",
    language === 'en' ? '' : `import '@newsletter-kit/signup/languages/${language}';`,
    theme && `import '@newsletter-kit/signup/themes/${theme}.css';`,
  );

const writers: Readonly<Record<Platform, (wanted: Wanted) => readonly Snippet[]>> = {
  html: (wanted) => [
    { place: 'In <head>', code: lines(scripts(wanted), sheet(wanted)) },
    { place: 'Where the form shall stand', code: markup(wanted.tag) },
  ],
  // Without blank lines, which some themes turn into paragraphs.
  wordpress: (wanted) => [
    {
      place: 'A “Custom HTML” block, pasted in the code editor or as the content of the block',
      code: lines('<!-- wp:html -->', scripts(wanted), sheet(wanted), markup(wanted.tag), '<!-- /wp:html -->'),
    },
    ...(hasOwnForm(wanted.tag) ? [] : whereFiltered(wanted)),
  ],
  webflow: (wanted) => [
    { place: 'A “Code Embed” element', code: lines(sheet(wanted), markup(wanted.tag), scripts(wanted)) },
  ],
  ghost: (wanted) => [
    { place: 'Settings → Code injection → Site header', code: lines(scripts(wanted), sheet(wanted)) },
    { place: 'An “HTML” card in the post or page', code: markup(wanted.tag) },
  ],
  framer: (wanted) => [
    {
      place:
        'Assets → Code → a new code component: in the page itself, where an “Embed” would stand in a frame that knows no campaign',
      code: lines(
        "import { useEffect } from 'react';",

        'export default function Newsletter() {',
        '  useEffect(() => {',
        `    for (const src of [${addresses(wanted)
          .map((address) => `'${address}'`)
          .join(', ')}]) {`,
        '      if (document.querySelector(`script[src="${src}"]`)) continue;',
        "      document.head.append(Object.assign(document.createElement('script'), { src }));",
        '    }',
        wanted.theme &&
          `    document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '${themeAddress(wanted.theme)}' }));`,
        '  }, []);',
        '  return (',
        '    <>',
        jsxSheet(wanted),
        write(wanted.tag, jsx, 3),
        '    </>',
        '  );',
        '}',
      ),
    },
  ],
  react: (wanted) => [
    {
      place: 'A component (React 19)',
      code: `${imports(wanted)}\n\nexport function Newsletter() {\n  return (\n${write(wanted.tag, jsx, 2)}\n  );\n}`,
    },
  ],
  vue: (wanted) => [
    {
      place: 'A component (Vue 3)',
      code: `<script setup>\n${imports(wanted)}\n</script>\n\n<template>\n${write(wanted.tag, vue, 1)}\n</template>`,
    },
    {
      place: 'vite.config.js, so that Vue leaves the tag to the browser',
      code: lines(
        "import vue from '@vitejs/plugin-vue';",
        'export default {',
        "  plugins: [vue({ template: { compilerOptions: { isCustomElement: (tag) => tag.startsWith('newsletter-') } } })],",
        '};',
      ),
    },
  ],
  svelte: (wanted) => [
    {
      place: 'A component (Svelte 5)',
      code: `<script>\n${imports(wanted).replace(/^/gm, '  ')}\n</script>\n\n${write(wanted.tag, svelte)}`,
    },
  ],
};

/**
 * For WordPress authors whose tags and scripts are taken out: a div that the script makes a form of, the rest from the
 * theme.
 */
function whereFiltered(wanted: Wanted): readonly Snippet[] {
  const styles = rules(wanted, '[data-newsletter-signup]:not(:has(newsletter-signup))');
  const enqueue = addresses(wanted).map((address) => {
    const handle = address === scriptAddress ? 'newsletter-signup' : `newsletter-signup-${wanted.language}`;
    return `  wp_enqueue_script('${handle}', '${address}', [], null, ['strategy' => 'defer']);`;
  });
  if (wanted.theme)
    enqueue.push(`  wp_enqueue_style('newsletter-signup-${wanted.theme}', '${themeAddress(wanted.theme)}');`);
  return [
    {
      place: 'Where WordPress filters HTML: the same block as a div …',
      code: lines('<!-- wp:html -->', write(asDiv(wanted.tag, 'signup'), html), '<!-- /wp:html -->'),
    },
    {
      place: '… and the script in the theme’s functions.php',
      code: lines("add_action('wp_enqueue_scripts', function () {", ...enqueue, '});'),
    },
    ...(styles ? [{ place: '… and the looks in Appearance → Customize → Additional CSS', code: styles }] : []),
  ];
}

/** A tag of ours as a div with `data-` attributes. Slots are left out: their content would need tags of its own. */
function asDiv({ attributes, children }: Tag, kind: 'signup' | 'field'): Tag {
  const { lang, dir, ...rest } = attributes;
  return {
    name: 'div',
    attributes: {
      [`data-newsletter-${kind}`]: true,
      ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [`data-${name}`, value])),
      ...(lang !== undefined && { lang }),
      ...(dir !== undefined && { dir }),
    },
    children: children.flatMap((child) =>
      typeof child !== 'string' && child.name === 'newsletter-field' ? [asDiv(child, 'field')] : [],
    ),
  };
}

export function snippetsFor(platform: Platform, wanted: Wanted): readonly Snippet[] {
  return writers[platform](wanted);
}
