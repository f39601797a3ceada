/** `<connection-view>`: the addresses, ids, keys and OAuth clients that a client of the sandbox needs, to copy. */
import { copyButton, facts, formatCount, type Renderable } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import { ask } from './control.ts';
import { copyable } from './format.ts';
import { View } from './view.ts';

/** The answer of `/_sandbox/connection`. */
export interface Connection {
  readonly base_url: string;
  readonly app_url: string;
  readonly publications: readonly { readonly id: string; readonly name: string }[];
  /** `publications` is null for a key of the whole workspace. */
  readonly keys: readonly { readonly key: string; readonly publications: readonly string[] | null }[];
  readonly oauth_clients: readonly OauthClient[];
}

interface OauthClient {
  readonly uid: string;
  readonly name: string;
  readonly secret: string | null;
  readonly redirect_uris: readonly string[];
}

class ConnectionView extends View {
  static override properties = { ...View.properties, connection: { state: true } };
  readonly name = 'connection';
  readonly heading = 'Addresses and keys';
  declare connection: Connection | undefined;

  async refresh(): Promise<void> {
    this.connection = await ask<Connection>('/connection');
  }

  protected content(): Renderable {
    return html`<div class="scroll"><div class="inner">${this.connection ? parts(this.connection) : nothing}</div></div>`;
  }
}

function parts({
  base_url: baseUrl,
  app_url: appUrl,
  publications,
  keys,
  oauth_clients: clients,
}: Connection): Renderable {
  const environment = [
    `NEWSLETTER_API_URL=${baseUrl}`,
    `NEWSLETTER_API_KEY=${keys[0]?.key ?? ''}`,
    `NEWSLETTER_PUBLICATION_ID=${publications[0]?.id ?? ''}`,
  ].join('\n');
  return [
    facts([
      ['Base URL', copyable(baseUrl, 'base URL')],
      ...publications.map(({ id, name }) => [`Publication “${name}”`, copyable(id, 'publication id')] as const),
      ...keys.map(
        ({ key, publications: reach }) =>
          [
            reach === null ? 'API key, whole workspace' : 'API key, one publication only',
            copyable(key, 'key'),
          ] as const,
      ),
    ]),
    part('OAuth 2.0', [
      facts([
        ['Authorize', copyable(`${appUrl}/oauth/authorize`, 'authorization address')],
        ['Token', copyable(`${appUrl}/oauth/token`, 'token address')],
      ]),
      ...clients.map(clientCard),
    ]),
    part('As environment variables', [
      html`<pre>${environment}</pre>`,
      html`<div>${copyButton(environment, 'variables')}</div>`,
    ]),
  ];
}

function clientCard({ uid, name, secret, redirect_uris: redirects }: OauthClient): TemplateResult {
  return html`<div class="card">
    <b>${name}</b>
    ${facts([
      ['Client id', copyable(uid, 'client id')],
      ['Client secret', secret === null ? 'none: a public client, with PKCE' : copyable(secret, 'client secret')],
      [
        'Allowed redirects',
        html`<details>
          <summary>${formatCount(redirects.length, 'address', 'addresses')}</summary>
          <ul>
            ${redirects.map((uri) => html`<li><code>${uri}</code></li>`)}
          </ul>
        </details>`,
      ],
    ])}
  </div>`;
}

function part(title: string, children: readonly Renderable[]): TemplateResult {
  return html`<section class="inner-part"><h3>${title}</h3>${children}</section>`;
}

customElements.define('connection-view', ConnectionView);
