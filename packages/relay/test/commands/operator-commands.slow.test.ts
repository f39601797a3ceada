/** The operator’s commands, on a store that is not in use and through the running relay that uses it. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/open-database.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { newSignup } from '../new-signup.ts';
import { sharedPostgres } from '../postgres-server.ts';
import { environment } from '../running-relay.ts';
import { onPort, sandboxApi } from '../sandbox-api.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { run, serve, startProcess, type Ended } from './relay-process.ts';

/** An API that refuses the custom field "Age" until it is told not to. */
async function pickyApi() {
  const api = sandboxApi();
  let picky = true;
  const address = await onPort(async (request) => {
    const text = await request.clone().text();
    if (!picky || !text.includes('Age')) return api.fetch(request);
    return Response.json(
      {
        status: 400,
        statusText: 'bad_request',
        errors: [{ message: 'There is no custom field "Age".', code: 'INVALID' }],
      },
      { status: 400 },
    );
  });
  return { api, url: `${address}/v2`, relent: () => (picky = false) };
}

const age = { custom_fields: [{ name: 'Age', value: 42 }], consent: 'Yes, mail me.' };

describe.each(['a running relay', 'the store itself'])('through %s', (way) => {
  async function prepared() {
    const folder = scratchFolder();
    const { api, url, relent } = await pickyApi();
    const settings = { NEWSLETTER_API_URL: url, RELAY_CONSENT_SENTENCES: age.consent };
    const relay = await serve(folder, settings);
    for (const email of ['one@example.com', 'two@example.com']) await relay.signUp(email, age);
    await relay.signUp('robot@example.com', { hp_field: 'x' });
    await waitUntil('the API has refused two', () => (relay.output().match(/refused for good/g)?.length ?? 0) === 2);
    const port = new URL(relay.address).port;
    if (way === 'the store itself') {
      relay.child.kill('SIGTERM');
      await relay.ended;
    }
    // No more than the store, and where the relay listens: the key of the API is not needed.
    const variables = { RELAY_STORE: `sqlite:${folder}/relay.db`, RELAY_PORT: port };
    return { api, relent, relay, folder, command: (...args: string[]): Promise<Ended> => run(args, variables) };
  }

  it('status prints the backlog and its reasons, as text or JSON', async () => {
    const { command } = await prepared();
    const { stdout, code } = await command('status');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/Review +1\n +1 +the honeypot.*\nDead +2\n +2 +.*no custom field "Age"/),
    ]);
    expect(stdout).toMatch(/Waiting +0\nSent +0\nDelivered +0\nUnconfirmed +0\n/);
    expect(JSON.parse((await command('status', '--json')).stdout)).toMatchObject({
      counts: { dead: 2, review: 1 },
      paused: false,
    });
  });

  it('dead lists dead letters, and redrive queues them again', async () => {
    const { command, relent, api } = await prepared();
    expect((await command('dead')).stdout).toMatch(/one@example\.com[^]*Signups: 2\./);
    expect((await command('redrive', '--reason', 'something else')).stdout).toBe('0 queued again.\n');
    expect((await command('redrive', '--reason', 'custom field', '--dry-run')).stdout).toBe(
      '2 would be queued again.\n',
    );
    relent();
    expect((await command('redrive', '--reason', 'custom field')).stdout).toBe('2 queued again.\n');
    if (way === 'a running relay') await waitUntil('the API has both', () => api.received.length === 2);
    else
      expect(JSON.parse((await command('status', '--json')).stdout)).toMatchObject({ counts: { dead: 0, waiting: 2 } });
  });

  it('redrive delivers a signup in review', async () => {
    const { command } = await prepared();
    expect((await command('dead', '--state', 'review')).stdout).toContain('robot@example.com');
    expect((await command('redrive', '--state', 'review')).stdout).toBe('1 queued again.\n');
  });

  it('pause stops delivery until resume, also over a restart', async () => {
    const { command } = await prepared();
    await command('pause');
    expect((await command('status')).stdout).toContain('paused');
    await command('resume');
    expect((await command('status')).stdout).not.toContain('paused');
  });

  it('export writes a line per record, or with a filter per selected signup', async () => {
    const { command } = await prepared();
    const exported = async (...filter: string[]) =>
      (await command('export', ...filter)).stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { submission?: { email: string }; consent?: { sentence: string } });
    const lines = await exported();
    expect(lines.map(({ submission, consent }) => submission?.email ?? consent?.sentence).sort()).toEqual([
      'Yes, mail me.',
      'Yes, mail me.',
      'one@example.com',
      'robot@example.com',
      'two@example.com',
    ]);
    expect(await exported('--email', 'TWO@example.com')).toMatchObject([{ submission: { email: 'two@example.com' } }]);
  });

  it('person prints everything stored about an address, or that there is nothing', async () => {
    const { command } = await prepared();
    const { stdout } = await command('person', 'One@Example.com');
    expect(stdout).toMatch(/^Held: 1 signup and 1 entry of the consent ledger\.\n/);
    expect(stdout).toMatch(/state: +dead\n[^]*reason: [^]*email: +one@example\.com\n[^]*field Age: +42\n/);
    expect(stdout).toMatch(/sentence: +Yes, mail me\.\n[^]*visitor: +127\.0\.0\.0\/24\n/);
    const { signups, consents } = JSON.parse((await command('person', 'one@example.com', '--json')).stdout) as Record<
      string,
      unknown[]
    >;
    expect([signups?.length, consents?.length]).toEqual([1, 1]);
    expect(await command('person', 'nobody@example.com')).toMatchObject({
      code: 0,
      stdout: 'Nothing is held about this address.\n',
    });
  });

  it('discard deletes selected dead letters and signups in review, and nothing without a filter', async () => {
    const { command } = await prepared();
    expect(await command('discard')).toMatchObject({ code: 2, stderr: expect.stringContaining('Select signups') });
    expect(await command('discard', '--state', 'waiting')).toMatchObject({ code: 2 });
    expect((await command('discard', '--state', 'dead,review', '--dry-run')).stdout).toBe('3 would be deleted.\n');
    expect((await command('discard', '--email', 'two@example.com')).stdout).toBe('1 deleted.\n');
    expect((await command('discard', '--state', 'review')).stdout).toBe('1 deleted.\n');
    expect((await command('discard', '--all')).stdout).toBe('1 deleted.\n');
    expect(JSON.parse((await command('status', '--json')).stdout)).toMatchObject({ counts: { dead: 0, review: 0 } });
  });

  it('erase deletes every record of an address, in any spelling', async () => {
    const { command, folder } = await prepared();
    expect((await command('erase', 'ONE@example.com', '--keep-consent')).stdout).toMatch(
      /^Erased: 1 signup and 0 entries of the consent ledger\./,
    );
    expect((await command('person', 'one@example.com', '--json')).stdout).toContain('"kind": "given"');
    expect((await command('erase', 'ONE@example.com')).stdout).toMatch(/^Erased: 0 signups and 1 entry/);
    expect((await command('export')).stdout).not.toContain('one@');
    expect((await command('erase', 'nobody@example.com')).stdout).toMatch(
      /^Nothing is held about this address\. A hash/,
    );
    const file = (name: string): string => readFileSync(`${folder}/${name}`, 'latin1');
    expect(file('relay.db')).not.toContain('one@example.com');
  });

  it('suppressions writes the hashes of erased people to a new file of the owner', async () => {
    const { command, folder } = await prepared();
    await command('erase', 'ONE@example.com');
    expect((await command('person', 'one@example.com')).stdout).toBe(
      'The hash of the address is in the list of erased people.\n',
    );
    const path = `${folder}/erased.csv`;
    expect(await command('suppressions', path)).toMatchObject({
      code: 0,
      stdout: '1 erased person: "newsletter import --suppress" leaves them out.\n',
    });
    const hash = createHash('sha256').update('one@example.com').digest('hex');
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual([`sha256\n${hash}\n`, 0o600]);
    expect(await command('suppressions', path)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('name a file that does not exist'),
    });
    expect(readFileSync(path, 'utf8')).toBe(`sha256\n${hash}\n`);
  });
});

