/**
 * The example workflows that send emails or work in a database, with a real PostgreSQL and a real SMTP server: the
 * templates, the nightly comparison, and the erasure that a human approves.
 */
import type { Client } from '@newsletter-kit/core';
import { describe, expect } from 'vitest';
import { postgresServer } from '../../packages/relay/test/postgres-server.ts';
import { startMailServer, type MailServer } from './harness/mail.ts';
import { createDatabase, type ExampleNode, publishExample, readExample } from './harness/syncExample.ts';
import { n8n, test as n8nTest } from './harness/test.ts';
import { syncType, triggerType } from './harness/nodes.ts';
import { unscheduled } from './harness/watching.ts';

const server = postgresServer();

const test = n8nTest.extend<{
  readonly mailed: {
    readonly mails: MailServer;
    /** The credentials of an example's nodes, by the ends of their types. */
    readonly ours: Ours;
  };
}>({
  mailed: async ({ credentials }, use) => {
    const mails = await startMailServer();
    const smtp = { id: await n8n.createCredential('smtp', mails.credential), name: 'Mail' };
    await use({
      mails,
      ours: {
        emailSend: { smtp },
        newsletter: credentials,
        newsletterSync: credentials,
        newsletterTrigger: credentials,
      },
    });
    await mails.close();
  },
});
test.override({ sandboxOptions: { seed: 'demo', profile: 'unlimited' } });

type Ours = Readonly<Record<string, object>>;

/** Publishes an example with our credentials, and what `fill` adds to a node. */
async function publish(name: string, ours: Ours, fill: (node: ExampleNode) => object = () => ({})) {
  return publishExample({ n8n, example: await readExample(name) }, (node) => {
    const credentials = ours[node.type.replace(/^.*\./, '')];
    return { ...node, ...(credentials && { credentials }), ...fill(node) };
  });
}

/** A form trigger at a path of its own. */
const formAt =
  (path: string): ((node: ExampleNode) => object) =>
  ({ type, parameters: { options, ...parameters } }) =>
    type.endsWith('.formTrigger')
      ? {
          webhookId: path,
          parameters: { ...parameters, options: { ...(typeof options === 'object' && options), path } },
        }
      : {};

/** The nightly comparison, with an empty database. */
async function publishReconcile(ours: Ours, options: object) {
  const { address, postgres } = await createDatabase(server, n8n, [await readExample('contact-sync')]);
  const published = await publish('nightly-reconcile', { ...ours, postgres }, ({ type, parameters }) =>
    type === syncType ? { parameters: { ...parameters, options } } : {},
  );
  return { address, ...published };
}

/** All subscriptions of the newsletter. */
const everySubscription = (api: Client) => Array.fromAsync(api.subscriptions.list({ expand: ['custom_fields'] }));

