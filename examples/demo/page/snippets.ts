/** The snippets to copy: the tag in the form that each kind of website takes. */
import { html, jsx, propertyScript, rule, svelte, vue, write, type Tag } from './markup.ts';

/** The kinds of websites. */
export const platforms = {
  html: 'HTML',
  wordpress: 'WordPress',
  webflow: 'Webflow',
  framer: 'Framer',
  ghost: 'Ghost',
  react: 'React',
  vue: 'Vue',
  svelte: 'Svelte',
} as const;

export type Platform = keyof typeof platforms;

export function isPlatform(name: string): name is Platform {
  return Object.hasOwn(platforms, name);
}

export interface Snippet {
  /** Where to paste it. */
  readonly place: string;
  readonly code: string;
}

interface Wanted {
  readonly tag: Tag;
  /** A language tag; `en` needs no file. */
  readonly language: string;
  /** Name of a theme; empty for none. */
  readonly theme: string;
}

/** The script's address on the user's website, as an example. */
const scriptAddress = 'https://your-site.example/signup-form.js';

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

/** Whether the layout has no surface around the form. */
const isBare = ({ attributes: { layout = 'inline' } }: Tag): boolean =>
  ['inline', 'joined', 'stacked'].includes(String(layout));
const bareWidth = {
  display: 'flow-root',
  'max-inline-size': 'var(--newsletter-width, 30rem)',
  'margin-inline': 'auto',
};

/**
 * The style sheet's rules: custom properties, and what keeps a picture and a form in the page's HTML from moving when
 * the script is loaded. In a layout with a surface such a form still moves by the padding.
 */
const rules = ({ tag }: Wanted): string =>
  lines(
    rule('newsletter-signup', tag.styles),
    // Reserves the height of a picture that is not loaded yet.
    tag.children.some((child) => isTag(child) && child.name === 'img') &&
      rule("newsletter-signup > [slot='picture']", { 'aspect-ratio': '4 / 3' }),
    hasOwnForm(tag) && isBare(tag) && rule('newsletter-signup', bareWidth),
  );
const sheet = (wanted: Wanted): string => {
  const { theme } = wanted;
  const styles = rules(wanted);
  return lines(
    theme && `<link rel="stylesheet" href="${themeAddress(theme)}">`,
    styles && `<style>\n${styles}\n</style>`,
  );
};
/** The style sheet's rules in JSX, where the tag itself has the custom properties. */
const jsxSheet = (wanted: Wanted): string => {
  const { styles: _, ...tag } = wanted.tag;
  const css = rules({ ...wanted, tag });
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
    { place: 'Where the form belongs', code: markup(wanted.tag) },
  ],
  // No blank lines: some themes turn them into paragraphs.
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
      code: `${imports(wanted)}\n\nexport function SignupForm() {\n  return (\n${write(wanted.tag, jsx, 2)}\n  );\n}`,
    },
  ],
  vue: (wanted) => [
    {
      place: 'A component (Vue 3)',
      code: `<script setup>\n${imports(wanted)}\n</script>\n\n<template>\n${write(wanted.tag, vue, 1)}\n</template>`,
    },
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
  svelte: (wanted) => [
    {
      place: 'A component (Svelte 5)',
      code: `<script>\n${imports(wanted).replace(/^/gm, '  ')}\n</script>\n\n${write(wanted.tag, svelte)}`,
    },
  ],
};

/** For WordPress accounts whose tags and scripts are filtered out: a div that the script replaces with the form. */
function whereFiltered(wanted: Wanted): readonly Snippet[] {
  const styles = rules(wanted);
  const enqueue = addresses(wanted).map((address) => {
    const handle = address === scriptAddress ? 'signup-form' : `signup-form-${wanted.language}`;
    return `  wp_enqueue_script('${handle}', '${address}', [], null, ['strategy' => 'defer']);`;
  });
  if (wanted.theme) enqueue.push(`  wp_enqueue_style('signup-form-${wanted.theme}', '${themeAddress(wanted.theme)}');`);
  return [
    {
      place: 'Where WordPress filters HTML: the same block as a div …',
      code: lines('<!-- wp:html -->', write(asDiv(wanted.tag, 'signup'), html), '<!-- /wp:html -->'),
    },
    {
      place: '… and the script in the theme’s functions.php',
      code: lines("add_action('wp_enqueue_scripts', function () {", ...enqueue, '});'),
    },
    ...(styles ? [{ place: '… and the styles in Appearance → Customize → Additional CSS', code: styles }] : []),
  ];
}

/** `<newsletter-signup>` or `<newsletter-field>` as a div with `data-` attributes, without its slots. */
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
