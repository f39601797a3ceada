/** The signup trigger in a real n8n, with the real tag in a real Chromium on another origin. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { arrivalOf, notice, openBrowser, subscribe, visit, type BrowserSession } from '../e2e/visitor.ts';
import { freePort } from '../support/free-ports.ts';
import { root } from '../../scripts/root.ts';
import { start } from '../../scripts/program.ts';
import { publish, signupType, site } from './harness/signupForm.ts';
import { n8n, test } from './harness/test.ts';

let session: BrowserSession;
beforeAll(async () => {
  session = await openBrowser();
});
afterAll(() => session?.close());

/** Serves one page on an origin of its own. */
async function serve(html: string): Promise<{ origin: string; close: () => Promise<void> }> {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(html)).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('the example workflow', () => {
  test('subscribes a visitor who signed up with the tag, with attribution and custom fields', async ({
    sandboxOnPort,
    api,
    credentials,
  }) => {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const example = JSON.parse(await readFile(join(root, 'examples/workflows/signup-form.json'), 'utf8')) as {
      nodes: { parameters: object }[];
    };
    const [signup, subscribeNode] = example.nodes;
    const path = `signup-${crypto.randomUUID()}`;
    const workflow = await n8n.createWorkflow([
      { name: 'Signup', ...signup, parameters: { ...signup?.parameters, path, allowedOrigins: origin } },
      { name: 'Subscribe', ...subscribeNode, credentials },
    ]);
    await n8n.activate(workflow);

    const demo = start(process.execPath, [join(root, 'examples/demo/server.ts')], {
      env: {
        DEMO_PORT: String(port),
        SANDBOX_URL: sandboxOnPort.address,
        SIGNUP_ENDPOINT: `${n8n.url}/webhook/${path}`,
      },
    });
    try {
      await expect.poll(async () => (await fetch(origin).catch(() => undefined))?.ok).toBe(true);
      const came = {
        utm_source: 'Küstenblatt',
        utm_medium: 'print',
        utm_campaign: 'Frühjahr & Flut 🌊',
        ref: 'gBZbSVal1X',
      };
      const { page, complaints } = await visit(session.browser, `${origin}/?${new URLSearchParams(came).toString()}`);
      await subscribe(page, { email: 'ada+letters@example.com', topics: ['boats', 'food'], birthday: '1990-12-10' });
      expect(await notice(page, 'success')).toContain('Thank you');
      await arrivalOf(page, 'ada+letters@example.com');
      expect(complaints).toEqual([]);

      const { items } = await api.subscriptions.list({ email: 'ada+letters@example.com', expand: ['custom_fields'] });
      expect(items).toHaveLength(1);
      expect(items[0]).toMatchObject({
        email: 'ada+letters@example.com',
        utm_source: 'Küstenblatt',
        utm_medium: 'print',
        utm_campaign: 'Frühjahr & Flut 🌊',
        custom_fields: expect.arrayContaining([
          { name: 'Topics', kind: 'list', value: ['boats', 'food'] },
          { name: 'Birthday', kind: 'date', value: '1990-12-10' },
        ]),
      });
      const [id = ''] = await n8n.executionIds(workflow);
      expect((await n8n.ended(id)).output('Signup')).toEqual([
        {
          email: 'ada+letters@example.com',
          utm_source: 'Küstenblatt',
          utm_medium: 'print',
          utm_campaign: 'Frühjahr & Flut 🌊',
          referral_code: 'gBZbSVal1X',
          custom_fields: expect.arrayContaining([{ name: 'Topics', value: ['boats', 'food'] }]),
          signup: {
            fields: { Topics: ['boats', 'food'], Birthday: '1990-12-10' },
            consent: null,
            consent_given: false,
            origin,
            page: `${origin}/`,
            touch_rule: 'utm',
            received_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*Z$/),
            suspected: false,
          },
        },
      ]);
    } finally {
      await demo.stop();
      await session.closePages();
    }
  });
});

