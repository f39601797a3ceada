/** Where the tag can stand: one row for each place. The pages about them are written from this table. */
import type { Platform } from './setup.ts';

/** What a visitor does at a place, and what its owner sees of it. */
export const checks = {
  renders: 'Renders',
  signsUp: 'Signs up',
  utm: 'UTM',
  event: 'Success event',
} as const;
export type Check = keyof typeof checks;

/** What a row says of a place by its own documentation. */
interface Source {
  readonly title: string;
  readonly address: string;
}

export interface Place {
  /** The kind of snippet that the playground writes for it. */
  readonly platform: Platform;
  readonly name: string;
  /** Words of readers that the page does not have. */
  readonly keywords: string;
  /** The way to the place where the code is pasted, through the menus or folders. */
  readonly way: readonly string[];
  /** What the account or the project needs. */
  readonly needs?: string;
  /** The script is in the bundle of the project, from the package. */
  readonly isBundled?: true;
  /** What is different there, a paragraph each. */
  readonly notes?: readonly string[];
  /** A page of `examples/pages`, made like those of the place. A test signs up on it. */
  readonly like?: string;
  /** The test that runs the snippet in the place itself, of this version. What no test runs is assumed. */
  readonly run?: {
    readonly test: string;
    readonly version: string;
    readonly what: string;
    readonly checks: readonly Check[];
  };
  /** Where the assumptions are from, and when these pages were read. */
  readonly sources: readonly Source[];
}

/** When the sources were read. */
export const sourcesRead = 'November 2026';

const everyCheck = Object.keys(checks) as Check[];

/** Built by the generator, and opened in a browser. */
const built = (version: string): Required<Place>['run'] => ({
  test: 'test/examples/places.slow.test.ts',
  version,
  what: 'The test builds a site from this code, opens it in Chromium, signs up from an address with a campaign, and finds the subscription.',
  checks: everyCheck,
});

