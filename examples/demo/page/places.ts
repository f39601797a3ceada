/**
 * Where the tag can stand: one row for each place, with its snippets. The playground shows the snippets, and the
 * documentation has a page for each row with a guide.
 */
import type { Options, TagSetup } from './options.ts';
import {
  astroComponent,
  clientComponent,
  divOnly,
  divStyles,
  enqueuedScripts,
  fixed,
  inBlock,
  included,
  injected,
  loadingComponent,
  pasted,
  reactComponent,
  scriptsOnly,
  svelteComponent,
  tagOnly,
  vueComponent,
  wantedOf,
  type Code,
} from './snippets.ts';

/** What a visitor does at a place, and what its owner sees of it. */
export const checks = ['Renders', 'Signs up', 'UTM', 'Success event'] as const;

interface Place {
  readonly name: string;
  /** What to paste where, in this order. */
  readonly pieces: readonly (readonly [where: string, code: Code])[];
}

/** A place that has a page of the documentation. */
interface Guide extends Place {
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
  /** The test that does all checks in the place itself, of this version. What no test runs is assumed. */
  readonly run?: {
    readonly test: string;
    readonly version: string;
    readonly what: string;
    /** The place whose picture shows the form, unless there is a page like it. */
    readonly picture?: 'eleventy' | 'docusaurus';
  };
  /** Where the assumptions are from: links in Markdown. */
  readonly sources?: readonly string[];
}

/** When the sources were read. */
export const sourcesRead = 'November 2026';

/** Built by the generator, and opened in a browser. Those with nothing but the form on the page share a picture. */
const built = (version: string, picture: 'eleventy' | 'docusaurus' = 'eleventy'): NonNullable<Guide['run']> => ({
  test: 'test/examples/places.slow.test.ts',
  version,
  what: 'The test builds a site from this code, opens it in Chromium, signs up from an address with a campaign, and finds the subscription.',
  picture,
});

