/** `newsletter sync` with a sandbox and a real PostgreSQL. */
import { writeFileSync } from 'node:fs';
import { test } from '@newsletter-kit/sandbox/vitest';
import { expect } from 'vitest';
import { events, run, start } from './command.ts';
import { otherTransaction, settle, syncFixture, type Config } from './sync-fixture.ts';
import { waitUntil } from '../../../test/support/waits.ts';

test('updates both sides, and a second run writes nothing', async ({ sandboxOnPort: sandbox }) => {
  const { client, env, path, sync, sql, subscribe, edit, find, changes } = await syncFixture(sandbox);
  await subscribe('ada@example.com', 'Bonn');
  await subscribe('grace@example.com');
  await edit('ada@example.com', { Topics: ['boats', 'food'] });
  await sql(`INSERT INTO contacts (email, city, born) VALUES
    ('Ada@example.com', NULL, '1815-12-10'), ('grace@example.com', 'Ulm', NULL), ('joan@example.com', 'Jena', NULL)`);

  const planned = await sync('plan');
  expect(planned).toMatchObject({ code: 0, stderr: '2 subscriptions read\n' });
  expect(planned.stdout).toBe(
    [
      'Change  ada@example.com    city: (empty) → Bonn                 Empty in the CRM',
      'Change  ada@example.com    Born: (empty) → 1815-12-10           Empty in the newsletter',
      'Change  ada@example.com    topics: (empty) → boats, food        Comes from the newsletter',
      'Change  ada@example.com    newsletter_status: (empty) → active  Comes from the newsletter',
      'Change  grace@example.com  City: (empty) → Ulm                  Empty in the newsletter',
      'Change  grace@example.com  newsletter_status: (empty) → active  Comes from the newsletter',
      '3 contacts, 2 subscriptions, 2 pairs. Would create 0 contacts, change 2. Would change 2 subscriptions. 1 contact without a subscription left alone. It would take 2 writes in the CRM, and 2 requests to the newsletter. Nothing was written.',
      '',
    ].join('\n'),
  );
  const short = await sync('plan', '--short-addresses', '--changes', '1');
  expect(short.stdout).toMatch(/^Change {2}a…@example\.com {2}city/);
  expect(short.stdout).not.toMatch(/ada|grace/);
  expect(await sql(`SELECT to_regclass('newsletter_sync_tokens') AS there`)).toEqual([{ there: null }]);

  // In a process of its own, which ends once the database is closed.
  expect(await start(['sync', 'apply', '--config', path], env).ended).toMatchObject({ code: 0 });
  expect(
    await sql(`SELECT city, born::text, topics, newsletter_status, do_not_mail FROM contacts ORDER BY id`),
  ).toEqual([
    { city: 'Bonn', born: '1815-12-10', topics: ['boats', 'food'], newsletter_status: 'active', do_not_mail: false },
    { city: 'Ulm', born: null, topics: null, newsletter_status: 'active', do_not_mail: false },
    { city: 'Jena', born: null, topics: null, newsletter_status: null, do_not_mail: false },
  ]);
  const { items } = await client.subscriptions.list({ email: 'ada@example.com', expand: ['custom_fields'] });
  expect(items[0]?.custom_fields).toContainEqual(expect.objectContaining({ name: 'Born', value: '1815-12-10' }));
  expect(await find('grace@example.com')).toMatchObject({ city: 'Ulm' });
  expect(await sql(`SELECT contact_id FROM newsletter_sync_tokens ORDER BY 1`)).toHaveLength(2);

  const sent = changes();
  const versions = () =>
    sql(`SELECT c.xmin::text, t.xmin::text AS token FROM contacts c
      LEFT JOIN newsletter_sync_tokens t ON t.contact_id = c.id::text ORDER BY c.id`);
  const before = await versions();
  const second = await sync('apply', '--json');
  expect(second.code).toBe(0);
  expect(events(second.stdout).at(-1)).toMatchObject({
    type: 'applied',
    updated: 0,
    created: 0,
    subscriptions_updated: 0,
    findings: {},
    held: null,
  });
  expect(changes()).toBe(sent);
  expect(await versions()).toEqual(before);

  // Each side's edit reaches the other.
  await edit('ada@example.com', { City: 'Köln' });
  await sql(`UPDATE contacts SET city = 'Aachen' WHERE id = 2`);
  expect(await sync('apply')).toMatchObject({ code: 0 });
  expect(await sql(`SELECT city FROM contacts ORDER BY id LIMIT 2`)).toEqual([{ city: 'Köln' }, { city: 'Aachen' }]);
  expect(await find('grace@example.com')).toMatchObject({ city: 'Aachen' });
});