export const places: readonly Place[] = [
  {
    platform: 'wordpress',
    name: 'WordPress',
    keywords:
      'Gutenberg, block editor, classic editor, Elementor, Divi, plugin, shortcode, embed code breaks, wp-admin, functions.php',
    way: ['Page or post', '+', 'Custom HTML'],
    needs:
      'Simplest is [the plugin](../website/wordpress.md): it brings the script, and every author may use its shortcode. Without it, an account that may write any HTML: an administrator, or an editor of a single site. For other authors WordPress removes tags, forms and scripts. For them there are the other snippets: a `<div>`, and the script in the theme.',
    like: 'wordpress.html',
    run: {
      test: 'test/examples/wordpress.slow.test.ts',
      version: '6.5',
      what: 'The test signs up in Chromium, from an address with a campaign, on pages of a real WordPress with this code and with the shortcode, as four kinds of authors write them.',
      checks: everyCheck,
    },
    sources: [
      {
        title: 'Custom HTML block',
        address: 'https://github.com/WordPress/gutenberg/blob/trunk/packages/block-library/src/html/block.json',
      },
      {
        title: 'HTML and JavaScript in post content',
        address: 'https://github.com/WordPress/Security-White-Paper/pull/91',
      },
    ],
  },
  {
    platform: 'webflow',
    name: 'Webflow',
    keywords: 'site builder, no-code, custom code, HTML embed, designer, paste HTML, iframe',
    way: ['Add elements', 'Advanced', 'Code Embed'],
    needs: 'A plan with custom code.',
    notes: ['The designer shows a placeholder: publish the site, or open its preview, to see the form.'],
    like: 'webflow.html',
    sources: [
      {
        title: 'Custom code and the Webflow CMS, Webflow University',
        address: 'https://university.webflow.com/course-lesson/custom-code-custom-code-and-the-webflow-cms',
      },
    ],
  },
  {
    platform: 'squarespace',
    name: 'Squarespace',
    keywords: 'site builder, code injection, code block, embed block, paste HTML, iframe',
    way: ['Edit page', 'Add block', 'Code'],
    needs: 'A plan that allows scripts.',
    notes: ['The editor may show the code instead of the form: look at the published page, signed out.'],
    sources: [
      {
        title: 'Code injection on Squarespace, a guide by SquareRank',
        address: 'https://squareranked.com/squarespace-schema/json-ld-injection/',
      },
    ],
  },
  {
    platform: 'wix',
    name: 'Wix',
    keywords: 'site builder, Wix Studio, Wix Editor, Velo, embed HTML, HTML iframe, custom element',
    way: ['Dashboard', 'Settings', 'Custom Code'],
    needs: 'A published site with a domain of its own.',
    notes: [
      'Let the code load on each new page. Wix builds its pages anew while a visitor browses, and can remove what a script has added: if that happens, take the frame.',
      'The element *Embed HTML* takes the tag too, but shows it in a frame of another address: the form sees no campaign there, and the relay has to allow the origin of that frame.',
    ],
    sources: [
      {
        title: 'About Custom Code, Wix',
        address:
          'https://dev.wix.com/docs/develop-websites-sdk/code-your-site/build-a-custom-frontend/custom-code/about-custom-code',
      },
      {
        title: 'HtmlComponent, Wix',
        address: 'https://dev.wix.com/docs/velo/velo-only-apis/$w/html-component/introduction',
      },
    ],
  },
  {
    platform: 'shopify',
    name: 'Shopify',
    keywords: 'shop, store, e-commerce, theme, Liquid, Dawn, online store 2.0, custom liquid',
    way: ['Online Store', 'Customize', 'Add section', 'Custom Liquid'],
    needs: 'A theme with sections, such as Dawn.',
    notes: ['If your theme has no such section, put the code into a file of `sections`.'],
    sources: [
      {
        title: 'custom-liquid.liquid of the theme Dawn',
        address: 'https://github.com/Shopify/dawn/blob/main/sections/custom-liquid.liquid',
      },
    ],
  },
  {
    platform: 'framer',
    name: 'Framer',
    keywords: 'site builder, no-code, code component, override, embed, React',
    way: ['Assets', 'Code', 'New component'],
    needs: 'A site whose plan allows code components.',
    notes: [
      'An *Embed* takes the tag too, but shows it in a frame. A frame does not see the address of the page, so write the campaign into the attributes, such as `utm-source="website"`.',
    ],
    like: 'framer.html',
    sources: [
      { title: 'Comparing Developer Features, Framer', address: 'https://framer.com/developers/comparison' },
      { title: 'Code Component, Framer Academy', address: 'https://www.framer.com/academy/dictionary/code-component' },
    ],
  },
  {
    platform: 'ghost',
    name: 'Ghost',
    keywords: 'blog, publication, members, Koenig editor, theme, Casper, code injection, HTML card',
    way: ['Post or page', '+', 'HTML'],
    needs: 'An account that may open *Settings*, for the script.',
    like: 'ghost.html',
    sources: [
      {
        title: 'ghost_head and ghost_foot, Ghost Developer Docs',
        address: 'https://docs.ghost.org/themes/helpers/utility/ghost_head_foot',
      },
      { title: 'Content, Ghost Developer Docs', address: 'https://docs.ghost.org/themes/content' },
    ],
  },
  {
    platform: 'carrd',
    name: 'Carrd',
    keywords: 'one-page site, landing page, link in bio, embed, Pro plan',
    way: ['Add', 'Embed', 'Code'],
    needs: 'A Pro plan that has embeds.',
    like: 'carrd.html',
    sources: [
      { title: 'Carrd, a guide by Cronitor', address: 'https://cronitor.io/docs/rum-integration-carrd' },
      { title: 'Carrd, a guide by Rybbit', address: 'https://rybbit.com/docs/guides/carrd' },
    ],
  },
  {
    platform: 'hugo',
    name: 'Hugo',
    keywords: 'static site generator, shortcode, partial, Go templates, Markdown, JAMstack, theme',
    way: ['layouts', 'shortcodes', 'signup.html'],
    notes: [
      'For a template instead of a page, put the file into `layouts/partials` and write `{{ partial "signup.html" . }}`.',
    ],
    run: built('the package of Debian 12'),
    sources: [],
  },
  {
    platform: 'jekyll',
    name: 'Jekyll',
    keywords: 'static site generator, GitHub Pages, Liquid, include, Markdown, blog',
    way: ['_includes', 'signup.html'],
    run: built('the package of Debian 12'),
    sources: [],
  },
  {
    platform: 'eleventy',
    name: 'Eleventy',
    keywords: '11ty, static site generator, Nunjucks, Liquid, passthrough copy, JAMstack',
    way: ['_includes', 'signup.html'],
    run: built('3.1.8'),
    sources: [],
  },
  {
    platform: 'astro',
    name: 'Astro',
    keywords: 'static site generator, Starlight, island, component, is:inline, client script',
    way: ['src', 'components', 'SignupForm.astro'],
    run: built('7.3.5'),
    sources: [],
  },
  {
    platform: 'next',
    name: 'Next.js',
    keywords: 'React, app router, use client, SSR, server components, hydration, Vercel, integrate',
    way: ['app', 'signup-form.jsx'],
    needs: 'React 19, which Next.js 15 and later have.',
    isBundled: true,
    run: built('16.4.6'),
    sources: [],
  },
  {
    platform: 'nuxt',
    name: 'Nuxt',
    keywords: 'Vue, SSR, ClientOnly, plugin, hydration, isCustomElement, compilerOptions, integrate',
    way: ['app', 'components', 'SignupForm.vue'],
    isBundled: true,
    run: built('4.5.2'),
    sources: [],
  },
  {
    platform: 'sveltekit',
    name: 'SvelteKit',
    keywords: 'Svelte, SSR, prerender, adapter, hydration, integrate',
    way: ['src', 'routes', 'SignupForm.svelte'],
    isBundled: true,
    run: built('3.2.0'),
    sources: [],
  },
  {
    platform: 'docusaurus',
    name: 'Docusaurus',
    keywords: 'documentation site, MDX, React, swizzle, footer, blog',
    way: ['src', 'components', 'SignupForm.jsx'],
    needs: 'React 19.',
    isBundled: true,
    run: built('3.10.2'),
    sources: [],
  },
  {
    platform: 'gtm',
    name: 'Google Tag Manager',
    keywords: 'GTM, tag manager, custom HTML tag, inject, container, no access to the site',
    way: ['Tags', 'New', 'Custom HTML'],
    needs: 'A container that is on the site already.',
    notes: [
      'Tag Manager has no place in the page, so the script puts the form before the footer. Choose another place by its CSS selector.',
      'Consent settings of Tag Manager that hold back the tag hold back the form. If you can edit the page itself, do that: the form is there at once then, and without JavaScript.',
      'To count signups in Google Analytics, see [beside other analytics](../website/analytics.md).',
    ],
    sources: [
      { title: 'Custom tags, Tag Manager Help', address: 'https://support.google.com/tagmanager/answer/6107167' },
    ],
  },
];
