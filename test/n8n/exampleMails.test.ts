/**
 * The example workflows that send emails, with contacts in a real PostgreSQL and a real SMTP server: the nightly
 * comparison, and the erasure that a human approves.
 */
import type { Client } from '@newsletter-kit/core';
import { expect, inject } from 'vitest';
import { postgresServer } from '../../packages/relay/test/postgres-server.ts';
import { startMailServer, type MailServer } from './harness/mail.ts';
import { createDatabase, publishExample, readExample } from './harness/sync-example.ts';
import { n8n, test as n8nTest } from './harness/test.ts';
import { syncType } from './harness/nodes.ts';
import { all } from './operations/execution.ts';

const { n8nUrl } = inject('newsletter');
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
    await use({ mails, ours: { emailSend: { smtp }, newsletter: credentials, newsletterSync: credentials } });
    await mails.close();
  },
});
test.override({ sandboxOptions: { seed: 'demo', profile: 'unlimited' } });

type Ours = Readonly<Record<string, object>>;

/** What a node needs of these credentials. */
const credentialsFor = (type: string, ours: Ours) => {
  const credentials = ours[type.replace(/^.*\./, '')];
  return credentials && { credentials };
};

/** The nightly comparison, with an empty database. */
async function publishReconcile(ours: Ours, options: object) {
  const example = await readExample('nightly-reconcile');
  const { address, postgres } = await createDatabase(server, n8n, [await readExample('contact-sync')]);
  const published = await publishExample({ n8n, n8nUrl, example }, (node) => ({
    ...node,
    ...credentialsFor(node.type, { ...ours, postgres }),
    ...(node.type === syncType && { parameters: { ...node.parameters, options } }),
  }));
  return { address, ...published };
}

/** Everything the newsletter shows of its subscriptions. */
const everySubscription = (api: Client) => all(api.subscriptions.list({ expand: ['custom_fields'] }));