test('carries opt-outs both ways, reactivates nobody, and keeps a consent trail', async ({
  sandboxOnPort: sandbox,
}) => {
  const { client, sync, sql, subscribe, find } = await syncFixture(sandbox);
  const leaver = await subscribe('leaver@example.com');
  const vetoer = await subscribe('vetoer@example.com');
  const gone = await subscribe('gone@example.com');
  await client.subscriptions.updateStatus({ subscription_ids: [gone], new_status: 'inactive' });
  settle(sandbox);
  await sql(`INSERT INTO contacts (email) VALUES ('leaver@example.com'), ('vetoer@example.com')`);
  expect(await sync('apply')).toMatchObject({ code: 0 });

  await client.subscriptions.updateStatus({ subscription_ids: [leaver], new_status: 'inactive' });
  settle(sandbox);
  await sql(`UPDATE contacts SET do_not_mail = true WHERE id = 2`);
  expect(await sync('apply')).toMatchObject({ code: 0 });
  expect(await sql(`SELECT do_not_mail FROM contacts ORDER BY id LIMIT 2`)).toEqual([
    { do_not_mail: true },
    { do_not_mail: true },
  ]);
  expect(await find('vetoer@example.com')).toMatchObject({ status: 'inactive' });
  expect(await sync('apply')).toMatchObject({ code: 0 });
  expect(await find('leaver@example.com')).toMatchObject({ status: 'inactive' });

  const trail = events((await sync('status', '--consent')).stdout);
  expect(trail).toHaveLength(3);
  // A subscriber who unsubscribed before the first sync gets a contact that is opted out.
  expect(trail[0]).toMatchObject({ said_by: 'newsletter', subscription_id: gone, contact_id: '3' });
  expect(await sql(`SELECT do_not_mail FROM contacts WHERE id = 3`)).toEqual([{ do_not_mail: true }]);
  expect(trail).toContainEqual({
    first_seen: expect.any(String),
    said_by: 'newsletter',
    field: 'status',
    subscription_id: leaver,
    contact_id: '1',
    written: { side: 'crm', field: 'do_not_mail', value: true },
    completed_at: expect.any(String),
  });
  const written = { side: 'newsletter', field: 'status', value: 'inactive' };
  const vetoed = { said_by: 'crm', field: 'do_not_mail', subscription_id: vetoer, contact_id: '2', written };
  expect(trail).toContainEqual(expect.objectContaining(vetoed));

  // Subscribing again while the contact stays opted out is reported as a finding.
  await client.subscriptions.updateStatus({ subscription_ids: [vetoer], new_status: 'active' });
  settle(sandbox);
  for (const isNew of [true, false]) {
    const again = await sync('apply', '--json');
    expect(again.code).toBe(2);
    expect(events(again.stdout)).toContainEqual(
      expect.objectContaining({
        type: 'finding',
        code: 'active_while_opted_out',
        contact_id: '2',
        is_new: isNew,
        remedy: expect.any(String),
      }),
    );
  }
  expect(await find('vetoer@example.com')).toMatchObject({ status: 'active' });
  expect(await sql(`SELECT do_not_mail FROM contacts WHERE id = 2`)).toEqual([{ do_not_mail: true }]);
  const status = await sync('status');
  expect(status.code).toBe(2);
  expect(status.stdout).toMatch(/findings {3}active_while_opted_out: 1$/m);
  expect(status.stdout).toMatch(/tokens {5}3 linked contacts$/m);

  // Once cleared, a later opt-out is a record of its own.
  await sql(`UPDATE contacts SET do_not_mail = false WHERE id = 2`);
  expect(await sync('apply')).toMatchObject({ code: 0 });
  await sql(`UPDATE contacts SET do_not_mail = true WHERE id = 2`);
  expect(await sync('apply')).toMatchObject({ code: 0 });
  expect(events((await sync('status', '--consent')).stdout)).toHaveLength(4);
});