describe('the webhook', () => {
  test('allows JSON and Idempotency-Key in the answer to a preflight of an allowed origin', async () => {
    const form = await publish();
    const preflight = await fetch(form.endpoint, {
      method: 'OPTIONS',
      headers: {
        origin: site,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,idempotency-key',
      },
    });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': site,
      'access-control-allow-methods': expect.stringContaining('POST'),
      'access-control-allow-headers': 'content-type,idempotency-key',
    });
  });

  test('refuses a body that is too large, of another type, unreadable or without an address, with an error of the API', async () => {
    const form = await publish();
    const large = JSON.stringify({ email: 'ada@example.com', utm_source: 'x'.repeat(9_000) });
    const streamed = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(large));
        controller.close();
      },
    });
    const refusals: [number, Response][] = [
      [413, await form.post(large)],
      [
        413,
        await fetch(form.endpoint, {
          method: 'POST',
          headers: { origin: site, 'content-type': 'application/json' },
          body: streamed,
          duplex: 'half',
        } as RequestInit),
      ],
      [415, await form.post('{"email":"ada@example.com"}', { 'content-type': 'text/plain' })],
      [400, await form.post('x', { 'content-type': 'multipart/form-data; boundary=x' })],
      [400, await form.post('{"email":')],
      [400, await form.post({ email: 'ada' })],
    ];
    for (const [status, response] of refusals) {
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({
        status,
        statusText: expect.any(String),
        errors: [{ message: expect.any(String), code: expect.any(String) }],
      });
      expect(response.headers.get('access-control-allow-origin')).toBe(site);
    }
    expect(await form.items(0)).toEqual([]);
  });
});

test('takes a form as FormData sends it', async () => {
  const form = await publish();
  const body = new FormData();
  body.append('email', 'grace@example.com');
  body.append('custom_fields[Topics][]', 'boats');
  const answer = await fetch(form.endpoint, { method: 'POST', headers: { origin: site }, body });
  expect([answer.status, await answer.json()]).toEqual([202, { status: 'accepted' }]);
  expect(await form.items(1)).toMatchObject([
    { email: 'grace@example.com', custom_fields: [{ name: 'Topics', value: ['boats'] }] },
  ]);
});

describe('a form without JavaScript', () => {
  test('starts an execution, and redirects the visitor to the configured page', async () => {
    const thanks = await serve('<!doctype html><title>Thank you</title>');
    const path = `signup-${crypto.randomUUID()}`;
    const page = await serve(`<!doctype html><title>Form</title>
      <form method="post" action="${n8n.url}/webhook/${path}">
        <input name="email" value="grace@example.com"><input name="utm_source" value="paper"><input name="tier" value="premium">
        <input name="custom_fields[Topics][]" value="boats"><input name="custom_fields[Topics][]" value="food">
        <input name="hp_field" value=""><button>Join</button>
      </form>`);
    try {
      const form = await publish({ path, allowedOrigins: page.origin, thanksUrl: `${thanks.origin}/thanks` });
      const tab = await session.browser.newPage();
      await tab.setJavaScriptEnabled(false);
      await tab.goto(page.origin);
      await Promise.all([tab.waitForNavigation(), tab.click('button')]);
      expect(tab.url()).toBe(`${thanks.origin}/thanks`);
      expect(await form.items(1)).toMatchObject([
        {
          email: 'grace@example.com',
          utm_source: 'paper',
          custom_fields: [{ name: 'Topics', value: ['boats', 'food'] }],
          signup: { origin: page.origin },
        },
      ]);
    } finally {
      await session.closePages();
      await page.close();
      await thanks.close();
    }
  });
});

describe('the editor', () => {
  test('does not publish a workflow with invalid parameters', async () => {
    const of = async (parameters: object): Promise<string> => {
      const workflow = await n8n.createWorkflow([
        {
          name: 'Signup',
          type: signupType,
          webhookId: crypto.randomUUID(),
          parameters: { path: crypto.randomUUID(), ...parameters },
        },
      ]);
      return n8n.activate(workflow).then(
        () => 'published',
        (error: unknown) => String(error),
      );
    };
    expect(await of({ allowedOrigins: 'https://www.example.com/blog' })).toContain('scheme and host alone');
    expect(await of({ allowedOrigins: '' })).toMatch(/allowed ?origins/i);
  });

  test('shows every signup at the test URL, repeated addresses included', async () => {
    const path = `signup-${crypto.randomUUID()}`;
    const workflow = await n8n.createWorkflow([
      { name: 'Signup', type: signupType, webhookId: crypto.randomUUID(), parameters: { path, allowedOrigins: site } },
    ]);
    for (const count of [1, 2]) {
      await n8n.runManually(workflow, 'Signup');
      const answer = await fetch(`${n8n.url}/webhook-test/${path}`, {
        method: 'POST',
        headers: { origin: site, 'content-type': 'application/json' },
        body: '{"email":"ada@example.com"}',
      });
      expect([answer.status, await answer.text()]).toEqual([202, '{"status":"accepted"}']);
      await expect.poll(() => n8n.executionIds(workflow)).toHaveLength(count);
    }
  });
});
