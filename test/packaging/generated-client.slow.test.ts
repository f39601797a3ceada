/**
 * A client that an independent generator (hey-api) makes from the sandbox's OpenAPI document compiles, and runs every
 * operation.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serve, type ServerType } from '@hono/node-server';
import { operations } from '@newsletter-kit/core/contract';
import { consent, createSandbox } from '@newsletter-kit/sandbox';
import { build } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sandboxAccount } from '../../scripts/servers.ts';
import { installLocked } from '../../scripts/n8n/locked.ts';

const execute = promisify(execFile);
const generator = join(import.meta.dirname, 'generator');

let folder: string;
let sandbox: ReturnType<typeof createSandbox>;
let server: ServerType;
let url: string;
beforeAll(async () => {
  await installLocked({ folder: generator, title: 'a generator of API clients', needs: 'the npm registry' });
  folder = await mkdtemp(join(tmpdir(), 'newsletter-generated-'));
  await symlink(join(generator, 'node_modules'), join(folder, 'node_modules'));
  sandbox = createSandbox({ seed: 'demo' });
  server = serve({ fetch: (request) => sandbox.fetch(request), hostname: '127.0.0.1', port: 0 });
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server?.close();
  sandbox?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Calls every operation, by the types that were generated; each failed call ends the program. */
const program = `
import { client } from './client/client.gen.ts';
import * as api from './client/index.ts';

const { API_URL, API_KEY, PUBLICATION_ID, CODE } = process.env as Record<string, string>;
client.setConfig({ baseUrl: API_URL + '/v2', auth: API_KEY, throwOnError: true });
const app = { baseUrl: API_URL };
const path = { publicationId: PUBLICATION_ID! };
const of = <T extends object>(more: T) => ({ path: { ...path, ...more }, throwOnError: true as const });
const one = { path, throwOnError: true as const };

const subscription = (await api.subscriptionsCreate({ ...one, body: { email: 'generated@example.com', utm_source: 'openapi' } })).data.data;
const email: string = subscription.email;
await api.subscriptionsList({ ...one, query: { email, limit: 10, 'expand[]': ['stats', 'custom_fields'] } });
await api.subscriptionsBulkCreate({ ...one, body: { subscriptions: [{ email: 'bulk@example.com' }] } });
const update = { subscriptions: [{ subscription_id: subscription.id, tier: 'premium' as const }] };
const started = (await api.subscriptionsBulkUpdate({ ...one, body: update })).data.data;
await api.subscriptionsBulkUpdatePut({ ...one, body: update });
await api.bulkSubscriptionUpdatesList(one);
await api.bulkSubscriptionUpdatesGet(of({ id: started.subscription_update_id }));

const automations = (await api.automationsList({ ...one, query: { limit: 100 } })).data.data;
const automation = automations.find(({ status, trigger_events }) => status === 'running' && trigger_events.includes('api'));
const automationId = automation!.id;
await api.automationsGet(of({ automationId }));
await api.automationsListEmails(of({ automationId }));
const journey = (await api.journeysEnroll({ ...of({ automationId }), body: { email } })).data.data;
await api.journeysList(of({ automationId }));
await api.journeysGet(of({ automationId, automationJourneyId: journey.id }));

const authors = (await api.authorsList(one)).data.data;
await api.authorsGet(of({ authorId: authors[0]!.id }));
await api.advertisementOpportunitiesList(one);
const gifts = (await api.complimentaryAccessList(one)).data.data;
await api.complimentaryAccessGet(of({ complimentaryAccessId: gifts[0]!.id }));
const sets = (await api.conditionSetsList(one)).data.data;
await api.conditionSetsGet(of({ conditionSetId: sets.find(({ status }) => status === 'active')!.id }));

const field = (await api.customFieldsCreate({ ...one, body: { kind: 'string', display: 'Shoe size' } })).data.data;
await api.customFieldsList(one);
await api.customFieldsGet(of({ id: field.id }));
await api.customFieldsUpdate({ ...of({ id: field.id }), body: { display: 'Shoe size (EU)' } });
await api.customFieldsUpdatePut({ ...of({ id: field.id }), body: { display: 'Shoe size (UK)' } });
await api.customFieldsDelete(of({ id: field.id }));
await api.publicationFieldsList({ throwOnError: true });
await api.publicationsList({ throwOnError: true });

const status = { subscription_ids: [subscription.id], new_status: 'inactive' as const };
await api.subscriptionsUpdateStatus({ ...one, body: status });
await api.subscriptionsUpdateStatusPut({ ...one, body: status });
const deletion = (await api.deletionRequestsCreate({ ...one, body: { email } })).data.data;
await api.deletionRequestsList(one);
await api.deletionRequestsGet(of({ id: deletion.id }));

const own = { client_id: 'sandbox-app', client_secret: 'sandbox-secret' };
const redirect_uri = 'http://localhost:3000/callback';
const exchange = { grant_type: 'authorization_code' as const, code: CODE!, redirect_uri, ...own };
const tokens = (await api.oauthExchange({ ...app, body: exchange, throwOnError: true })).data;
const refresh = { grant_type: 'refresh_token' as const, refresh_token: tokens.refresh_token!, ...own };
const renewed = (await api.oauthExchange({ ...app, body: refresh, throwOnError: true })).data;
const token = { token: renewed.access_token, ...own };
await api.oauthIntrospect({ ...app, body: token, throwOnError: true });
await api.oauthTokenInfo({ ...app, auth: renewed.access_token, throwOnError: true });
await api.oauthRevoke({ ...app, body: token, throwOnError: true });

// @ts-expect-error -- a field that does not exist is no part of the generated types
subscription.emial;
console.log('done');
`;

