/** The routes of the demo site: its pages, the pages to copy from, and the live events. It knows no API key. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Hono } from 'hono';
import { addWidgetFiles, builtFile } from './files.ts';
import { relayEvents } from './live-events.ts';
import { html, write, type Tag } from './page/markup.ts';
import { initialSetup } from './page/setup.ts';
import { tagWithForm } from './page/tag.ts';
import { currentOptions } from './playground.ts';

/** The addresses of the other servers. */
export interface SiteOptions {
  readonly sandboxUrl: string;
  /** The address that the form posts to. */
  readonly signupEndpoint: string;
  /** What receives the form's posts: `relay`, which is the default, or `n8n`. */
  readonly receiver?: string;
  /** The command that started the servers; a second `npm start` whose ports are in use reads it. */
  readonly started?: Readonly<Record<string, unknown>>;
}

const examplePages = fileURLToPath(new URL('../pages', import.meta.url));
/** Pictures of these pages for the gallery; test/examples/pages.slow.test.ts takes them. */
const pictures = fileURLToPath(new URL('../pictures', import.meta.url));
/** The endpoint as the pages to copy from name it. */
const exampleEndpoint = 'http://127.0.0.1:4020/signup';

export function createSite({ sandboxUrl, signupEndpoint: endpoint, receiver = 'relay', started }: SiteOptions): Hono {
  const site = new Hono();
  const { origin } = new URL(endpoint);
  const policy = policyFor(origin);
  const playground = {
    // The visitor may enter the address of any picture for the layout `cover`.
    'img-src': "'self' https: data:",
    'frame-src': "'self'",
    'form-action': `'self' ${origin}`,
  };

  site.get('/', async () =>
    builtFile('index.html', policy(), { form: write(await demoForm(endpoint), html), receiver }),
  );
  site.get('/playground', async () =>
    builtFile('playground.html', policy(playground), { endpoint, options: JSON.stringify(await currentOptions()) }),
  );
  site.get('/playground/preview', () =>
    builtFile('preview.html', policy({ ...playground, 'frame-ancestors': "'self'" })),
  );
  addExamplePages(site, policy, endpoint, receiver);
  // Which sources bring readers who stay, in a publication with a clock of its own.
  let sources: Promise<string> | undefined;
  site.get('/sources', async (context) => {
    sources ??= import('./sources.ts')
      .then(({ renderSources }) => renderSources())
      .catch((error: unknown) => {
        // The next request tries again.
        sources = undefined;
        throw error;
      });
    return context.html(await sources);
  });
  site.get('/page/:file{[a-z-]+\\.(js|css|svg)}', (context) => builtFile(context.req.param('file'), policy()));
  site.get('/mark.svg', () => builtFile('mark.svg', policy()));
  site.get('/events', (context) => relayEvents(sandboxUrl, context.req.raw));
  // For programs on this machine only: a site whose name resolves to this machine must not learn the folder's name.
  if (started)
    site.get('/servers.json', (context) =>
      /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(context.req.header('host') ?? '')
        ? context.json(started)
        : context.notFound(),
    );
  addWidgetFiles(site, policy());
  return site;
}

/** The form on the first page, as the playground writes it. */
async function demoForm(endpoint: string): Promise<Tag> {
  const values = {
    'attribute.endpoint': endpoint,
    'attribute.layout': 'card',
    'slot.head': 'Get the next letter',
    'slot.proof': '4,200 people read it already.',
    'slot.note': 'No tracking, one click to leave.',
  };
  const label = 'What do you like to read about?';
  const fields = [
    { name: 'Topics', kind: 'list', label, options: 'boats, engineering, food, history' },
    { name: 'Birthday', kind: 'date' },
  ];
  return tagWithForm({ ...initialSetup, values, fields }, await currentOptions());
}

type Policy = (directives?: Readonly<Record<string, string>>) => string;

/** The pages to copy from: their list, each as it is and in a frame, and their pictures. */
function addExamplePages(site: Hono, policy: Policy, endpoint: string, receiver: string): void {
  site.get('/pages/', async () =>
    builtFile('pages.html', policy(), { pages: (await listPages()).map(card).join('\n') }),
  );
  // The page itself, unchanged but for the endpoint: it is what users copy.
  site.get('/pages/:file{[a-z-]+\\.html}', async (context) => {
    const page = await readFile(join(examplePages, context.req.param('file')), 'utf8').catch(() => undefined);
    if (page === undefined) return context.notFound();
    return context.html(
      page.replaceAll(exampleEndpoint, endpoint).replaceAll(new URL(exampleEndpoint).origin, new URL(endpoint).origin),
    );
  });
  // The same page in a frame, beside what arrived.
  site.get('/pages/:name{[a-z-]+}', async (context) => {
    const page = (await listPages()).find(({ file }) => file === `${context.req.param('name')}.html`);
    return page
      ? builtFile('example.html', policy({ 'frame-src': "'self'" }), { ...page, receiver })
      : context.notFound();
  });
  site.get('/pages/pictures/:file{[a-z-]+\\.webp}', async (context) => {
    const picture = await readFile(join(pictures, context.req.param('file'))).catch(() => undefined);
    return picture ? context.body(picture, 200, { 'Content-Type': 'image/webp' }) : context.notFound();
  });
}

/** A content security policy as strict as a careful site would set it: the widget has to work under it. */
const policyFor =
  (origin: string): Policy =>
  (directives = {}) =>
    Object.entries({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': "'self'",
      'connect-src': `'self' ${origin}`,
      'form-action': origin,
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
      ...directives,
    })
      .map((directive) => directive.join(' '))
      .join('; ');

/** A page to copy from that needs no build. */
interface ListedPage {
  readonly file: string;
  readonly title: string;
  readonly language: string;
}

/** A page in the gallery. */
function card({ file, title, language }: ListedPage): string {
  const name = file.replace('.html', '');
  return `<li>
  <a href="${name}" lang="${language}">${title}</a>
  <code class="soft">${file}</code>
  <picture>
    <source srcset="/pages/pictures/${name}-dark.webp" media="(prefers-color-scheme: dark)">
    <img src="/pages/pictures/${name}-light.webp" width="640" height="480" alt="" loading="lazy">
  </picture>
</li>`;
}

async function listPages(): Promise<readonly ListedPage[]> {
  const files = (await readdir(examplePages)).filter((name) => name.endsWith('.html')).sort();
  return Promise.all(
    files.map(async (file) => {
      const page = await readFile(join(examplePages, file), 'utf8');
      const [, title = file] = /<title>([^<–]*)/.exec(page) ?? [];
      const [, language = 'en'] = /<html\b[^>]* lang="([a-z-]+)"/i.exec(page) ?? [];
      return { file, title: title.trim(), language };
    }),
  );
}
