/** An e-mail of the inbox as it is read: its links, its text, and the same as HTML. */
import { pageStyle } from '@newsletter-kit/core/endpoint';
import { html, raw } from 'hono/html';
import type { MessageRow } from '../../store/inbox.ts';
import type { World } from '../../world/world.ts';

/** What a list shows of an e-mail. */
export interface MessageSummary {
  readonly id: string;
  readonly to: string;
  readonly kind: string;
  readonly subject: string;
  /** ISO 8601, of the sandbox's clock. */
  readonly sent: string;
}

export interface Links {
  readonly confirm?: string;
  readonly unsubscribe: string;
}

export function messageSummary({ id, recipient, kind, subject, sent }: MessageRow): MessageSummary {
  return { id, to: recipient, kind, subject, sent: new Date(sent).toISOString() };
}

/** @param origin - the sandbox's own address */
export function linksOf({ id, kind }: MessageRow, origin: string): Links {
  const link = (click: string): string => `${origin}/_sandbox/inbox/${id}/${click}`;
  return { ...(kind === 'confirmation' && { confirm: link('confirm') }), unsubscribe: link('unsubscribe') };
}

const bodies: Readonly<Record<string, (publication: string) => string>> = {
  confirmation: (publication) =>
    `Someone, hopefully you, asked for ${publication} to be sent to this address. Please confirm that it was you.`,
  welcome: (publication) => `You are subscribed to ${publication} now. Good to have you.`,
  automation: (publication) =>
    `An e-mail of an automation of ${publication}. The sandbox keeps its subject, not what it says.`,
};

/** The whole e-mail. */
export async function messageRecord(world: World, row: MessageRow, origin: string) {
  const publication = world.store.workspace.publication(row.publication_id)?.name ?? '';
  const links = linksOf(row, origin);
  const body = bodies[row.kind]?.(publication) ?? '';
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
export function page(title: string, content: ReturnType<typeof html>) {
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