test('reports each new finding once, with a table and a file without addresses, and changes neither side', async ({
  api,
  mailed: { mails, ours },
  sandboxOnPort,
}) => {
  // Otherwise the first plan of a small CRM would be held back.
  const { address, workflow, runOnce } = await publishReconcile(ours, { newSubscription: 'leave' });
  const contacts = () => server.run('SELECT * FROM contacts ORDER BY id', address);

  // Both sides agree: no email.
  await server.run(`INSERT INTO contacts (email) VALUES ('ada.lovelace@example.com')`, address);
  const before = await everySubscription(api);
  await runOnce();
  expect(mails.received).toEqual([]);

  // An address with HTML characters, and two contacts of one subscription.
  await server.run(`INSERT INTO contacts (email) VALUES ('<b>no address</b>'), ('Ada.Lovelace@example.com')`, address);
  const rows = await contacts();
  const first = await runOnce();
  expect(mails.received).toHaveLength(1);
  const [mail] = mails.received;
  expect(mail?.subject).toBe('Contact sync: 3 new findings');
  expect(mail?.to).toMatchObject([{ address: 'crm-team@example.com' }]);
  expect(mail?.html).toContain('<td align="left">Merge the contacts, or correct the address of one.</td>');
  expect(mail?.html).toContain('<td align="left">2</td>');
  expect(mail?.html).toContain(`3 contacts, ${before.length} subscriptions`);
  const [file] = mail?.attachments ?? [];
  expect(file).toMatchObject({ filename: 'findings.ndjson', disposition: 'attachment' });
  const lines = String(file?.content).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ code: 'address_malformed', contactId: '2' }),
    expect.objectContaining({ code: 'ambiguous', contactId: '1', subscriptionId: expect.any(String) }),
    expect.objectContaining({ code: 'ambiguous', contactId: '3', subscriptionId: expect.any(String) }),
  ]);
  expect(JSON.stringify(mail)).not.toMatch(/lovelace|no address/i);
  expect(first.output('Sync', 1)[0]).toMatchObject({ mode: 'preview' });

  // The same findings the next night: already reported.
  await runOnce();
  expect(mails.received).toHaveLength(1);
  expect(JSON.stringify((await n8n.workflow(workflow)).staticData)).not.toMatch(/example\.com/i);

  // One is resolved, and returns later.
  await server.run(`UPDATE contacts SET email = 'grace.hopper@example.com' WHERE id = 2`, address);
  await runOnce();
  expect(mails.received).toHaveLength(1);
  await server.run(`UPDATE contacts SET email = '<b>no address</b>' WHERE id = 2`, address);
  await runOnce();
  expect(mails.received.map(({ subject }) => subject)).toEqual([
    'Contact sync: 3 new findings',
    'Contact sync: 1 new finding',
  ]);

  expect(await contacts()).toEqual(rows);
  expect(await everySubscription(api)).toEqual(before);
  expect(sandboxOnPort.requests().filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('reports that the plan would be held back', async ({ api, mailed: { mails, ours } }) => {
  const { address, runOnce } = await publishReconcile(ours, {});
  const active = (await Array.fromAsync(api.subscriptions.list({ status: 'active' }))).slice(0, 21);
  const rows = active.map(({ email }) => `('${email}', true)`).join(', ');
  await server.run(`INSERT INTO contacts (email, do_not_mail) VALUES ${rows}`, address);
  await runOnce();
  expect(mails.received).toHaveLength(1);
  expect(mails.received[0]?.subject).toBe('Contact sync: the plan would be held back');
  expect(mails.received[0]?.html).toContain('The plan unsubscribes 21');
});

/** The form refuses known user agents of bots. */
const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** The erasure example with its open form, and the steps of its users. */
async function publishErasure(ours: Ours) {
  const tables = [await readExample('contact-sync'), await readExample('erase-with-approval')];
  const { address, postgres } = await createDatabase(server, n8n, tables);
  const path = crypto.randomUUID();
  const { workflow } = await publish('erase-with-approval', { ...ours, postgres }, formAt(path));
  return {
    address,
    workflow,
    /** Fills in the form of the website. */
    async ask(email: string): Promise<string> {
      const response = await fetch(`${n8n.url}/form/${path}`, {
        method: 'POST',
        headers: { 'user-agent': browser },
        body: fieldsOf({ 'field-0': email, 'field-1': '<a href="https://example.org">no</a> &lt;b&gt;more&lt;/b&gt;' }),
      });
      expect(response.status).toBe(200);
      return response.text();
    },
    /** Opens the link in the email, as mail scanners also do, and sends its form. */
    async decide(html: string, decision: string): Promise<void> {
      const link = /href="([^"]*\/webhook-waiting\/[^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
      // The email is sent before n8n has suspended the execution.
      await expect.poll(async () => (await fetch(link)).text()).toContain('Erase this person?');
      const response = await fetch(link, {
        method: 'POST',
        body: fieldsOf({ 'field-0': decision, 'field-1': 'Grace Hopper' }),
      });
      expect(response.status).toBe(200);
    },
    contacts: () => server.run('SELECT * FROM contacts ORDER BY id', address),
    audit: () => server.run('SELECT * FROM erasures ORDER BY id', address),
  };
}

function fieldsOf(values: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) form.append(name, value);
  return form;
}

