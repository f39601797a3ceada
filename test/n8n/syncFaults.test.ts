/**
 * Contact sync of 2,000 contacts in PostgreSQL while both sides are edited, the service fails now and then, and n8n is
 * killed: both sides agree in the end.
 */
import type { Client } from '@newsletter-kit/core';
import type { SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import fc from 'fast-check';
import { expect } from 'vitest';
import { waitUntil } from '../support/waits.ts';
import { postgresServer } from '../../packages/relay/test/postgres-server.ts';
import { testSeed } from '../support/test-seed.ts';
import { startOwnN8n } from './harness/own.ts';
import { publishContactSync, type PublishedSync } from './harness/syncExample.ts';
import { test } from './harness/test.ts';
import { all } from './operations/execution.ts';

const size = 2_000;
/** More names differ than pass without a person who accepts them. */
const accept = '?accept=yes';
const server = postgresServer();

// Includes addresses that get no contact, and subscriptions unknown to the CRM.
test.override({ sandboxOptions: { seed: 'demo', seedSize: 2_150, profile: 'unlimited' } });

/** Resolves after the sandbox has answered this many further requests of the operation. */
function answered({ subscribe }: SandboxOnPort, operation: string, times = 1): Promise<void> {
  return new Promise((resolve) => {
    let seen = 0;
    const stop = subscribe((event) => {
      if (event.type !== 'request' || event.request.operation !== operation) return;
      seen += 1;
      if (seen < times) return;
      stop();
      resolve();
    });
  });
}

type Row = Readonly<Record<string, unknown>>;

/** Both sides, their comparison, and the edits between two runs. */
class Sides {
  readonly #api: Client;
  readonly #sandbox: SandboxOnPort;
  readonly #sync: Pick<PublishedSync, 'address'>;
  /** Contacts in the order of their edits; no name is edited in two rounds. */
  #waiting: readonly Row[] = [];
  /** Expected final names, by address. */
  readonly names = new Map<string, string>();
  /** Addresses that unsubscribed, and that opted out. */
  readonly saidNo = new Set<string>();
  #rounds = 0;
  readonly #seed = testSeed();

  constructor(api: Client, sandbox: SandboxOnPort, sync: Pick<PublishedSync, 'address'>) {
    this.#api = api;
    this.#sandbox = sandbox;
    this.#sync = sync;
  }

  contacts(where = ''): Promise<Row[]> {
    return server.run(`SELECT * FROM contacts ${where} ORDER BY id`, this.#sync.address);
  }

  async subscriptions() {
    const list = await all(this.#api.subscriptions.list({ expand: ['custom_fields'], limit: 100 }));
    return list.map(({ id, email, status, custom_fields }) => {
      const valueOf = (name: string): unknown => custom_fields?.find((field) => field.name === name)?.value;
      const topics = valueOf('Topics');
      return {
        id,
        email: String(email).toLowerCase(),
        status,
        firstName: valueOf('First Name') ?? valueOf('Given name') ?? '',
        // Lists have no order.
        topics: Array.isArray(topics) ? topics.toSorted().join(';') : '',
      };
    });
  }

  /** Two thirds of the contacts have a name; the name of the contact wins over that of the newsletter. */
  async fillContacts(): Promise<void> {
    const known = (await this.subscriptions()).filter(({ email }) => !email.endsWith('.invalid')).slice(-size);
    expect(known).toHaveLength(size);
    const rows = known.map(({ email, firstName }, index) => {
      const first_name = index % 3 === 0 ? null : `Contact ${index}`;
      this.names.set(email, first_name ?? String(firstName));
      return { email: index % 2 === 0 ? email : email.replace(/^[a-z]/, (letter) => letter.toUpperCase()), first_name };
    });
    await this.#write(`INSERT INTO contacts (email, first_name) SELECT email, first_name FROM rows`, rows);
    const contacts = await this.contacts();
    [this.#waiting = []] = fc.sample(fc.shuffledSubarray(contacts, { minLength: contacts.length }), {
      seed: this.#seed,
      numRuns: 1,
    });
  }

  /** Runs a statement on these rows. */
  async #write(statement: string, rows: readonly Row[]): Promise<void> {
    const json = JSON.stringify(rows);
    await server.run(
      `WITH rows AS (SELECT * FROM json_populate_recordset(null::contacts, $rows$${json}$rows$)) ${statement}`,
      this.#sync.address,
    );
  }

  /**
   * A round of edits: names on one side and on both, opt-outs, leaves, and new subscriptions.
   *
   * @param fieldName - the current name of the custom field
   */
  async edit(fieldName = 'First Name'): Promise<void> {
    const round = (this.#rounds += 1);
    const take = (count: number): readonly Row[] => {
      const taken = this.#waiting.slice(0, count);
      this.#waiting = this.#waiting.slice(count);
      return taken;
    };
    const name = fc.oneof(
      { weight: 9, arbitrary: fc.stringMatching(/^[A-ZÄÅÉ][a-zäçéø' -]{0,14}[a-zé]$/) },
      fc.constant(''),
    );
    const subscriptions = new Map((await this.subscriptions()).map((each) => [each.email, each]));
    const there: {
      subscription_id: string;
      unsubscribe?: true;
      custom_fields?: { name: string; value: string | null }[];
    }[] = [];
    const here: Row[] = [];
    const [newsletter, crm, both] = [take(40), take(40), take(15)];
    const edited = [...newsletter, ...both, ...crm];
    const given = fc.sample(fc.tuple(name, name), { seed: this.#seed + round, numRuns: edited.length });
    for (const [index, contact] of edited.entries()) {
      const email = String(contact['email']).toLowerCase();
      const [ofNewsletter = '', ofCrm = ''] = given[index] ?? [];
      const inNewsletter = index < newsletter.length + both.length;
      const inCrm = index >= newsletter.length;
      // The same name is no edit.
      const isEditedInCrm = inCrm && ofCrm !== this.names.get(email);
      this.names.set(email, isEditedInCrm || !inNewsletter ? ofCrm : ofNewsletter);
      const subscription_id = subscriptions.get(email)?.id ?? '';
      if (inNewsletter)
        there.push({ subscription_id, custom_fields: [{ name: fieldName, value: ofNewsletter || null }] });
      if (inCrm) here.push({ ...contact, first_name: ofCrm });
    }
    // A contact edited in this round may also unsubscribe in it.
    const [leavers, optedOut] = [
      [...edited.slice(0, 5), ...take(10)],
      [...edited.slice(-5), ...take(10)],
    ];
    for (const { email } of leavers)
      there.push({ subscription_id: subscriptions.get(String(email).toLowerCase())?.id ?? '', unsubscribe: true });
    for (const { email } of [...leavers, ...optedOut]) this.saidNo.add(String(email).toLowerCase());
    await this.#api.subscriptions.bulkUpdate({ subscriptions: there });
    for (let newcomer = 0; newcomer < 3; newcomer += 1) {
      const email = `newcomer.${round}.${newcomer}@example.com`;
      await this.#api.subscriptions.create({ email, double_opt_override: 'off' });
      this.names.set(email, '');
    }
    this.#sandbox.clock.advance('PT5S');
    await this.#write('UPDATE contacts SET first_name = rows.first_name FROM rows WHERE contacts.id = rows.id', here);
    await this.#write('UPDATE contacts SET do_not_mail = true FROM rows WHERE contacts.id = rows.id', optedOut);
  }

  /** Fails unless both sides agree, except for the reported findings. */
  async expectAgreed(findings: readonly Row[]): Promise<void> {
    const reported = new Set(findings.map(({ contactId }) => String(contactId)));
    const subscriptions = (await this.subscriptions()).filter(({ email }) => !email.endsWith('.invalid'));
    const byAddress = new Map(subscriptions.map((each) => [each.email, each]));
    const contacts = await this.contacts();
    const addresses = contacts.map(({ email }) => String(email).toLowerCase());
    // No contact is duplicated or missing.
    expect(byAddress.size).toBe(subscriptions.length);
    expect(addresses.toSorted()).toEqual([...byAddress.keys()].toSorted());

    const unequal = contacts.filter(({ id, email, first_name, topics, newsletter_status, do_not_mail }) => {
      const subscription = byAddress.get(String(email).toLowerCase());
      const shown = [
        first_name ?? '',
        String(topics ?? '')
          .split(';')
          .toSorted()
          .join(';'),
        newsletter_status,
        do_not_mail,
      ];
      const wanted = [
        subscription?.firstName,
        subscription?.topics,
        subscription?.status,
        subscription?.status === 'inactive',
      ];
      return !reported.has(String(id)) && JSON.stringify(shown) !== JSON.stringify(wanted);
    });
    expect(unequal).toEqual([]);
    for (const email of this.saidNo) expect(byAddress.get(email)?.status, email).toBe('inactive');
    const lost = [...this.names].filter(([email, name]) => (byAddress.get(email)?.firstName ?? '') !== name);
    expect(lost).toEqual([]);
  }
}

test('syncs 2,000 contacts through edits of both sides, faults of the service and kills of n8n', async ({
  api,
  sandboxOnPort: sandbox,
}) => {
  const own = await startOwnN8n();
  try {
    const { baseUrl, token, publicationId } = sandbox.clientOptions;
    const credential = await own.rest.createCredential('newsletterApi', {
      service: 'other',
      apiKey: token,
      baseUrl,
      publicationId,
    });
    const sync = await publishContactSync({
      n8n: own.rest,
      n8nUrl: own.url,
      server,
      credentials: { newsletterApi: { id: credential, name: 'Of a test' } },
    });
    const sides = new Sides(api, sandbox, sync);
    await sides.fillContacts();
    const withToken = (): Promise<Row[]> => sides.contacts('WHERE newsletter_sync_token IS NOT NULL');

    // Killed while n8n writes the contacts: a lock holds it up in the middle.
    const lock = server.run(
      'BEGIN; SELECT id FROM contacts WHERE id = 1000 FOR UPDATE; SELECT pg_sleep(600)',
      sync.address,
    );
    lock.catch(() => undefined);
    await waitUntil('the row is locked', async () => (await sleepers(sync)).length > 0);
    await sync.start(accept);
    await waitUntil('the first contacts are written', async () => (await withToken()).length > 0);
    await own.kill();
    await server.run(`SELECT pg_terminate_backend(pid) FROM (${sleeping}) AS sleeper`, sync.address);
    await expect(lock).rejects.toThrow();
    expect((await withToken()).length).toBeLessThan(size);
    await own.start();

    sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 503, retryAfter: 1 }, nth: 3 });
    sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 500, body: 'html' }, nth: 6 });
    sandbox.faults.add({ match: 'subscriptions.list', effect: 'truncate', nth: 9 });
    sandbox.faults.add({ match: 'subscriptions.list', effect: 'reset', nth: 12 });
    // Late, because the engine slows down to the assumed quota afterwards.
    sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 429, retryAfter: 2 }, nth: 24 });
    await sync.runOnce(accept);
    expect(sandbox.faults.list().map(({ fired }) => fired)).toEqual([1, 1, 1, 1, 1]);
    sandbox.faults.clear();
    // Values of people who have left follow their opt-out: read once, they are known to be stored as they were written.
    await sync.runOnce(accept);
    await sync.runOnce(accept);

    // Killed after the service accepted the changes and before any contact is written: the clock is frozen until then.
    await sides.edit();
    const taken = answered(sandbox, 'subscriptions.bulkUpdate');
    await sync.start(accept);
    await taken;
    sandbox.clock.freeze();
    await own.kill();
    sandbox.clock.thaw();
    await own.start();

    await sides.edit();
    sandbox.faults.add({ match: 'subscriptions.bulkUpdate', effect: 'lostResponse', nth: 1 });
    sandbox.faults.add({ match: 'bulkSubscriptionUpdates.get', effect: { status: 502, body: 'html' }, nth: 1 });
    await sync.runOnce(accept);
    expect(sandbox.faults.list().map(({ fired }) => fired)).toEqual([1, 1]);
    sandbox.faults.clear();

    // A slow job that fails for every name: the field is renamed while the job waits.
    await sides.edit();
    const [field] = await all(api.customFields.list());
    const accepted = answered(sandbox, 'subscriptions.bulkUpdate');
    const lookedTwice = answered(sandbox, 'bulkSubscriptionUpdates.get', 2);
    const failing = sync.runOnce(accept);
    await accepted;
    sandbox.clock.freeze();
    await api.customFields.update({ id: field?.id ?? '', display: 'Given name' });
    await lookedTwice;
    sandbox.clock.thaw();
    const [report] = (await failing).output('Sync', 1);
    expect(report).toMatchObject({ written: { failed: expect.toSatisfy((count: number) => count > 0) } });

    await sides.edit('Given name');
    let last = await sync.runOnce(accept);
    const written = (): number => last.output('Sync', 3).length + last.output('Sync', 4).length;
    let bulkRequests = 0;
    sandbox.subscribe((event) => {
      if (event.type === 'request' && event.request.operation?.startsWith('subscriptions.bulk')) bulkRequests += 1;
    });
    for (let runs = 1; written() > 0 && runs < 4; runs += 1) {
      bulkRequests = 0;
      last = await sync.runOnce(accept);
    }
    expect([3, 4].map((index) => last.output('Sync', index))).toEqual([[], []]);
    expect(bulkRequests).toBe(0);
    await sides.expectAgreed(last.output('Sync', 0));
  } finally {
    await own.close();
  }
});

const sleeping = `SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'BEGIN%' AND wait_event = 'PgSleep'`;

function sleepers({ address }: Pick<PublishedSync, 'address'>): Promise<Row[]> {
  return server.run(sleeping, address);
}