export const places = {
  html: { name: 'HTML', pieces: [['Where the form belongs', pasted]] },
  wordpress: {
    name: 'WordPress',
    pieces: [
      ['A “Custom HTML” block, pasted in the code editor or as the content of the block', inBlock(pasted)],
      [
        'Where WordPress filters tags, forms and scripts: a div, which shows nothing without the script …',
        inBlock(divOnly),
      ],
      ['… the script in the theme’s functions.php', enqueuedScripts],
      ['… and the styles in Appearance → Customize → Additional CSS', divStyles],
    ],
    way: ['Page or post', '+', 'Custom HTML'],
    needs:
      'Simplest is [the plugin](../website/wordpress.md): it brings the script, and every author may use its shortcode. Without it, an account that may write any HTML: an administrator, or an editor of a single site. For other authors WordPress removes tags, forms and scripts. For them there are the other snippets: a `<div>`, and the script in the theme.',
    like: 'wordpress.html',
    run: {
      test: 'test/examples/wordpress.slow.test.ts',
      version: '6.5',
      what: 'The test signs up in Chromium, from an address with a campaign, on pages of a real WordPress with this code and with the shortcode, as four kinds of authors write them.',
    },
    sources: [
      '[Custom HTML block](https://github.com/WordPress/gutenberg/blob/trunk/packages/block-library/src/html/block.json)',
      '[HTML and JavaScript in post content](https://github.com/WordPress/Security-White-Paper/pull/91)',
    ],
  },
  webflow: {
    name: 'Webflow',
    pieces: [['A “Code Embed” element', pasted]],
    way: ['Add elements', 'Advanced', 'Code Embed'],
    needs: 'A plan with custom code.',
    notes: ['The designer shows a placeholder: publish the site, or open its preview, to see the form.'],
    like: 'webflow.html',
    sources: [
      '[Custom code and the Webflow CMS, Webflow University](https://university.webflow.com/course-lesson/custom-code-custom-code-and-the-webflow-cms)',
    ],
  },
  squarespace: {
    name: 'Squarespace',
    pieces: [['A “Code” block, with HTML as its language', pasted]],
    way: ['Edit page', 'Add block', 'Code'],
    needs: 'A plan that allows scripts.',
    notes: ['The editor may show the code instead of the form: look at the published page, signed out.'],
    sources: [
      '[Code injection on Squarespace, a guide by SquareRank](https://squareranked.com/squarespace-schema/json-ld-injection/)',
    ],
  },
  wix: {
    name: 'Wix',
    pieces: [['Settings → Custom Code → Body, end', injected]],
    way: ['Dashboard', 'Settings', 'Custom Code'],
    needs: 'A published site with a domain of its own.',
    notes: [
      'Let the code load on each new page. Wix builds its pages anew while a visitor browses, and can remove what a script has added: if that happens, take the frame.',
      'The element *Embed HTML* takes the tag too, but shows it in a frame of another address: the form sees no campaign there, and the relay has to allow the origin of that frame.',
    ],
    sources: [
      '[About Custom Code, Wix](https://dev.wix.com/docs/develop-websites-sdk/code-your-site/build-a-custom-frontend/custom-code/about-custom-code)',
      '[HtmlComponent, Wix](https://dev.wix.com/docs/velo/velo-only-apis/$w/html-component/introduction)',
    ],
  },
  shopify: {
    name: 'Shopify',
    pieces: [['A “Custom Liquid” section', included]],
    way: ['Online Store', 'Customize', 'Add section', 'Custom Liquid'],
    needs: 'A theme with sections, such as Dawn.',
    notes: ['If your theme has no such section, put the code into a file of `sections`.'],
    sources: [
      '[custom-liquid.liquid of the theme Dawn](https://github.com/Shopify/dawn/blob/main/sections/custom-liquid.liquid)',
    ],
  },
  framer: {
    name: 'Framer',
    pieces: [
      [
        'Assets → Code → a new code component (an “Embed” is a frame, which does not see the campaign of the page)',
        loadingComponent,
      ],
    ],
    way: ['Assets', 'Code', 'New component'],
    needs: 'A site whose plan allows code components.',
    notes: [
      'An *Embed* takes the tag too, but shows it in a frame. A frame does not see the address of the page, so write the campaign into the attributes, such as `utm-source="website"`.',
    ],
    like: 'framer.html',
    sources: [
      '[Comparing Developer Features, Framer](https://framer.com/developers/comparison)',
      '[Code Component, Framer Academy](https://www.framer.com/academy/dictionary/code-component)',
    ],
  },
  ghost: {
    name: 'Ghost',
    pieces: [
      ['An “HTML” card in the post or page', tagOnly],
      ['Settings → Code injection → Site header', scriptsOnly],
    ],
    way: ['Post or page', '+', 'HTML'],
    needs: 'An account that may open *Settings*, for the script.',
    like: 'ghost.html',
    sources: [
      '[ghost_head and ghost_foot, Ghost Developer Docs](https://docs.ghost.org/themes/helpers/utility/ghost_head_foot)',
      '[Content, Ghost Developer Docs](https://docs.ghost.org/themes/content)',
    ],
  },
  carrd: {
    name: 'Carrd',
    pieces: [['An “Embed” element of the type “Code” and the style “Inline”', pasted]],
    way: ['Add', 'Embed', 'Code'],
    needs: 'A Pro plan that has embeds.',
    like: 'carrd.html',
    sources: [
      '[Carrd, a guide by Cronitor](https://cronitor.io/docs/rum-integration-carrd)',
      '[Carrd, a guide by Rybbit](https://rybbit.com/docs/guides/carrd)',
    ],
  },
  hugo: {
    name: 'Hugo',
    pieces: [
      ['layouts/shortcodes/signup.html', included],
      ['The page', fixed('html', '{{< signup >}}')],
    ],
    way: ['layouts', 'shortcodes', 'signup.html'],
    notes: [
      'For a template instead of a page, put the file into `layouts/partials` and write `{{ partial "signup.html" . }}`.',
    ],
    run: built('the package of Debian 12'),
  },
  jekyll: {
    name: 'Jekyll',
    pieces: [
      ['_includes/signup.html', included],
      ['The page or its layout', fixed('html', '{% include signup.html %}')],
    ],
    way: ['_includes', 'signup.html'],
    run: built('the package of Debian 12'),
  },
  eleventy: {
    name: 'Eleventy',
    pieces: [
      ['_includes/signup.html', included],
      ['The page or its layout', fixed('html', '{% include "signup.html" %}')],
    ],
    way: ['_includes', 'signup.html'],
    run: built('3.1.8'),
  },
  astro: {
    name: 'Astro',
    pieces: [
      ['src/components/SignupForm.astro', astroComponent],
      [
        'The page or its layout',
        fixed('astro', '---', "import SignupForm from '../components/SignupForm.astro';", '---', '', '<SignupForm />'),
      ],
    ],
    way: ['src', 'components', 'SignupForm.astro'],
    run: built('7.3.5'),
  },
  next: {
    name: 'Next.js',
    pieces: [
      ['app/signup-form.jsx', clientComponent],
      ['The page', fixed('jsx', "import { SignupForm } from './signup-form';", '', '<SignupForm />')],
    ],
    way: ['app', 'signup-form.jsx'],
    needs: 'React 19, which Next.js 15 and later have.',
    isBundled: true,
    run: built('16.4.6'),
  },
  nuxt: {
    name: 'Nuxt',
    pieces: [
      ['app/components/SignupForm.vue', vueComponent],
      ['The page', fixed('vue', '<SignupForm />')],
      [
        'nuxt.config.ts, so that Vue treats the tag as a custom element',
        fixed(
          'ts',
          'export default defineNuxtConfig({',
          "  vue: { compilerOptions: { isCustomElement: (tag) => tag.startsWith('newsletter-') } },",
          '});',
        ),
      ],
    ],
    way: ['app', 'components', 'SignupForm.vue'],
    isBundled: true,
    run: built('4.5.2'),
  },
  sveltekit: {
    name: 'SvelteKit',
    pieces: [
      ['src/routes/SignupForm.svelte', svelteComponent],
      [
        'The page',
        fixed(
          'svelte',
          '<script>',
          "  import SignupForm from './SignupForm.svelte';",
          '</script>',
          '',
          '<SignupForm />',
        ),
      ],
    ],
    way: ['src', 'routes', 'SignupForm.svelte'],
    isBundled: true,
    run: built('3.2.0'),
  },
  docusaurus: {
    name: 'Docusaurus',
    pieces: [
      ['src/components/SignupForm.jsx', reactComponent],
      [
        'The page, in MDX',
        fixed('jsx', "import { SignupForm } from '@site/src/components/SignupForm';", '', '<SignupForm />'),
      ],
    ],
    way: ['src', 'components', 'SignupForm.jsx'],
    needs: 'React 19.',
    isBundled: true,
    run: built('3.10.2', 'docusaurus'),
  },
  gtm: {
    name: 'Google Tag Manager',
    pieces: [['Tags → New → Custom HTML, with a trigger of the type “DOM Ready”', injected]],
    way: ['Tags', 'New', 'Custom HTML'],
    needs: 'A container that is on the site already.',
    notes: [
      'Tag Manager has no place in the page, so the script puts the form before the footer. Choose another place by its CSS selector.',
      'Consent settings of Tag Manager that hold back the tag hold back the form. If you can edit the page itself, do that: the form is there at once then, and without JavaScript.',
      'To count signups in Google Analytics, see [beside other analytics](../website/analytics.md).',
    ],
    sources: ['[Custom tags, Tag Manager Help](https://support.google.com/tagmanager/answer/6107167)'],
  },
  react: { name: 'React', pieces: [['A component (React 19)', reactComponent]] },
  vue: {
    name: 'Vue',
    pieces: [
      ['A component (Vue 3)', vueComponent],
      [
        'vite.config.js, so that Vue treats the tag as a custom element',
        fixed(
          'js',
          "import vue from '@vitejs/plugin-vue';",
          'export default {',
          "  plugins: [vue({ template: { compilerOptions: { isCustomElement: (tag) => tag.startsWith('newsletter-') } } })],",
          '};',
        ),
      ],
    ],
  },
  svelte: { name: 'Svelte', pieces: [['A component (Svelte 5)', svelteComponent]] },
} satisfies Readonly<Record<string, Place | Guide>>;

export type Platform = keyof typeof places;

function isPlatform(name: string): name is Platform {
  return Object.hasOwn(places, name);
}

export const platforms = Object.keys(places).filter(isPlatform);

/** The places that have a page of the documentation. */
export const guides = platforms.flatMap((platform) => {
  const place: Place | Guide = places[platform];
  if (!('way' in place)) return [];
  return [{ ...place, platform, picture: place.like ? platform : place.run?.picture }];
});
export type GuidedPlace = (typeof guides)[number];

/** A piece of code to copy. */
export interface Snippet {
  /** Where to paste it. */
  readonly place: string;
  readonly code: string;
  readonly language: string;
}

/** The snippets of a setup, for its place. */
export function snippetsFor(setup: TagSetup & { readonly platform: Platform }, options: Options): readonly Snippet[] {
  const { pieces }: Place = places[setup.platform];
  const wanted = wantedOf(setup, options);
  return pieces
    .map(([place, { language, write }]) => ({ place, code: write(wanted), language }))
    .filter(({ code }) => code !== '');
}
