/** Connects an OAuth2 credential on the sandbox's consent page in Chromium, and uses it. */
import { oauthClients } from '@newsletter-kit/sandbox';
import type { SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Page } from 'puppeteer-core';
import { openBrowser, type BrowserSession } from '../e2e/visitor.ts';
import { openEditor, picture } from './harness/editor.ts';
import { newsletterType, start } from './harness/nodes.ts';
import type { Execution } from './harness/rest.ts';
import { n8n, test, underTest } from './harness/test.ts';

const type = 'newsletterOAuth2Api';

let session: BrowserSession;
let page: Page;
beforeAll(async () => {
  session = await openBrowser();
  page = await openEditor(session.browser, n8n.url);
});
afterAll(() => session?.close());

interface App {
  readonly uid: string;
  readonly secret: string | null;
}

/** The fields of a credential of this app. */
function fieldsOf({ address, clientOptions }: SandboxOnPort, { uid, secret }: App) {
  return {
    service: 'other',
    appUrl: address,
    baseUrl: clientOptions.baseUrl,
    publicationId: clientOptions.publicationId,
    clientId: uid,
    access: [], // as the editor saves it without a choice
    ...(secret !== null && { clientSecret: secret }),
  };
}

/** A credential of this app. @returns its id */
async function newCredential(sandbox: SandboxOnPort, app: App): Promise<string> {
  return n8n.createCredential(type, fieldsOf(sandbox, app));
}

/** Follows the button "Connect", and decides on the consent page. @returns the text that n8n shows afterwards */
async function connect(id: string, decision: 'allow' | 'deny' = 'allow', name?: string): Promise<string> {
  await page.goto(await n8n.connectUrl(id), { waitUntil: 'load' });
  const button = await page.waitForSelector(`button[name=decision][value=${decision}]`, { visible: true });
  if (name) await picture(page, name);
  await Promise.all([page.waitForNavigation({ waitUntil: 'load' }), button?.click()]);
  expect(new URL(page.url()).pathname).toBe('/rest/oauth2-credential/callback');
  return page.$eval('body', (body) => body.innerText);
}

async function run(id: string, parameters: Readonly<Record<string, unknown>>): Promise<Execution> {
  const credentials = { [type]: { id, name: 'Of a test' } };
  return n8n.run(
    await n8n.createWorkflow([
      start,
      { name: underTest, type: newsletterType, parameters: { authentication: 'oAuth2', ...parameters }, credentials },
    ]),
  );
}

test.override({ sandboxOptions: { seed: 'demo', seedSize: 2_000 } });
const everything = { resource: 'subscription', operation: 'getMany', returnAll: true };

describe('the OAuth2 credential', () => {
  test.for([
    { app: 'a confidential app', client: oauthClients.confidential },
    { app: 'a public app, with PKCE alone', client: oauthClients.public },
  ])('works for $app', async ({ client }, { sandboxOnPort, api }) => {
    const id = await newCredential(sandboxOnPort, client);
    expect(await connect(id, 'allow', `consent-${client.uid}`)).toMatch(/connected|successful/i);
    const { error } = await run(id, {
      resource: 'customField',
      operation: 'create',
      display: `Made by ${client.uid}`,
      kind: 'string',
    });
    expect(error).toBeUndefined();
    expect((await Array.fromAsync(api.customFields.list())).map(({ display }) => display)).toContain(
      `Made by ${client.uid}`,
    );
  });

  test('is refreshed once when the token expires between pages of Return All, and no page is lost', async ({
    sandboxOnPort: sandbox,
    api,
  }) => {
    const kept = (await Array.fromAsync(api.subscriptions.list({ limit: 100 }))).map(({ id }) => id);
    const id = await newCredential(sandbox, oauthClients.confidential);
    await connect(id);

    let pages = 0;
    let tokens = 0;
    const refused: string[] = [];
    const leave = sandbox.subscribe((event) => {
      if (event.type !== 'request') return;
      const { operation, path, status } = event.request;
      if (operation === 'subscriptions.list' && ++pages === 7) sandbox.clock.advance('PT3H');
      if (path === '/oauth/token') tokens += 1;
      if (status === 401) refused.push(operation ?? path);
    });
    const { error, output } = await run(id, everything);
    leave();

    expect(error).toBeUndefined();
    expect(output(underTest).map(({ id }) => id)).toEqual(kept);
    expect(kept).toHaveLength(2_000);
    expect(tokens).toBe(1);
    expect(refused).toEqual(['subscriptions.list']);
    // The new token is stored: the next execution needs no refresh.
    expect((await run(id, { resource: 'automation', operation: 'getMany' })).error).toBeUndefined();
    expect(tokens).toBe(1);
  });

  test('asks to be connected after consent was denied', async ({ sandboxOnPort: sandbox }) => {
    const id = await newCredential(sandbox, oauthClients.public);
    expect(await connect(id, 'deny')).toMatch(/access_denied|error/i);
    const { error } = await run(id, everything);
    expect(error).toMatchObject({
      message: expect.stringContaining('not connected'),
      description: expect.stringContaining('Connect'),
    });
  });
});

describe('the test of the OAuth2 credential', () => {
  const app = oauthClients.public;
  // The placeholder for stored tokens, which n8n never returns: CREDENTIAL_BLANKING_VALUE of n8n-workflow.
  const connected = { oauthTokenData: '__n8n_BLANK_VALUE_e5362baf-c777-4d57-a609-6eaf1f9e87f6' };
  const fails = (text: RegExp) => ({ status: 'Error', message: expect.stringMatching(text) });

  test('passes once connected, also with an expired token', async ({ sandboxOnPort: sandbox }) => {
    const id = await newCredential(sandbox, app);
    await connect(id);
    const press = (changes = {}) =>
      n8n.testCredential(id, type, { ...fieldsOf(sandbox, app), ...connected, ...changes });
    expect(await press()).toMatchObject({ status: 'OK' });
    expect(await press({ publicationId: '' })).toMatchObject({ status: 'OK' });
    expect(await press({ publicationId: 'pub_00000000-0000-4000-8000-00000000dead' })).toEqual(
      fails(/finds no such publication/),
    );
    expect(await press({ baseUrl: sandbox.address + '/docs' })).toEqual(fails(/Base URL/));
    sandbox.clock.advance('PT3H');
    expect(await press()).toMatchObject({ status: 'OK' });
    sandbox.reset();
    expect(await press()).toEqual(fails(/connect/i));
  });

  test('fails before it is connected', async ({ sandboxOnPort: sandbox }) => {
    const id = await newCredential(sandbox, app);
    expect(await n8n.testCredential(id, type, fieldsOf(sandbox, app))).toEqual(fails(/without access token/));
  });

  test('names the missing scope', async ({ sandboxOnPort: sandbox }) => {
    const fields = { ...fieldsOf(sandbox, app), access: ['custom_fields:read'] };
    const id = await n8n.createCredential(type, fields);
    await connect(id);
    expect(await n8n.testCredential(id, type, { ...fields, ...connected })).toEqual(fails(/subscriptions:read/));
  });
});