test('erases a person after approval, and records approver and time without the address', async ({
  api,
  mailed: { mails, ours },
}) => {
  const { address, workflow, ask, decide, contacts, audit } = await publishErasure(ours);
  await server.run(
    `INSERT INTO contacts (email, first_name) VALUES ('Ada.Lovelace@example.com', 'Ada'), ('joan@example.com', 'Joan')`,
    address,
  );
  await ask('ada.lovelace@example.com');
  await expect.poll(() => mails.received.length).toBe(1);
  const html = mails.received[0]?.html ?? '';
  for (const text of ['ada.lovelace@example.com asks to be erased', ', active', 'Contacts in the CRM: 1'])
    expect(html).toContain(text);
  expect(html).not.toMatch(/<a href="https:..example.org"|<b>more/);
  expect(await audit()).toEqual([]);
  expect((await api.deletionRequests.list()).items).toEqual([]);

  await decide(html, 'Erase');
  await expect.poll(async () => (await audit()).length).toBe(1);
  const [request, ...others] = (await api.deletionRequests.list()).items;
  expect(request).toMatchObject({ email: 'ada.lovelace@example.com', status: 'pending' });
  expect(others).toEqual([]);
  const { items } = await api.subscriptions.list({ email: 'ada.lovelace@example.com' });
  expect(items).toMatchObject([{ status: 'inactive' }]);
  expect(await contacts()).toMatchObject([
    { id: 1, email: 'erased-1@erased.invalid', first_name: null, do_not_mail: true, newsletter_sync_token: null },
    { id: 2, email: 'joan@example.com', first_name: 'Joan', do_not_mail: false },
  ]);
  const [line] = await audit();
  expect(line).toMatchObject({
    decided_by: 'Grace Hopper',
    decision: 'Erase',
    deletion_request: request?.id,
    contacts: 1,
    decided_at: expect.any(Date),
  });
  expect(JSON.stringify(line)).not.toMatch(/lovelace/i);
  // The execution, which contained the address, is deleted.
  await expect.poll(() => n8n.executionIds(workflow)).toEqual([]);
});

test('erases a person known only to the CRM, with the same answer on the form', async ({
  api,
  mailed: { mails, ours },
}) => {
  const { address, ask, decide, contacts, audit } = await publishErasure(ours);
  await server.run(`INSERT INTO contacts (email) VALUES ('nobody@example.com')`, address);
  const known = await ask('ada.lovelace@example.com');
  expect(await ask('nobody@example.com')).toBe(known);
  await expect.poll(() => mails.received.length).toBe(2);
  const mail = mails.received.find(({ html }) => html?.includes('nobody@example.com asks'));
  expect(mail?.html).toContain('Newsletter: not known');
  await decide(mail?.html ?? '', 'Erase');
  await expect.poll(audit).toMatchObject([{ decision: 'Erase', deletion_request: null }]);
  expect(await contacts()).toMatchObject([{ email: 'erased-1@erased.invalid' }]);
  expect((await api.deletionRequests.list()).items).toEqual([]);
});

test('changes nothing after a refusal', async ({ api, mailed: { mails, ours } }) => {
  const { address, ask, decide, contacts, audit } = await publishErasure(ours);
  await server.run(`INSERT INTO contacts (email) VALUES ('ada.lovelace@example.com')`, address);
  const before = [await contacts(), await everySubscription(api)];
  await ask('ada.lovelace@example.com');
  await expect.poll(() => mails.received.length).toBe(1);
  await decide(mails.received[0]?.html ?? '', 'Refuse');
  await expect.poll(audit).toMatchObject([{ decision: 'Refuse', decided_by: 'Grace Hopper', deletion_request: null }]);
  expect([await contacts(), await everySubscription(api)]).toEqual(before);
  expect((await api.deletionRequests.list()).items).toEqual([]);
});

/** A template with the polling trigger; `poll` polls at once. */
async function publishWatching(name: string, ours: Ours) {
  const { workflow } = await publish(name, ours, ({ type, parameters }) =>
    type === triggerType ? { parameters: { ...parameters, ...unscheduled } } : {},
  );
  return {
    workflow,
    async poll(): Promise<void> {
      await n8n.deactivate(workflow);
      await n8n.activate(workflow);
    },
  };
}

