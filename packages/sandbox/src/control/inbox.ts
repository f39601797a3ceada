/** `/_sandbox/inbox`: the e-mails the service would have sent, and the pages behind their links. */
import { Hono, type Context } from 'hono';
import { html } from 'hono/html';
import { apiError } from '../api/errors.ts';
import type { MessageRow } from '../store/inbox.ts';
import { followLink, isClick, linkState, type Click } from '../world/mail.ts';
import type { World } from '../world/world.ts';
import { linksOf, messageRecord, messageSummary, page } from './inbox/message.ts';

const shown = 200;
/** An e-mail may be shown in a frame of the window; scripts, forms and anything from elsewhere never run in it. */
const mailPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox";
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

export function inboxControl({ world }: { readonly world: World }): Hono {
  const { inbox } = world.store;
  const find = (id: string): MessageRow => {
    const row = inbox.byId(id);
    if (!row) throw apiError(404, 'NOT_FOUND', 'There is no e-mail with this id. GET /_sandbox/inbox lists them.');
    return row;
  };
  const origin = (context: Context): string => new URL(context.req.url).origin;

  return (
    new Hono()
      .get('/inbox', (context) => {
        const to = context.req.query('to') ?? '';
        const data = inbox.latest(to, shown).map((row) => ({
          ...messageSummary(row),
          subscriber_status: world.store.subscriptions.bySeq(row.subscription)?.status ?? null,
          links: linksOf(row, origin(context)),
        }));
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
      .get('/inbox/:id/:click', (context) => {
        const { message, click } = readClick(context, find);
        return answerClick(world, context, message, click);
      })
      .post('/inbox/:id/:click', (context) => {
        const { message, click } = readClick(context, find);
        const before = linkState(world, message, click);
        followLink(world, message, click);
        if (!(context.req.header('accept') ?? '').includes('text/html')) {
          if (before === 'gone') throw apiError(409, 'LINK_GONE', goneText);
          return context.json({ data: { status: world.store.subscriptions.bySeq(message.subscription)?.status } });
        }
        return answerClick(world, context, message, click);
      })
  );
}

function readClick(
  context: Context,
  find: (id: string) => MessageRow,
): { readonly message: MessageRow; readonly click: Click } {
  const click = context.req.param('click') ?? '';
  if (!isClick(click)) throw apiError(404, 'NOT_FOUND', 'An e-mail has the links "confirm" and "unsubscribe".');
  return { message: find(context.req.param('id') ?? ''), click };
}

const goneText = 'This link is no longer good: the subscription has moved on since.';
const texts: Readonly<Record<Click, { readonly ask: string; readonly button: string; readonly done: string }>> = {
  confirm: { ask: 'Confirm your subscription', button: 'Confirm', done: 'Your subscription is confirmed' },
  unsubscribe: { ask: 'Unsubscribe', button: 'Unsubscribe', done: 'You are unsubscribed' },
};

function answerClick(world: World, context: Context, message: MessageRow, click: Click): Response | Promise<Response> {
  const publication = world.store.workspace.publication(message.publication_id)?.name ?? '';
  const { ask, button, done } = texts[click];
  const headers = { 'Content-Security-Policy': pagePolicy, 'Cache-Control': 'no-store' };
  switch (linkState(world, message, click)) {
    case 'open':
      return context.html(
        page(ask, html`<p>${publication}</p><form method="post"><button>${button}</button></form>`),
        200,
        headers,
      );
    case 'done':
      return context.html(page(done, html`<p>${publication}</p>`), 200, headers);
    case 'gone':
      return context.html(
        page('This link is no longer good', html`<p>The subscription has moved on since.</p>`),
        410,
        headers,
      );
  }
}
