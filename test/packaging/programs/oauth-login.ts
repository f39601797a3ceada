/** Signs a person in by OAuth with PKCE, and calls the API with the tokens. */
import { createClient } from '@newsletter-kit/core';
import { createMemoryTokenStore, scopesFor } from '@newsletter-kit/core/oauth';
import type { Setting } from './setting.ts';

export default async function program({ options, appUrl, signIn, print }: Setting): Promise<void> {
  const { baseUrl, publicationId } = options;
  const redirectUri = 'http://127.0.0.1:8080/callback';
  const scopes = scopesFor(['subscriptions.list']);
  const oauth = { clientId: 'sandbox-public', redirectUri, scopes, store: createMemoryTokenStore() };
  const client = createClient({ baseUrl, publicationId, appUrl, oauth });
  const login = await client.oauth.startLogin();
  await client.oauth.finishLogin(await signIn(login.url), login);
  const { items } = await client.subscriptions.list();
  print(items.length > 0);
}
