/** The recipes of the documentation beside other analytics, and local receivers in place of these tools. */
import { EventEmitter, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from '../../scripts/root.ts';
import { blocks, page } from '../support/documentation.ts';

/** One tool as a website embeds it. */
interface Tool {
  /** The heading in the documentation whose first block is the recipe. */
  readonly recipe: string;
  /** The tool's own code, as its documentation has it; `ORIGIN` is its host. */
  readonly code: string;
  /** The path of its events. */
  readonly path: string;
  /** Whether a request counts a signup. */
  readonly counts: (fields: URLSearchParams) => boolean;
}

const tools: Readonly<Record<string, Tool>> = {
  'a tag manager': {
    recipe: 'Data layer',
    code: `<script>window.dataLayer = window.dataLayer || [];</script><script src="ORIGIN/data-layer.js" async></script>`,
    path: '/data-layer',
    counts: (fields) => fields.get('event') === 'newsletter_signup',
  },
  'Google Tag Manager': {
    recipe: 'Data layer',
    code: `<script>(function(w,d,s,l,i){w[l]=w[l]||[];w[l].push({'gtm.start':new Date().getTime(),event:'gtm.js'});
      var f=d.getElementsByTagName(s)[0],j=d.createElement(s),dl=l!='dataLayer'?'&l='+l:'';j.async=true;
      j.src='ORIGIN/gtm.js?id='+i+dl;f.parentNode.insertBefore(j,f);})(window,document,'script','dataLayer','GTM-1');</script>`,
    path: '/g/collect',
    counts: (fields) => fields.get('en') === 'newsletter_signup',
  },
  gtag: {
    recipe: 'Google Analytics with gtag',
    code: `<script async src="ORIGIN/gtag.js?id=G-1"></script><script>window.dataLayer = window.dataLayer || [];
      function gtag(){dataLayer.push(arguments);} gtag('js', new Date()); gtag('config', 'G-1');</script>`,
    path: '/g/collect',
    counts: (fields) => fields.get('en') === 'newsletter_signup',
  },
  Plausible: {
    recipe: 'Plausible',
    code: `<script async src="ORIGIN/plausible.js"></script><script>
      window.plausible=window.plausible||function(){(plausible.q=plausible.q||[]).push(arguments)},plausible.init=plausible.init||function(i){plausible.o=i||{}};
      plausible.init({ formSubmissions: true })</script>`,
    path: '/api/event',
    counts: (fields) => fields.get('n') === 'Newsletter signup',
  },
  Matomo: {
    recipe: 'Matomo',
    code: `<script>var _paq = window._paq = window._paq || []; _paq.push(['trackPageView']); _paq.push(['enableLinkTracking']);
      (function() { var u="ORIGIN/"; _paq.push(['setTrackerUrl', u+'matomo.php']); _paq.push(['setSiteId', '1']);
      var d=document, g=d.createElement('script'), s=d.getElementsByTagName('script')[0];
      g.async=true; g.src=u+'matomo.js'; s.parentNode.insertBefore(g,s); })();</script>`,
    path: '/matomo.php',
    counts: (fields) => fields.get('e_c') === 'Newsletter' && fields.get('e_a') === 'Signup',
  },
};

/** A request of a tool. */
interface Received {
  readonly path: string;
  readonly fields: URLSearchParams;
  /** Everything that it says, decoded. */
  readonly text: string;
}

export interface Receiver {
  readonly origin: string;
  /** The requests of tools so far. */
  readonly received: readonly Received[];
  /** How many of them count a signup. */
  signups(): number;
  /** For the head of a page: the recipe as it is in the documentation, and the code of the tool. */
  readonly recipe: string;
  readonly code: string;
  /** Sends the tool's script; before, it is on its way. */
  bring(): void;
  close(): Promise<void>;
}

export const toolNames = Object.keys(tools);

/** Starts on a free port, with the script of this tool. */
export async function startReceiver(name: string): Promise<Receiver> {
  const tool = tools[name];
  if (!tool) throw new Error(`There is no tool "${name}".`);
  const received: Received[] = [];
  const arrival = new EventEmitter().setMaxListeners(0);
  let isBrought = false;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://receiver');
    response.setHeader('Access-Control-Allow-Origin', '*');
    if (pathname.endsWith('.js')) {
      if (!isBrought) await once(arrival, 'bring');
      const script = await readFile(join(root, 'test/widget/receivers', pathname));
      return void response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(script);
    }
    const body = await text(request);
    const { referer = '' } = request.headers;
    const sent = body.startsWith('{') ? Object.entries<string>(JSON.parse(body)) : new URLSearchParams(body);
    const fields = new URLSearchParams([...searchParams, ...sent]);
    received.push({ path: pathname, fields, text: decodeURIComponent(`${request.url} ${body} ${referer}`) });
    response.writeHead(204).end();
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.writeHead(501).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [, section = ''] = page('website/analytics').split(`## ${tool.recipe}\n`);
  const [recipe] = blocks(section, 'html');
  if (recipe === undefined) throw new Error(`The documentation has no recipe "${tool.recipe}".`);
  return {
    origin,
    received,
    signups: () => received.filter(({ path, fields }) => path === tool.path && tool.counts(fields)).length,
    recipe,
    code: tool.code.replaceAll('ORIGIN', origin),
    bring() {
      isBrought = true;
      arrival.emit('bring');
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