const backupPage = readFileSync(
  new URL('../../../../docs/src/content/docs/operate/backup.md', import.meta.url),
  'utf8',
);
const server = sharedPostgres();
const consent = { kind: 'given', sentence: 'Yes, mail me.', version: null, page: null, visitor: null } as const;

it('the commands report a store that does not exist, and create none', async () => {
  const folder = scratchFolder();
  const { code, stderr } = await run(['status'], { RELAY_STORE: `sqlite:${folder}/relay.db` });
  expect([code, stderr]).toEqual([1, expect.stringContaining(`There is no store at ${folder}/relay.db`)]);
  expect(readdirSync(folder)).toEqual([]);
});

describe('import', () => {
  it('moves everything to another store: stop, export, import, start', async () => {
    const folder = scratchFolder();
    const { url, relent, api } = await pickyApi();
    const settings = { NEWSLETTER_API_URL: url, RELAY_CONSENT_SENTENCES: age.consent };
    const relay = await serve(folder, settings);
    for (const email of ['one@example.com', 'two@example.com']) await relay.signUp(email, age);
    await waitUntil('the API has refused two', () => (relay.output().match(/refused for good/g)?.length ?? 0) === 2);
    const from = { RELAY_STORE: `sqlite:${folder}/relay.db` };
    const to = { RELAY_STORE: `sqlite:${folder}/new/relay.db` };
    mkdirSync(`${folder}/new`);
    const file = `${folder}/relay.ndjson`;

    expect(await run(['import', '-'], from)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is using the store'),
    });
    relay.child.kill('SIGTERM');
    await relay.ended;
    writeFileSync(file, (await run(['export'], from)).stdout);
    expect((await run(['import', file], to)).stdout).toContain('2 signups, of which 2 were new, and 2 entries');
    expect((await run(['import', file], to)).stdout).toContain('2 signups, of which 0 were new, and 2 entries');

    const next = await serve(`${folder}/new`, settings);
    await next.signUp('one@example.com', age);
    relent();
    const there = { ...to, RELAY_PORT: new URL(next.address).port };
    expect((await run(['redrive', '--all'], there)).stdout).toMatch(/ queued again\.\n$/);
    await waitUntil('the API has both', () => api.received.length >= 2);
    expect((await run(['person', 'two@example.com'], there)).stdout).toContain('Yes, mail me.');
  });

  it('moves everything into PostgreSQL with the three commands of the documentation', async () => {
    const folder = scratchFolder();
    const store = openSqliteStore(`${folder}/relay.db`);
    for (const email of ['one@example.com', 'two@example.com', 'three@example.com'])
      await store.accept(newSignup(email, { consent }));
    await store.close();
    const [, commands = ''] =
      /```sh.*\n(newsletter-relay export [^`]+newsletter-relay import [^`]+)```/.exec(backupPage) ?? [];
    const url = await server.database();
    const lines = commands
      .replaceAll('newsletter-relay ', '"$@" ')
      .replace('postgres://user:password@host:5432/database', url);
    const variables = { ...environment, RELAY_STORE: 'sqlite:./relay.db' };
    const moved = await startProcess([], variables, `set -e\ncd ${folder}\n${lines}`).ended;
    expect(moved.stdout).toContain('Read: 3 signups, of which 3 were new, and 3 entries of the consent ledger');
    const there = { ...variables, RELAY_STORE: url };
    expect(JSON.parse((await run(['status', '--json'], there)).stdout)).toMatchObject({ counts: { waiting: 3 } });
    expect((await run(['person', 'two@example.com'], there)).stdout).toContain('Yes, mail me.');
  });

  it('imports nothing of a file with invalid lines, and lists them', async () => {
    const folder = scratchFolder();
    const variables = { ...environment, RELAY_STORE: `sqlite:${folder}/relay.db` };
    const file = `${folder}/bad.ndjson`;
    writeFileSync(file, '{"id":"x"}\n\nnothing\n');
    const { code, stderr } = await run(['import', file], variables);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/Nothing was imported[^]*- Line 1 id[^]*- Line 3 is not JSON/),
    ]);
    expect(await run(['import', `${folder}/nowhere`], variables)).toMatchObject({ code: 1 });
    expect((await run(['status', '--json'], variables)).stdout).toContain('"waiting": 0');
  });
});

describe('the operator’s token', () => {
  it('is generated once, readable only by its owner, and never logged', async () => {
    const folder = scratchFolder();
    const relay = await serve(folder);
    const file = `${folder}/relay.db-operator`;
    const token = readFileSync(file, 'utf8').trim();
    expect(token.length).toBeGreaterThanOrEqual(32);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(relay.output()).not.toContain(token);
    const ask = (authorization?: string): Promise<Response> =>
      fetch(`${relay.address}/operator/api/status`, authorization ? { headers: { authorization } } : {});
    expect((await ask()).status).toBe(401);
    expect((await ask(`Bearer ${token}x`)).status).toBe(401);
    expect((await ask(`Bearer ${token}`)).status).toBe(200);
  });
});