test('carries an opt-out to every address of a person, that of a merged contact too', async ({
  sandboxOnPort: sandbox,
}) => {
  const { sync, sql, subscribe, find, write } = await syncFixture(
    sandbox,
    `CREATE TABLE contacts (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, email text, others text[],
       merged_into bigint, do_not_mail boolean NOT NULL DEFAULT false)`,
  );
  const contacts = { table: 'contacts', furtherAddresses: 'others', mergedInto: 'merged_into' };
  write({ mapping: { fields: [], optOut: { contact: 'do_not_mail' } }, contacts });
  for (const name of ['ada', 'ada.private', 'bob', 'bob.old', 'cy']) await subscribe(`${name}@example.com`);
  await sql(`INSERT INTO contacts (email, others, merged_into) VALUES
    ('ada@example.com', '{Ada.Private@example.com}', NULL), ('bob@example.com', NULL, NULL),
    ('bob.old@example.com', NULL, 2), ('cy@example.com', '{}', NULL)`);
  await sync('apply');
  await sync('apply');
  await sql(`UPDATE contacts SET do_not_mail = true WHERE id < 3`);
  await sync('apply');
  const statuses = await Promise.all(
    ['ada', 'ada.private', 'bob', 'bob.old', 'cy'].map(async (name) => (await find(`${name}@example.com`))?.status),
  );
  expect(statuses).toEqual(['inactive', 'inactive', 'inactive', 'inactive', 'active']);
  expect(await sql(`SELECT count(*)::int AS contacts FROM contacts`)).toEqual([{ contacts: 4 }]);
});

test('mirrors subscribers into an empty table', async ({ sandboxOnPort: sandbox }) => {
  const { client, sync, sql, subscribe, edit, fields, write, changes } = await syncFixture(
    sandbox,
    `CREATE SCHEMA "Mail"; CREATE TABLE "Mail"."Sub""scribers" (key uuid DEFAULT gen_random_uuid() PRIMARY KEY,
       "E-Mail" text, "select" varchar(20), topics text, since timestamptz, born date, state jsonb)`,
  );
  write({
    name: 'mirror',
    schema: 'Mail',
    mapping: {
      fields: [
        { newsletter: fields.City, contact: 'select', direction: 'to_contact' },
        { newsletter: fields.Topics, contact: 'topics', direction: 'to_contact' },
        { newsletter: fields.Born, contact: 'born', direction: 'to_contact' },
        { newsletter: 'created', contact: 'since', direction: 'to_contact' },
        { newsletter: 'status', contact: 'state', direction: 'to_contact' },
      ],
    },
    contacts: { table: 'Mail.Sub"scribers', id: 'key', email: 'E-Mail' },
  });
  const ada = await subscribe('ada@example.com', "Bonn's");
  await subscribe('grace@example.com');
  await edit('ada@example.com', { Topics: ['boats', 'food'], Born: '1815-12-10' });
  const first = await sync('apply', '--json');
  expect(events(first.stdout).at(-1)).toMatchObject({ type: 'applied', created: 2, updated: 0 });
  expect(first.code).toBe(0);
  expect(
    await sql(`SELECT "E-Mail", "select", topics, born::text, state, since IS NOT NULL AS since
                      FROM "Mail"."Sub""scribers" ORDER BY 1`),
  ).toEqual([
    {
      'E-Mail': 'ada@example.com',
      select: "Bonn's",
      topics: 'boats;food',
      born: '1815-12-10',
      state: 'active',
      since: true,
    },
    { 'E-Mail': 'grace@example.com', select: null, topics: null, born: null, state: 'active', since: true },
  ]);
  expect(await sql(`SELECT count(*)::int AS tokens FROM "Mail".newsletter_sync_tokens`)).toEqual([{ tokens: 2 }]);

  const second = await sync('apply', '--json');
  expect(events(second.stdout).at(-1)).toMatchObject({ type: 'applied', created: 0, updated: 0, findings: {} });
  await subscribe('joan@example.com', 'Ulm');
  await client.subscriptions.updateStatus({ subscription_ids: [ada], new_status: 'inactive' });
  settle(sandbox);
  const third = await sync('apply', '--json');
  expect(events(third.stdout).at(-1)).toMatchObject({ type: 'applied', created: 1, updated: 1, findings: {} });
  expect(await sql(`SELECT state FROM "Mail"."Sub""scribers" WHERE "E-Mail" LIKE 'ada@%'`)).toEqual([
    { state: 'inactive' },
  ]);
  expect(events((await sync('status', '--consent')).stdout)).toMatchObject([
    { said_by: 'newsletter', subscription_id: ada, written: { side: 'crm', field: 'state', value: 'inactive' } },
  ]);
  expect(changes()).toBe(0);
});

