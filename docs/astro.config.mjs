/** The documentation site: Starlight over the Markdown of `src/content/docs`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { satteri } from '@astrojs/markdown-satteri';
import starlight from '@astrojs/starlight';
import { defineConfig } from 'astro/config';
import starlightLinksValidator from 'starlight-links-validator';
import { base, content, repository, site } from './site.ts';
import { brokenLinks, repositoryLinks } from './repository-links.ts';
import { breakableCode, commentsAbove, labelledCells } from './readable.ts';

/**
 * A group of the sidebar with the pages of a folder, closed but for the first and that of the page; the
 * `sidebar.order` of a page gives its place.
 *
 * @param {string} label
 * @param {string} directory
 */
function folder(label, directory) {
  const group = { label, collapsed: directory !== 'start', items: [{ autogenerate: { directory } }] };
  return existsSync(join(content, directory)) ? [group] : [];
}

/** The pages that have what other pages had, by the old addresses, which lead to them. */
const moved = {
  'about/cost': 'about/fit/#what-it-costs',
  'about/maturity': 'about/fit/#maturity',
  'cli/probe': 'services/',
  'client/hosts': 'client/advanced/#hosts',
  'client/rate-limit': 'client/advanced/#speed',
  'client/types': 'client/advanced/#types',
  'concepts/attribution': 'website/attribution/',
  'sandbox/control': 'reference/sandbox-control/',
  'website/reference': 'reference/element/',
  'website/style-reference': 'website/styling/',
};

/** The search box imports Pagefind by its address; it gets ours, which asks Pagefind. */
const searchByRule = JSON.stringify({ imports: { [`${base}/pagefind/pagefind.js`]: `${base}/search.js` } });

export default defineConfig({
  site,
  base,
  trailingSlash: 'always',
  // The playground's scripts read other packages from their sources: a clone has nothing built. Others are Vite's own.
  vite: { resolve: { conditions: ['@newsletter-kit/source', 'module', 'browser', 'development|production'] } },
  redirects: Object.fromEntries(Object.entries(moved).map(([from, to]) => [`/${from}/`, `${base}/${to}`])),
  markdown: {
    processor: satteri({
      // `--option` stays as it is typed.
      features: { smartPunctuation: { dashes: false } },
      mdastPlugins: [repositoryLinks, commentsAbove],
      hastPlugins: [labelledCells, breakableCode],
    }),
  },
  integrations: [
    brokenLinks,
    starlight({
      title: 'Newsletter Kit',
      logo: { src: './public/favicon.svg' },
      description: 'Connect a newsletter to a website, to n8n, to a CRM and to your own code.',
      social: [{ icon: 'github', label: 'GitHub', href: repository }],
      head: [{ tag: 'script', attrs: { type: 'importmap' }, content: searchByRule }],
      // Languages that the highlighter does not know, by ones that look alike.
      expressiveCode: {
        defaultProps: { wrap: true, hangingIndent: 4 },
        shiki: { langAlias: { promql: 'sql', caddyfile: 'nginx' } },
      },
      components: { PageTitle: './src/components/PageTitle.astro' },
      customCss: ['./src/styles.css'],
      routeMiddleware: './src/search-description.ts',
      // Pagefind's own weights, of which Starlight leaves little; titles and descriptions say what a page answers.
      pagefind: {
        ranking: {
          pageLength: 0.75,
          termFrequency: 1,
          termSaturation: 1.4,
          termSimilarity: 1,
          metaWeights: { title: 5, summary: 5 },
        },
      },
      editLink: { baseUrl: `${repository}/edit/main/docs/` },
      plugins: [
        // It cannot see pages that are not Markdown.
        starlightLinksValidator({ errorOnLocalLinks: false, exclude: [`${base}/playground/`] }),
      ],
      sidebar: [
        ...folder('Start', 'start'),
        ...folder('Concepts', 'concepts'),
        ...folder('Website', 'website'),
        ...folder('WordPress, Webflow …', 'places'),
        { label: 'Playground', link: '/playground/' },
        ...folder('n8n', 'n8n'),
        ...folder('Relay', 'relay'),
        ...folder('Operate', 'operate'),
        ...folder('Sandbox', 'sandbox'),
        ...folder('Command line', 'cli'),
        ...folder('Client', 'client'),
        ...folder('Reference', 'reference'),
        ...folder('Operations of the API', 'operations'),
        {
          label: 'About',
          collapsed: true,
          items: [
            { autogenerate: { directory: 'about' } },
            'services',
            'comparison',
            'security',
            'privacy',
            'support',
            'troubleshooting',
            'decisions',
          ],
        },
      ],
    }),
  ],
});