describe('the notice of new subscribers', () => {
  test('is one email about all new subscribers, with their sources', async ({
    api,
    mailed: { mails, ours },
    sandboxOnPort: { clock },
  }) => {
    const { poll } = await publishWatching('subscriber-notice', ours);
    await api.subscriptions.create({
      email: 'joan@example.com',
      utm_source: 'Küstenblatt',
      utm_campaign: 'Frühjahr',
      referring_site: 'https://blog.example.com/boats',
    });
    clock.advance('PT1S');
    await api.subscriptions.create({ email: 'mary@example.com' });
    clock.advance('PT1S');
    await poll();
    await expect.poll(() => mails.received.length).toBe(1);
    const [mail] = mails.received;
    expect(mail?.subject).toBe('2 new newsletter subscribers');
    expect(mail?.text?.trim().split('\n').toSorted()).toEqual([
      'joan@example.com – Küstenblatt / Frühjahr, from https://blog.example.com/boats',
      'mary@example.com – no campaign',
    ]);
    await poll();
    await poll();
    expect(mails.received).toHaveLength(1);
  });
});

describe('the import of a CSV file', () => {
  /** @returns uploads a file with this password, and opens the page that answers it */
  async function publishImport(ours: Ours) {
    const user = { user: 'ada', password: 'harbour' };
    const httpBasicAuth = { id: await n8n.createCredential('httpBasicAuth', user), name: 'Form' };
    const path = crypto.randomUUID();
    await publish('import-csv', { ...ours, formTrigger: { httpBasicAuth } }, formAt(path));
    const upload = (csv: string, password = 'harbour'): Promise<Response> => {
      const body = new FormData();
      body.append('field-0', new File([csv], 'fair.csv', { type: 'text/csv' }));
      return fetch(`${n8n.url}/form/${path}`, {
        method: 'POST',
        headers: { 'user-agent': browser, authorization: `Basic ${btoa(`ada:${password}`)}` },
        body,
      });
    };
    return {
      upload,
      /** Uploads a file, and waits for the page with this title. @returns its HTML */
      async answer(csv: string, title: string): Promise<string> {
        const { formWaitingUrl } = (await (await upload(csv)).json()) as { readonly formWaitingUrl: string };
        // As n8n's own form does: its page is asked for once the execution waits with it.
        const status = new URL(formWaitingUrl);
        status.pathname += '/n8n-execution-status';
        await expect.poll(async () => (await fetch(status)).text()).toContain('form-waiting');
        const html = await (await fetch(formWaitingUrl, { headers: { 'user-agent': browser } })).text();
        expect(html).toContain(title);
        return html;
      },
    };
  }

  test('imports the valid rows, and reports the others on the page and by email', async ({
    api,
    mailed: { mails, ours },
    sandboxOnPort: { clock },
  }) => {
    const { upload, answer } = await publishImport(ours);
    // As Excel writes it.
    const csv =
      '\uFEFFemail;utm_source;Note\njoan@example.com;fair;met\nno address;fair;a b\nmary@example.com;fair;\njoan@example.com;fair;twice\n';
    expect((await upload(csv, 'wrong')).ok).toBe(false);
    const page = await answer(csv, '2 of 4 rows were accepted');
    expect(page).toMatch(/no address: [^<]+/);

    expect(mails.received.map(({ subject }) => subject)).toEqual([
      'Rows that were not imported',
      '2 subscribers are being imported',
    ]);
    const [refused, count] = mails.received;
    expect(count?.text).toContain('accepted 2 of 4 rows');
    const [file] = refused?.attachments ?? [];
    expect(file?.filename).toBe('refused-rows.csv');
    const [heading, ...lines] = String(file?.content)
      .replace(/^\uFEFF/, '')
      .trim()
      .split('\n');
    expect(heading?.trim()).toBe('email,utm_source,Note,reason');
    expect(lines.map((line) => line.trim())).toEqual([
      expect.stringMatching(/^no address,fair,a b,.+/),
      expect.stringMatching(/^joan@example.com,fair,twice,.+/),
    ]);
    clock.advance('PT1H');
    const emails = (await everySubscription(api)).map(({ email }) => email);
    expect(emails).toEqual(expect.arrayContaining(['joan@example.com', 'mary@example.com']));
  });
});