test('reports a contact that PostgreSQL refuses, keeps its token, and writes all others', async ({
  sandboxOnPort: sandbox,
}) => {
  const { sync, sql, subscribe, edit } = await syncFixture(sandbox);
  await subscribe('ada@example.com', 'Bonn');
  await subscribe('grace@example.com', 'Ulm');
  await sql(`INSERT INTO contacts (email) VALUES ('ada@example.com'), ('grace@example.com')`);
  expect(await sync('apply')).toMatchObject({ code: 0 });
  const token = await sql(`SELECT token FROM newsletter_sync_tokens WHERE contact_id = '1'`);

  await edit('ada@example.com', { City: 'Nowhere' });
  await edit('grace@example.com', { City: 'Jena' });
  const refused = await sync('apply', '--json');
  expect(refused.code).toBe(2);
  expect(events(refused.stdout).filter(({ type }) => type === 'finding')).toEqual([
    expect.objectContaining({
      code: 'contact_refused',
      contact_id: '1',
      is_new: true,
      detail: 'SQLSTATE 23514 (constraint contacts_city_check)',
    }),
  ]);
  expect(refused.stdout).not.toContain('Nowhere');
  expect(await sql(`SELECT city FROM contacts ORDER BY id`)).toEqual([{ city: 'Bonn' }, { city: 'Jena' }]);
  expect(await sql(`SELECT token FROM newsletter_sync_tokens WHERE contact_id = '1'`)).toEqual(token);

  // Later runs try again.
  await sql(`ALTER TABLE contacts DROP CONSTRAINT contacts_city_check`);
  expect(await sync('apply')).toMatchObject({ code: 0 });
  expect(await sql(`SELECT city FROM contacts ORDER BY id`)).toEqual([{ city: 'Nowhere' }, { city: 'Jena' }]);
});

test('completes a run that was killed before it wrote the contacts', async ({ sandboxOnPort: sandbox }) => {
  const { sync, sql, subscribe, find, env, path, database } = await syncFixture(sandbox);
  await subscribe('ada@example.com', 'Bonn');
  await subscribe('grace@example.com');
  await sql(`INSERT INTO contacts (email) VALUES ('ada@example.com'), ('grace@example.com')`);
  expect(await sync('apply')).toMatchObject({ code: 0 });
  await sql(`UPDATE contacts SET do_not_mail = true, city = 'Jena' WHERE id = 1;
             UPDATE contacts SET city = 'Trier' WHERE id = 2`);

  const blocker = await otherTransaction(database, 'LOCK TABLE newsletter_sync_tokens IN EXCLUSIVE MODE');
  const killed = start(['sync', 'apply', '--config', path], env);
  const waiting = `SELECT FROM pg_stat_activity WHERE application_name = 'newsletter-sync'`;
  const runs = async (condition: string) =>
    (await sql(`${waiting} AND ${condition} AND datname = current_database()`)).length;
  await waitUntil('the run waits for the lock', async () => (await runs(`wait_event_type = 'Lock'`)) === 1);
  // The no travels alone.
  expect(await find('ada@example.com')).toMatchObject({ status: 'inactive', city: 'Bonn' });

  // A second run meanwhile does not start.
  const other = await sync('apply');
  expect(other).toMatchObject({ code: 64, stderr: expect.stringContaining('Another run of the sync "default"') });

  killed.kill('SIGKILL');
  await killed.ended;
  await blocker.query('ROLLBACK');
  await waitUntil('the server has ended the connection of the run', async () => (await runs('true')) === 0);
  expect(events((await sync('status', '--consent')).stdout)).toMatchObject([{ said_by: 'crm', completed_at: null }]);

  expect(await sync('apply')).toMatchObject({ code: 0 });
  expect(await sql(`SELECT city, newsletter_status, do_not_mail FROM contacts ORDER BY id`)).toEqual([
    { city: 'Jena', newsletter_status: 'inactive', do_not_mail: true },
    { city: 'Trier', newsletter_status: 'active', do_not_mail: false },
  ]);
  expect(await find('grace@example.com')).toMatchObject({ city: 'Trier' });
  expect(events((await sync('status', '--consent')).stdout)).toMatchObject([
    { written: { side: 'newsletter', value: 'inactive' }, completed_at: expect.any(String) },
  ]);
  expect(await sync('apply')).toMatchObject({ code: 0 });
  expect(await find('ada@example.com')).toMatchObject({ city: 'Jena' });
  const rest = await sync('apply', '--json');
  expect(events(rest.stdout).at(-1)).toMatchObject({ updated: 0, subscriptions_updated: 0, findings: {} });
});