const run = (file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> =>
  execute(file, [...args], { cwd: folder, env: { PATH: process.env['PATH'], ...env } }).then(
    ({ stdout, stderr }) => stdout + stderr,
    (error: { readonly stdout?: string; readonly stderr?: string }) => {
      throw new Error(`${error.stdout ?? ''}${error.stderr ?? ''}`);
    },
  );
const tool = (name: string, args: readonly string[]): Promise<string> =>
  run(join(generator, 'node_modules', '.bin', name), args);

it('compiles in strict mode and runs every operation against the sandbox', async () => {
  await writeFile(join(folder, 'openapi.json'), await (await fetch(`${url}/openapi.json`)).text());
  await tool('openapi-ts', ['--input', 'openapi.json', '--output', 'client', '--client', '@hey-api/client-fetch']);
  await writeFile(join(folder, 'program.ts'), program);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const compilerOptions = {
    strict: true,
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    module: 'preserve',
    types: ['node'],
    allowImportingTsExtensions: true,
    noEmit: true,
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  await tool('tsc', ['--project', '.']);

  const query = { client_id: 'sandbox-app', redirect_uri: 'http://localhost:3000/callback', response_type: 'code' };
  const back = await consent(fetch, `${url}/oauth/authorize?${new URLSearchParams(query).toString()}`);
  const bundled = join(folder, 'program.mjs');
  await build({
    configFile: false,
    logLevel: 'error',
    root: folder,
    build: {
      ssr: join(folder, 'program.ts'),
      outDir: folder,
      emptyOutDir: false,
      rolldownOptions: { output: { entryFileNames: 'program.mjs' } },
    },
  });
  const printed = await run(process.execPath, [bundled], {
    API_URL: url,
    API_KEY: sandboxAccount.key,
    PUBLICATION_ID: sandboxAccount.publicationId,
    CODE: back.searchParams.get('code') ?? '',
  });
  expect(printed).toBe('done\n');
  const called = new Set(sandbox.requests().map(({ operation }) => operation));
  // The exchange of a code and of a refresh token are one operation of the document.
  expect(operations.filter(({ id }) => !called.has(id)).map(({ id }) => id)).toEqual([]);
});