describe('the opt-out in the CRM', () => {
  /** One contact with a subscription, and one without. */
  async function publishOptOut(ours: Ours) {
    const example = await readExample('unsubscribed-to-crm');
    const { address, postgres } = await createDatabase(server, n8n, [example]);
    await server.run(
      `INSERT INTO crm_contacts (email) VALUES ('Ada.Lovelace@example.com'), ('ada@example.com')`,
      address,
    );
    const published = await publishWatching('unsubscribed-to-crm', { ...ours, postgres });
    return {
      ...published,
      optedOut: async () =>
        (await server.run('SELECT email FROM crm_contacts WHERE do_not_mail ORDER BY id', address)) as unknown[],
      records: () => server.run('SELECT * FROM crm_opt_outs', address),
    };
  }

  test('is set after each unsubscribe, with a record', async ({ api, mailed: { ours }, sandboxOnPort: { clock } }) => {
    const { workflow, poll, optedOut, records } = await publishOptOut(ours);
    const { items } = await api.subscriptions.list({ email: 'ada.lovelace@example.com' });
    const { items: others } = await api.subscriptions.list({ status: 'active', limit: 2 });
    const stranger = others.find(({ email }) => email !== 'ada.lovelace@example.com');
    await api.subscriptions.updateStatus({
      subscription_ids: [items[0]?.id ?? '', stranger?.id ?? ''],
      new_status: 'inactive',
    });
    clock.advance('PT1M');
    await poll();
    await expect.poll(records).toHaveLength(1);
    const [id = ''] = await n8n.executionIds(workflow);
    expect((await n8n.ended(id)).output('When somebody unsubscribes')).toHaveLength(2);
    expect(await optedOut()).toEqual([{ email: 'Ada.Lovelace@example.com' }]);
    expect(await records()).toMatchObject([{ contact_id: 1, source: 'newsletter', opted_out_at: expect.any(Date) }]);
  });
});

describe('the weekly digest', () => {
  const day = 24 * 60 * 60 * 1000;
  test.override({ sandboxOptions: { seed: 'empty', profile: 'unlimited', now: () => Date.now() - 9 * day } });

  test('counts the subscriptions of the last seven days by source', async ({
    api,
    mailed: { mails, ours },
    sandboxOnPort,
  }) => {
    const { clock } = sandboxOnPort;
    const { runOnce } = await publish('weekly-growth', ours);
    // No subscription in the week: no email.
    await api.subscriptions.create({ email: 'too.early@example.com', utm_source: 'fair' });
    await runOnce();
    expect(mails.received).toEqual([]);

    clock.advance(3 * day);
    await api.subscriptions.create({ email: 'joan@example.com', utm_source: 'fair' });
    await api.subscriptions.create({ email: 'mary@example.com' });
    clock.advance(3 * day);
    for (const name of ['grace', 'hedy', 'lise'])
      await api.subscriptions.create({ email: `${name}@example.com`, utm_source: 'Küste & <b>' });
    clock.advance(3 * day);
    await api.subscriptions.create({ email: 'today@example.com', utm_source: 'fair' });
    await runOnce();
    expect(mails.received).toHaveLength(1);
    expect(mails.received[0]?.subject).toBe('5 new subscribers last week');
    expect(mails.received[0]?.text?.trim().split('\n')[0]).toBe('3  Küste & <b>');
    expect(mails.received[0]?.text?.trim().split('\n').toSorted()).toEqual([
      '1  fair',
      '1  without a source',
      '3  Küste & <b>',
    ]);
    const lists = sandboxOnPort.requests().filter(({ operation }) => operation === 'subscriptions.list');
    expect(lists).toHaveLength(14);
  });
});
