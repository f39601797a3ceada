/** `/_sandbox/inbox`: the e-mails that the service would have sent, and the pages behind their links. */
import { Hono, type Context } from 'hono';
import { html, raw } from 'hono/html';
import { apiError } from '../http/errors.ts';
import type { MessageRow } from '../store/inbox.ts';
import { followLink, isClick, linkState, type Click } from '../world/mail.ts';
import type { World } from '../world/world.ts';
import type { Feature } from './feature.ts';
import { pageStyle } from '@newsletter-kit/core/endpoint';

const shown = 200;
/** An e-mail may be shown in a frame of the window; scripts, forms and anything from elsewhere never run in it. */
const mailPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox";
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

export function inboxFeature(world: World): Feature {
  const { inbox } = world.store;
  const find = (id: string): MessageRow => {
    const row = inbox.byId(id);
    if (!row) throw apiError(404, 'NOT_FOUND', 'There is no e-mail with this id. GET /_sandbox/inbox lists them.');
    return row;
  };
  const origin = (context: Context): string => new URL(context.req.url).origin;

  const routes = () =>
    new Hono()
      .get('/inbox', (context) => {
        const to = context.req.query('to') ?? '';
        const data = inbox.latest(to, shown).map((row) => listedMessage(world, row, origin(context)));
        return context.json({ data, total: inbox.total(to) });
      })
      .delete('/inbox', (context) => {
        const removed = inbox.total('');
        inbox.removeAll();
        return context.json({ removed });
      })
      .get('/inbox/:id', async (context) =>
        context.json({ data: await messageRecord(world, find(context.req.param('id')), origin(context)) }),
      )
      .delete('/inbox/:id', (context) => {
        inbox.removeOne(find(context.req.param('id')).id);
        return context.json({ removed: 1 });
      })
      .get('/inbox/:id/html', async (context) =>
        context.html((await messageRecord(world, find(context.req.param('id')), origin(context))).html, 200, {
          'Content-Security-Policy': mailPolicy,
        }),
      )
      // Programs that scan e-mails follow their links; so a GET only asks, and the subscriber's POST acts.
      .on(['GET', 'POST'], '/inbox/:id/:click', (context) => {
        const { id, click } = context.req.param();
        if (!isClick(click)) throw apiError(404, 'NOT_FOUND', 'An e-mail has the links "confirm" and "unsubscribe".');
        const message = find(id);
        if (context.req.method !== 'POST') return answerClick(world, context, message, click);
        const before = linkState(world, message, click);
        followLink(world, message, click);
        if ((context.req.header('accept') ?? '').includes('text/html'))
          return answerClick(world, context, message, click);
        if (before === 'gone') throw apiError(409, 'LINK_GONE', goneText);
        return context.json({ data: { status: world.store.subscriptions.bySeq(message.subscription)?.status } });
      });
  return { routes };
}

const goneText = 'This link is no longer valid: the status of the subscription has changed since.';
const texts: Readonly<Record<Click, { readonly ask: string; readonly button: string; readonly done: string }>> = {
  confirm: { ask: 'Confirm your subscription', button: 'Confirm', done: 'Your subscription is confirmed' },
  unsubscribe: { ask: 'Unsubscribe', button: 'Unsubscribe', done: 'You are unsubscribed' },
};

function answerClick(world: World, context: Context, message: MessageRow, click: Click): Response | Promise<Response> {
  const publication = world.store.workspace.publication(message.publication_id)?.name ?? '';
  const { ask, button, done } = texts[click];
  const pages = {
    open: [200, ask, html`<p>${publication}</p><form method="post"><button>${button}</button></form>`],
    done: [200, done, html`<p>${publication}</p>`],
    gone: [410, 'This link is no longer valid', html`<p>The status of the subscription has changed since.</p>`],
  } as const;
  const [status, title, content] = pages[linkState(world, message, click)];
  return context.html(page(title, content), status, {
    'Content-Security-Policy': pagePolicy,
    'Cache-Control': 'no-store',
  });
}

/** What a list shows of an e-mail. */
export interface MessageSummary {
  readonly id: string;
  readonly to: string;
  readonly kind: string;
  readonly subject: string;
  /** ISO 8601, of the sandbox's clock. */
  readonly sent: string;
}

export function messageSummary({ id, recipient, kind, subject, sent }: MessageRow): MessageSummary {
  return { id, to: recipient, kind, subject, sent: new Date(sent).toISOString() };
}

/** An e-mail of the list, with what its links would change. */
export type ListedMessage = ReturnType<typeof listedMessage>;

const listedMessage = ({ store }: World, row: MessageRow, origin: string) => ({
  ...messageSummary(row),
  subscriber_status: store.subscriptions.bySeq(row.subscription)?.status ?? null,
  links: linksOf(row, origin),
});

/** @param origin - the sandbox's own address */
function linksOf({ id, kind }: MessageRow, origin: string) {
  const link = (click: string): string => `${origin}/_sandbox/inbox/${id}/${click}`;
  return { ...(kind === 'confirmation' && { confirm: link('confirm') }), unsubscribe: link('unsubscribe') };
}

const bodies: Readonly<Record<MessageRow['kind'], (publication: string) => string>> = {
  confirmation: (publication) =>
    `Someone, hopefully you, asked for ${publication} to be sent to this address. Please confirm that it was you.`,
  welcome: (publication) => `You are subscribed to ${publication} now. Thank you.`,
  automation: (publication) =>
    `An e-mail of an automation of ${publication}. The sandbox stores its subject only, not its text.`,
};

/** The whole e-mail. */
async function messageRecord(world: World, row: MessageRow, origin: string) {
  const publication = world.store.workspace.publication(row.publication_id)?.name ?? '';
  const links = linksOf(row, origin);
  const body = bodies[row.kind](publication);
  const content = await page(
    row.subject,
    html`<p>${body}</p>
      ${links.confirm ? html`<p><a class="button" href="${links.confirm}" target="_blank" rel="noopener">Confirm</a></p>` : ''}
      <p><small>${publication} · <a href="${links.unsubscribe}" target="_blank" rel="noopener">Unsubscribe</a></small></p>`,
  );
  return {
    ...messageSummary(row),
    from: publication,
    links,
    headers: { 'List-Unsubscribe': `<${links.unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
    text: [body, ...(links.confirm ? [`Confirm: ${links.confirm}`] : []), `Unsubscribe: ${links.unsubscribe}`].join(
      '\n\n',
    ),
    html: content.toString(),
  };
}

const style = `${pageStyle}
body { max-width: 34rem; margin: 0 auto; padding: 2rem 1.25rem; font-size: 1rem; }`;

/** A page of its own, with nothing from elsewhere. */
function page(title: string, content: ReturnType<typeof html>) {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${raw(style)}
        </style>
      </head>
      <body>
        <h1>${title}</h1>
        ${content}
      </body>
    </html>`;
}
