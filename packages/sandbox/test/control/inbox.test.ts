import { expect, test } from 'vitest';
import { publicationId, type Sandbox, type SandboxEvent } from '../../src/index.ts';
import { control, addField, create, errorsOf, fresh, list, send, subscriptionsPath } from '../caller.ts';

interface Listed {
  readonly data: readonly {
    readonly id: string;
    readonly to: string;
    readonly kind: string;
    readonly subject: string;
    readonly sent: string;
    readonly links: { readonly confirm?: string; readonly unsubscribe: string };
  }[];
  readonly total: number;
}
const inbox = async (sandbox: Sandbox, query = '') => (await control(sandbox, 'GET', `/inbox${query}`)).body as Listed;
/** The kinds of e-mails, the first first. */
const kinds = async (sandbox: Sandbox) => (await inbox(sandbox)).data.map((one) => one.kind).toReversed();
const only = async (sandbox: Sandbox) => {
  const { data } = await inbox(sandbox);
  expect(data).toHaveLength(1);
  return data[0]!;
};
const status = async (sandbox: Sandbox, email = 'ada@example.com') => (await list(sandbox, { email })).data[0]?.status;

/** A subscriber who was asked to confirm. */
async function asked(options: object = {}) {
  const sandbox = fresh();
  await create(sandbox, { email: 'ada@example.com', double_opt_override: 'on', ...options });
  sandbox.clock.advance('PT1S');
  return { sandbox, message: await only(sandbox) };
}

test('a pending subscriber gets one confirmation e-mail, and its link activates them', async () => {
  const { sandbox, message } = await asked();
  expect(message).toEqual({
    id: expect.any(String),
    to: 'ada@example.com',
    kind: 'confirmation',
    subject: 'Please confirm your subscription to The Harbour Letter',
    sent: '2026-11-04T12:00:00.500Z',
    subscriber_status: 'pending',
    links: {
      confirm: `http://sandbox.test/_sandbox/inbox/${message.id}/confirm`,
      unsubscribe: `http://sandbox.test/_sandbox/inbox/${message.id}/unsubscribe`,
    },
  });
  expect(await status(sandbox)).toBe('pending');
  const clicked = await sandbox.fetch(message.links.confirm!, { method: 'POST' });
  expect([clicked.status, await clicked.json()]).toEqual([200, { data: { status: 'active' } }]);
  expect(await status(sandbox)).toBe('active');
  expect((await inbox(sandbox)).total).toBe(1);
});

test('a GET on the link only asks, since scanners follow links; the button of its page confirms', async () => {
  const { sandbox, message } = await asked();
  const get = () => sandbox.fetch(message.links.confirm!, { headers: { Accept: 'text/html' } });
  for (let scan = 0; scan < 3; scan += 1) {
    const page = await get();
    expect(page.status).toBe(200);
    expect(await page.text()).toMatch(
      /<h1>Confirm your subscription<\/h1>[^]*<form method="post"><button>Confirm<\/button>/,
    );
  }
  await sandbox.fetch(message.links.confirm!, { method: 'HEAD' });
  expect(await status(sandbox)).toBe('pending');
  const pressed = await sandbox.fetch(message.links.confirm!, {
    method: 'POST',
    headers: { Accept: 'text/html', Origin: 'http://sandbox.test' },
  });
  expect(await pressed.text()).toContain('Your subscription is confirmed');
  expect(await status(sandbox)).toBe('active');
  expect(await (await get()).text()).toContain('Your subscription is confirmed');
});

