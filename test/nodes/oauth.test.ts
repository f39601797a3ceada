/** The node with the OAuth2 credential: refresh of the token, and errors for missing access. */
import { consent, oauthClients } from '@newsletter-kit/sandbox';
import { describe, expect, it } from 'vitest';
import { workbench } from './workbench.ts';

const bench = workbench();
const redirect_uri = 'http://localhost:5678/rest/oauth2-credential/callback';
const { uid: client_id } = oauthClients.public;

/** With the method `plain`, the verifier is the challenge. */
const verifier = 'a-verifier-of-more-than-forty-three-characters-0';

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

async function tokens(body: Readonly<Record<string, string>>): Promise<Tokens> {
  const answer = await bench.sandbox.fetch('http://sandbox.test/oauth/token', {
    method: 'POST',
    body: new URLSearchParams({ client_id, ...body }),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Tokens;
}

/** Connects an account as n8n does: with PKCE and without a secret. */
async function connect(scope: string): Promise<Tokens> {
  const asked = new URLSearchParams({
    client_id,
    redirect_uri,
    response_type: 'code',
    scope,
    state: 's',
    code_challenge: verifier,
    code_challenge_method: 'plain',
  });
  const callback = await consent(bench.sandbox.fetch, `http://sandbox.test/oauth/authorize?${asked}`);
  return tokens({
    grant_type: 'authorization_code',
    code: callback.searchParams.get('code') ?? '',
    redirect_uri,
    code_verifier: verifier,
  });
}

describe('a node with the OAuth2 credential', () => {
  it('names the missing scope in the error', async () => {
    const connection = { oauthTokenData: await connect('subscriptions:read') };
    await expect(bench.run('customField', 'getMany', {}, { connection })).rejects.toMatchObject({
      httpCode: '403',
      description: expect.stringContaining(
        'Access in the Newsletter OAuth2 credential must include custom_fields:read',
      ),
    });
  });

  it('asks to connect the credential again where the token cannot be refreshed', async () => {
    const connection = { oauthTokenData: { access_token: 'long-gone' } };
    await expect(bench.run('subscription', 'getMany', {}, { connection })).rejects.toMatchObject({
      httpCode: '401',
      description: expect.stringContaining('connect it again'),
      failure: { cause: 'credential-invalid' },
    });
  });

  it('fails without a request where the credential was never connected', async () => {
    await expect(bench.run('subscription', 'getMany', {}, { connection: {} })).rejects.toMatchObject({
      message: 'The Newsletter OAuth2 credential is not connected',
    });
    expect(bench.sandbox.requests()).toEqual([]);
  });
});

describe('the OAuth2 credential', () => {
  const value = (name: string) => bench.bundle.oAuth2.properties.find((property) => property.name === name);

  it('uses PKCE, with or without a client secret', () => {
    expect(bench.bundle.oAuth2).toMatchObject({ extends: ['oAuth2Api'] });
    expect(value('grantType')).toMatchObject({ type: 'hidden', default: 'pkce' });
    expect(value('authentication')).toMatchObject({ type: 'hidden', default: 'body' });
    expect(value('clientSecret')?.required).toBeUndefined();
    expect(value('clientSecret')?.typeOptions).toEqual({ password: true });
  });

  it('requests no data deletion scope by default', () => {
    // The editor saves a multi-select as empty, whatever its default; the expression of the scope holds the defaults.
    expect(value('access')?.default).toEqual([]);
    const scope = String(value('scope')?.default);
    expect(scope).toContain('"subscriptions:write"');
    expect(scope).not.toContain('data_deletion');
  });
});