test('holds back a plan that unsubscribes many, until it is accepted', async ({ sandboxOnPort: sandbox }) => {
  const { sync, sql, subscribe, find, config, write } = await syncFixture(sandbox);
  write({ ...config, mapping: { ...(config['mapping'] as Config), breaker: { share: 0, atLeast: 1 } } });
  for (const name of ['ada', 'grace', 'joan']) await subscribe(`${name}@example.com`);
  await sql(`INSERT INTO contacts (email) VALUES ('ada@example.com'), ('grace@example.com'), ('joan@example.com')`);
  expect(await sync('apply')).toMatchObject({ code: 0 });
  await sql(`UPDATE contacts SET do_not_mail = true`);
  for (const action of ['plan', 'apply', 'apply']) {
    const held = await sync(action);
    expect(held.code).toBe(2);
    expect(held.stdout).toContain('Held back: The plan unsubscribes 3');
    expect(held.stdout).toContain('newsletter sync apply --accept');
  }
  const status = await sync('status', '--json');
  expect(status.code).toBe(2);
  expect(events(status.stdout)).toMatchObject([{ type: 'status', held: { reasons: ['too_many_changes'] }, tokens: 3 }]);
  expect(await find('ada@example.com')).toMatchObject({ status: 'active' });
  expect(await sync('apply', '--accept')).toMatchObject({ code: 0 });
  expect(await find('ada@example.com')).toMatchObject({ status: 'inactive' });
});

test('reports all errors of its configuration at once, before it reads anything, and prints no secret', async ({
  sandboxOnPort: sandbox,
}) => {
  const { sync, sql, config, write, env, path } = await syncFixture(sandbox);
  const sent = sandbox.requests().length;
  const expectError = async (args: readonly string[], ...texts: string[]) => {
    const { code, stdout, stderr } = await run(['sync', ...args], env);
    expect([1, 64]).toContain(code);
    expect(stdout).toBe('');
    for (const text of texts) expect(stderr).toContain(text);
    expect(stderr).not.toMatch(/quite-secret|hush|    at /);
  };
  await expectError(
    ['plan'],
    'There is no file newsletter-sync.json: name the configuration of the sync with --config FILE.',
  );
  await expectError(
    ['plan', '--config', path, '--database', 'hush'],
    '--database must be a URL such as postgres://user:password@host:5432/database.',
  );
  const port = new URL(env['DATABASE_URL'] ?? '').port;
  await expectError(
    ['plan', '--config', path, '--database', `postgres://relay:hush@127.0.0.1:${port}/postgres`],
    "PostgreSQL can't be used: the password is wrong",
  );
  writeFileSync(path, '{\n  "mapping": {},\n}');
  await expectError(['plan', '--config', path], 'line 3 is not valid JSON');
  write({
    contact: {},
    mapping: {
      fields: [{ newsletter: 'status', contact: 'email', direction: 'both', colour: 1 }],
      breaker: { most: 1 },
    },
    contacts: { id: 'key' },
  });
  await expectError(
    ['plan', '--config', path],
    'the file has no setting "contact". There are: name, schema, mapping, contacts.',
    'mapping: "fields[0].colour" is no setting. There are: newsletter, contact,',
    'mapping: "breaker.most" is no setting. There are: share, atLeast.',
    'the API does not change "status"; its direction can only be to_contact.',
    '"contacts.table" is missing',
  );
  write({ ...config, contacts: { table: 'contact' } });
  await expectError(['plan', '--config', path], 'There is no table "contact" in the database');
  write({ ...config, contacts: { table: 'contacts', email: 'mail' } });
  await expectError(['plan', '--config', path], 'has no column "mail". It has: id, email, city, born');
  expect(sandbox.requests()).toHaveLength(sent);

  const { code, stderr } = await sync('apply', '--json');
  expect(code).toBe(64);
  expect(JSON.parse(stderr)).toMatchObject({ error: { message: expect.stringContaining('has no column "mail"') } });
  expect(await sql(`SELECT to_regclass('newsletter_sync_tokens') AS there`)).toEqual([{ there: null }]);
});