test('the unsubscribe link makes the subscription inactive, with one click as in RFC 8058', async () => {
  const { sandbox, message } = await asked();
  const { body } = await control(sandbox, 'GET', `/inbox/${message.id}`);
  expect(body).toMatchObject({
    data: {
      headers: {
        'List-Unsubscribe': `<${message.links.unsubscribe}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    },
  });
  await sandbox.fetch(message.links.unsubscribe, {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  });
  expect(await status(sandbox)).toBe('inactive');
  const late = await sandbox.fetch(message.links.confirm!, { method: 'POST' });
  expect(late.status).toBe(409);
  expect((await sandbox.fetch(message.links.confirm!)).status).toBe(410);
  expect(await status(sandbox)).toBe('inactive');
});

test('sends a requested welcome when the subscription becomes active: after confirming, after the address check, or at once', async () => {
  const { sandbox, message } = await asked({ send_welcome_email: true });
  expect(await kinds(sandbox)).toEqual(['confirmation']);
  await sandbox.fetch(message.links.confirm!, { method: 'POST' });
  expect(await kinds(sandbox)).toEqual(['confirmation', 'welcome']);
  await create(sandbox, { email: 'ada@example.com', send_welcome_email: true });
  expect(await kinds(sandbox)).toEqual(['confirmation', 'welcome']);

  const checked = fresh();
  await create(checked, { email: 'ada@example.com', send_welcome_email: true });
  expect(await kinds(checked)).toEqual([]);
  checked.clock.advance(1000);
  expect(await kinds(checked)).toEqual(['welcome']);

  const immediate = fresh();
  await create(immediate, { email: 'ada@example.com', send_welcome_email: true, double_opt_override: 'off' });
  await create(immediate, { email: 'grace@example.com', double_opt_override: 'off' });
  expect((await only(immediate)).subject).toBe('Welcome to The Harbour Letter');
});

test('a known subscriber gets no second welcome, not with a later change either', async () => {
  const sandbox = fresh();
  await addField(sandbox, 'string', 'City');
  const welcome = { email: 'ada@example.com', send_welcome_email: true, double_opt_override: 'off' };
  await create(sandbox, welcome);
  await create(sandbox, { ...welcome, custom_fields: [{ name: 'City', value: 'Bremen' }] });
  await create(sandbox, { ...welcome, custom_fields: [{ name: 'City', value: 'Ulm' }] });
  expect(await kinds(sandbox)).toEqual(['welcome']);

  const { sandbox: left, message } = await asked();
  await left.fetch(message.links.unsubscribe, { method: 'POST' });
  await create(left, welcome);
  await create(left, { email: 'ada@example.com', reactivate_existing: true, double_opt_override: 'off' });
  expect(await kinds(left)).toEqual(['confirmation']);
  expect(await status(left)).toBe('active');

  await left.fetch((await only(left)).links.unsubscribe, { method: 'POST' });
  await create(left, { ...welcome, reactivate_existing: true });
  expect(await kinds(left)).toEqual(['confirmation', 'welcome']);
});

test('an invalid subscriber gets no e-mail; a reactivated one is asked to confirm again', async () => {
  const sandbox = fresh();
  await create(sandbox, { email: 'ada@nowhere.invalid', double_opt_override: 'on', send_welcome_email: true });
  sandbox.clock.advance(1000);
  expect((await inbox(sandbox)).total).toBe(0);

  const { sandbox: other, message } = await asked();
  await other.fetch(message.links.unsubscribe, { method: 'POST' });
  await create(other, { email: 'ada@example.com', reactivate_existing: true, double_opt_override: 'on' });
  expect(await kinds(other)).toEqual(['confirmation', 'confirmation']);
  await other.fetch((await inbox(other)).data[0]!.links.confirm!, { method: 'POST' });
  expect(await status(other)).toBe('active');
});

test('a confirmation is sent once, whatever else changes while the subscriber is pending, and though the inbox was emptied', async () => {
  const { sandbox } = await asked();
  expect((await control(sandbox, 'DELETE', '/inbox')).body).toEqual({ removed: 1 });
  await send(sandbox, 'POST', `/publications/${publicationId}/custom_fields`, { kind: 'string', display: 'City' });
  await create(sandbox, { email: 'ada@example.com', custom_fields: [{ name: 'City', value: 'Bremen' }] });
  expect((await inbox(sandbox)).total).toBe(0);
});

test('an e-mail is returned as text, as HTML without scripts, and by recipient; it can be deleted', async () => {
  const sandbox = fresh({
    seed: { publications: [{ id: publicationId, name: '<script>alert(1)</script> & "Co"', double_opt_in: true }] },
  });
  for (const email of ['ada+news@example.com', 'grace@example.com']) await create(sandbox, { email });
  sandbox.clock.advance(1000);
  const { data, total } = await inbox(sandbox, '?to=ADA%2Bnews@example.com');
  expect([data.map((one) => one.to), total]).toEqual([['ada+news@example.com'], 1]);
  const { id } = data[0]!;
  expect((await control(sandbox, 'GET', `/inbox/${id}`)).body).toMatchObject({
    data: { id, text: expect.stringContaining(`Confirm: http://sandbox.test/_sandbox/inbox/${id}/confirm`) },
  });
  const view = await sandbox.fetch(`http://sandbox.test/_sandbox/inbox/${id}/html`);
  expect(view.headers.get('content-type')).toContain('text/html');
  expect(view.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
  const html = await view.text();
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;Co&quot;');
  expect(html).not.toContain('<script');
  expect((await control(sandbox, 'DELETE', `/inbox/${id}`)).body).toEqual({ removed: 1 });
  expect((await control(sandbox, 'GET', `/inbox/${id}`)).status).toBe(404);
  expect((await inbox(sandbox)).total).toBe(1);
});

test('unknown e-mails and unknown links are 404s', async () => {
  const { sandbox, message } = await asked();
  for (const [method, path] of [
    ['GET', '/inbox/x'],
    ['GET', '/inbox/x/html'],
    ['POST', '/inbox/x/confirm'],
    ['GET', `/inbox/${message.id}/other`],
    ['POST', `/inbox/${message.id}/toString`],
  ] as const) {
    const answered = await control(sandbox, method, path);
    expect(answered.status).toBe(404);
    errorsOf(answered);
  }
});

test('each e-mail is published as an event; redaction deletes the e-mails and ends their links', async () => {
  const events: SandboxEvent[] = [];
  const sandbox = fresh();
  sandbox.subscribe((event) => events.push(event));
  await create(sandbox, { email: 'ada@example.com', send_welcome_email: true, double_opt_override: 'off' });
  expect(events.find((event) => event.type === 'message')).toMatchObject({
    message: { to: 'ada@example.com', kind: 'welcome' },
  });
  const welcome = await only(sandbox);
  await send(sandbox, 'POST', `/publications/${publicationId}/data_privacy/deletion_requests`, {
    email: 'ada@example.com',
  });
  await control(sandbox, 'POST', '/clock', { advance: 'P15D' });
  expect((await inbox(sandbox)).total).toBe(0);
  expect((await click(sandbox, welcome, 'unsubscribe')).status).toBe(404);
  expect(JSON.stringify(await send(sandbox, 'GET', subscriptionsPath))).not.toContain('ada@');
});

const click = (sandbox: Sandbox, { id }: Listed['data'][number], link: string) =>
  control(sandbox, 'POST', `/inbox/${id}/${link}`);

/** A subscriber who got both kinds of e-mail and is active. */
async function welcomed() {
  const sandbox = fresh();
  await create(sandbox, { email: 'ada@example.com', double_opt_override: 'on', send_welcome_email: true });
  sandbox.clock.advance(1000);
  const [confirmation] = (await inbox(sandbox)).data.toReversed();
  await click(sandbox, confirmation!, 'confirm');
  const [, welcome] = (await inbox(sandbox)).data.toReversed();
  return { sandbox, confirmation: confirmation!, welcome: welcome! };
}

test('a link that was used already answers with the same status', async () => {
  const { sandbox, confirmation, welcome } = await welcomed();
  expect(await click(sandbox, confirmation, 'confirm')).toMatchObject({
    status: 200,
    body: { data: { status: 'active' } },
  });
  expect(await click(sandbox, welcome, 'unsubscribe')).toMatchObject({
    status: 200,
    body: { data: { status: 'inactive' } },
  });
  expect(await click(sandbox, welcome, 'unsubscribe')).toMatchObject({
    status: 200,
    body: { data: { status: 'inactive' } },
  });
  expect(errorsOf(await click(sandbox, confirmation, 'confirm'))).toEqual([
    { message: 'This link is no longer valid: the status of the subscription has changed since.', code: 'LINK_GONE' },
  ]);
  expect(await status(sandbox)).toBe('inactive');
});

test('only a confirmation has a link to confirm', async () => {
  const { sandbox, welcome } = await welcomed();
  expect((await click(sandbox, welcome, 'confirm')).status).toBe(409);
  expect((await control(sandbox, 'GET', `/inbox/${welcome.id}`)).body).toMatchObject({
    data: { links: { unsubscribe: expect.stringMatching(/unsubscribe$/) } },
  });
  expect((await click(sandbox, welcome, 'toString')).status).toBe(404);
});

test('following a link publishes one change', async () => {
  const { sandbox, welcome } = await welcomed();
  const events: string[] = [];
  sandbox.subscribe((event) => {
    if (event.type === 'subscription') events.push(event.change);
  });
  await click(sandbox, welcome, 'unsubscribe');
  await click(sandbox, welcome, 'unsubscribe');
  expect(events).toEqual(['updated']);
});

test('a welcome that was requested before a confirmation waits for it, and is sent once', async () => {
  const sandbox = fresh();
  const { data } = await create(sandbox, {
    email: 'ada@example.com',
    double_opt_override: 'on',
    send_welcome_email: true,
  });
  sandbox.clock.advance(1000);
  expect(await kinds(sandbox)).toEqual(['confirmation']);
  const setStatus = async (new_status: string) => {
    await send(sandbox, 'PATCH', subscriptionsPath, { subscription_ids: [data.id], new_status });
    sandbox.clock.advance(2000);
  };
  await setStatus('inactive');
  await setStatus('active');
  await setStatus('inactive');
  await setStatus('active');
  expect(await kinds(sandbox)).toEqual(['confirmation', 'welcome']);
});