test('reports each new finding once, with a table and a file without addresses, and writes to neither side', async ({
  api,
  mailed: { mails, ours },
  sandboxOnPort,
}) => {
  // Otherwise the first plan of a small CRM is one to be held back.
  const { address, workflow, runOnce } = await publishReconcile(ours, { newSubscription: 'leave' });
  const contacts = () => server.run('SELECT * FROM contacts ORDER BY id', address);

  // Both sides agree: no email.
  await server.run(`INSERT INTO contacts (email) VALUES ('ada.lovelace@example.com')`, address);
  const before = await everySubscription(api);
  await runOnce();
  expect(mails.received).toEqual([]);

  // An address that would be HTML, and two contacts of one subscription.
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
  expect(first.output('Sync', 3)[0]).toMatchObject({ mode: 'preview' });

  // The same the next night: told already.
  await runOnce();
  expect(mails.received).toHaveLength(1);
  expect(JSON.stringify((await n8n.workflow(workflow)).staticData)).not.toMatch(/example\.com/i);

  // One is solved, and comes back later.
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

test('says that the plan would be held back', async ({ mailed: { mails, ours } }) => {
  const { address, runOnce } = await publishReconcile(ours, {});
  await server.run(`INSERT INTO contacts (email) VALUES ('ada.lovelace@example.com')`, address);
  await runOnce();
  expect(mails.received).toHaveLength(1);
  expect(mails.received[0]?.subject).toBe('Contact sync: the plan would be held back');
  expect(mails.received[0]?.html).toContain('The plan creates 2');
});

/** The form turns bots away by their names. */
const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** The erasure example with its form open, and what a person does with it. */
async function publishErasure(ours: Ours) {
  const example = await readExample('erase-with-approval');
  const { address, postgres } = await createDatabase(server, n8n, [await readExample('contact-sync'), example]);
  const path = crypto.randomUUID();
  const { workflow } = await publishExample({ n8n, n8nUrl, example }, (node) => {
    const { options, ...parameters } = node.parameters;
    return {
      ...node,
      ...credentialsFor(node.type, { ...ours, postgres }),
      ...(node.type.endsWith('.formTrigger') && {
        webhookId: path,
        parameters: { ...parameters, options: { ...(typeof options === 'object' && options), path } },
      }),
    };
  });
  return {
    address,
    workflow,
    /** Fills in the form of the website. */
    async ask(email: string): Promise<string> {
      const response = await fetch(`${n8nUrl}/form/${path}`, {
        method: 'POST',
        headers: { 'user-agent': browser },
        body: fieldsOf({ 'field-0': email, 'field-1': '<a href="https://example.org">no</a> &lt;b&gt;more&lt;/b&gt;' }),
      });
      expect(response.status).toBe(200);
      return response.text();
    },
    /** Opens the link of the email, as a mail scanner does too, and sends its form. */
    async decide(html: string, decision: string): Promise<void> {
      const link = /href="([^"]*\/webhook-waiting\/[^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
      // The email is out before n8n has put the execution to sleep.
      await expect.poll(async () => (await fetch(link)).text(), { timeout: 60_000 }).toContain('Erase this person?');
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

test('erases a person once a human has approved, and keeps who and when without the address', async ({
  api,
  mailed: { mails, ours },
}) => {
  const { address, workflow, ask, decide, contacts, audit } = await publishErasure(ours);
  await server.run(
    `INSERT INTO contacts (email, first_name) VALUES ('Ada.Lovelace@example.com', 'Ada'), ('joan@example.com', 'Joan')`,
    address,
  );
  await ask('ada.lovelace@example.com');
  await expect.poll(() => mails.received.length, { timeout: 60_000 }).toBe(1);
  const html = mails.received[0]?.html ?? '';
  for (const text of ['ada.lovelace@example.com asks to be erased', ', active', 'Contacts in the CRM: 1'])
    expect(html).toContain(text);
  expect(html).not.toMatch(/<a href="https:..example.org"|<b>more/);
  expect(await audit()).toEqual([]);
  expect((await api.deletionRequests.list()).items).toEqual([]);

  await decide(html, 'Erase');
  await expect.poll(async () => (await audit()).length, { timeout: 60_000 }).toBe(1);
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
  // The execution, which held the address, is gone.
  await expect.poll(() => n8n.executionIds(workflow), { timeout: 60_000 }).toEqual([]);
});

test('erases somebody whom only the CRM knows, and says the same on the form', async ({
  api,
  mailed: { mails, ours },
}) => {
  const { address, ask, decide, contacts, audit } = await publishErasure(ours);
  await server.run(`INSERT INTO contacts (email) VALUES ('nobody@example.com')`, address);
  const known = await ask('ada.lovelace@example.com');
  expect(await ask('nobody@example.com')).toBe(known);
  await expect.poll(() => mails.received.length, { timeout: 60_000 }).toBe(2);
  const mail = mails.received.find(({ html }) => html?.includes('nobody@example.com asks'));
  expect(mail?.html).toContain('Newsletter: not known');
  await decide(mail?.html ?? '', 'Erase');
  await expect.poll(audit, { timeout: 60_000 }).toMatchObject([{ decision: 'Erase', deletion_request: null }]);
  expect(await contacts()).toMatchObject([{ email: 'erased-1@erased.invalid' }]);
  expect((await api.deletionRequests.list()).items).toEqual([]);
});

test('changes nothing where a human refuses', async ({ api, mailed: { mails, ours } }) => {
  const { address, ask, decide, contacts, audit } = await publishErasure(ours);
  await server.run(`INSERT INTO contacts (email) VALUES ('ada.lovelace@example.com')`, address);
  const before = [await contacts(), await everySubscription(api)];
  await ask('ada.lovelace@example.com');
  await expect.poll(() => mails.received.length, { timeout: 60_000 }).toBe(1);
  await decide(mails.received[0]?.html ?? '', 'Refuse');
  await expect
    .poll(audit, { timeout: 60_000 })
    .toMatchObject([{ decision: 'Refuse', decided_by: 'Grace Hopper', deletion_request: null }]);
  expect([await contacts(), await everySubscription(api)]).toEqual(before);
  expect((await api.deletionRequests.list()).items).toEqual([]);
});
