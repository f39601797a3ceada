/**
 * Contact sync of 2,000 contacts in PostgreSQL whose n8n is killed in the middle of a run: both sides agree in the end,
 * on the edits of each. test/proofs/sync has the histories of edits and of faults of the service.
 */
import type { SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import { expect } from 'vitest';
import { waitUntil } from '../support/waits.ts';
import { postgresServer } from '../../packages/relay/test/postgres-server.ts';
import { startOwnN8n } from './harness/own.ts';
import { publishContactSync } from './harness/syncExample.ts';
import { test } from './harness/test.ts';

const size = 2_000;
/** More names differ than pass without a person who accepts them. */
const accept = '?accept=yes';
const server = postgresServer();

// Includes addresses that get no contact, and subscriptions unknown to the CRM.
test.override({ sandboxOptions: { seed: 'demo', seedSize: 2_150, profile: 'unlimited' } });

/** Resolves after the sandbox has answered a further request of the operation. */
function answered({ subscribe }: SandboxOnPort, operation: string): Promise<void> {
  return new Promise((resolve) => {
    const stop = subscribe((event) => {
      if (event.type !== 'request' || event.request.operation !== operation) return;
      stop();
      resolve();
    });
  });
}

const sleeping = `SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'BEGIN%' AND wait_event = 'PgSleep'`;

test('agrees on 2,000 contacts after kills of n8n', async ({ api, sandboxOnPort: sandbox }) => {
  const own = await startOwnN8n();
  try {
    const credentials = await own.rest.newsletterCredentials(sandbox);
    const { workflow, address, start, runOnce } = await publishContactSync({
      n8n: own.rest,
      server,
      credentials,
    });
    const contacts = (where = '') => server.run(`SELECT * FROM contacts ${where} ORDER BY id`, address);
    /** What the newsletter has of each person, by address. */
    const people = async () => {
      const list = await Array.fromAsync(api.subscriptions.list({ expand: ['custom_fields'], limit: 100 }));
      const kept = list.filter(({ email }) => !email?.endsWith('.invalid'));
      return new Map(
        kept.map(({ id, email, status, custom_fields }) => [
          String(email).toLowerCase(),
          { id, status, name: custom_fields?.find(({ name }) => name === 'First Name')?.value ?? '' },
        ]),
      );
    };
    const known = JSON.stringify([...(await people()).keys()].slice(-size));
    await server.run(`INSERT INTO contacts (email) SELECT json_array_elements_text($rows$${known}$rows$)`, address);
    const withToken = () => contacts('WHERE newsletter_sync_token IS NOT NULL');

    // Killed while n8n writes the contacts: a lock holds it up in the middle.
    const lock = server.run('BEGIN; SELECT id FROM contacts WHERE id = 1000 FOR UPDATE; SELECT pg_sleep(600)', address);
    lock.catch(() => undefined);
    await waitUntil('the row is locked', async () => (await server.run(sleeping, address)).length > 0);
    await start(accept);
    await waitUntil('the first contacts are written', async () => (await withToken()).length > 0);
    await own.kill();
    await server.run(`SELECT pg_terminate_backend(pid) FROM (${sleeping}) AS sleeper`, address);
    await expect(lock).rejects.toThrow();
    expect((await withToken()).length).toBeLessThan(size);
    await own.start();
    await runOnce(accept);
    // Values of people who have left follow their opt-out.
    await runOnce(accept);

    // Killed after the service accepted the changes and before any contact is written: the clock is frozen until then.
    const [edited, left] = [
      await contacts('WHERE id BETWEEN 61 AND 100'),
      await contacts('WHERE id BETWEEN 101 AND 120'),
    ];
    const before = await people();
    const idOf = ({ email }: Readonly<Record<string, unknown>>) => before.get(String(email).toLowerCase())?.id ?? '';
    await api.subscriptions.bulkUpdate({
      subscriptions: [
        ...edited.map((contact) => ({
          subscription_id: idOf(contact),
          custom_fields: [{ name: 'First Name', value: 'Of the newsletter' }],
        })),
        ...left.map((contact) => ({ subscription_id: idOf(contact), unsubscribe: true })),
      ],
    });
    sandbox.clock.advance('PT5S');
    await server.run(`UPDATE contacts SET first_name = 'Of the CRM' WHERE id <= 40`, address);
    await server.run('UPDATE contacts SET do_not_mail = true WHERE id BETWEEN 41 AND 60', address);
    const taken = answered(sandbox, 'subscriptions.bulkUpdate');
    await start(accept);
    await taken;
    sandbox.clock.freeze();
    await own.kill();
    sandbox.clock.thaw();
    await own.start();

    let last = await runOnce(accept);
    const written = () => [3, 4].map((index) => last.output('Sync', index).length);
    for (let runs = 1; Math.max(...written()) > 0 && runs < 5; runs += 1) last = await runOnce(accept);
    expect(written()).toEqual([0, 0]);
    const { staticData } = await own.rest.workflow(workflow);
    expect(staticData).toMatchObject({ 'node:Sync': { newsletterSync: expect.stringContaining('"watermark"') } });
    expect(JSON.stringify(staticData)).not.toContain('example.com');
    const after = await people();
    const rows = await contacts();
    expect(rows.map(({ email }) => String(email).toLowerCase()).toSorted()).toEqual([...after.keys()].toSorted());
    const reported = new Set(last.output('Sync', 0).map(({ contactId }) => String(contactId)));
    const unequal = rows.filter(({ id, email, first_name, newsletter_status, do_not_mail }) => {
      if (reported.has(String(id))) return false;
      const { name, status } = after.get(String(email).toLowerCase()) ?? {};
      const isOut = status === 'inactive';
      return (first_name ?? '') !== name || newsletter_status !== status || do_not_mail !== isOut;
    });
    expect(unequal).toEqual([]);
    const named = (from: number, to: number) => rows.slice(from - 1, to).map(({ first_name }) => first_name);
    expect([new Set(named(1, 40)), new Set(named(61, 100))]).toEqual([
      new Set(['Of the CRM']),
      new Set(['Of the newsletter']),
    ]);
    const gone = [...rows.slice(40, 60), ...rows.slice(100, 120)];
    expect(new Set(gone.map(({ newsletter_status }) => newsletter_status))).toEqual(new Set(['inactive']));
  } finally {
    await own.close();
  }
});
