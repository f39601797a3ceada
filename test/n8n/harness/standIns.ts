/**
 * What the example workflows reach besides the newsletter, for `npm run n8n`: a mail server, the CRMs, and a PostgreSQL
 * with their tables, all on this machine. PORT is that of a page with the emails; what n8n's credentials name is kept
 * in FOLDER. Once it is ready it prints one line of JSON, a `StandIns`.
 */
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { html } from 'hono/html';
import { PostgresServer } from '../../../packages/relay/test/postgres-server.ts';
import type { CredentialFile, StandIns } from '../../../scripts/n8n/examples.ts';
import { listenOn } from '../../../scripts/ports.ts';
import { freePort } from '../../support/free-ports.ts';
import { crmExamples, type CrmExample } from './crmExamples.ts';
import { createKey } from './crmsWithJwt.ts';
import { startMailServer, type MailServer } from './mail.ts';
import { createTables, databaseFields, readExample, type ExampleNode } from './syncExample.ts';
import { startVendors } from './vendors.ts';

const { PORT = '', FOLDER = '' } = process.env;
const examples = await Promise.all(
  globSync('*.json', { cwd: join(import.meta.dirname, '../../../examples/workflows') }).map((file) =>
    readExample(file.replace('.json', '')),
  ),
);
const kept = await keepSecrets(join(FOLDER, 'stand-ins.json'));
const mails = await startMailServer(kept.mail);
const database = new PostgresServer();
const vendors = await startVendors(true);
const site = new Hono();
site.get('/', ({ html: answer }) => answer(pageOf(mails)));
site.get('/count', ({ json }) => json(mails.received.length));
const server = serve({ fetch: site.fetch, port: Number(PORT), hostname: '127.0.0.1' });
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    server.close();
    void Promise.all([mails.close(), vendors.close(), database.remove()]).finally(() => process.exit(0));
  });
console.error(JSON.stringify(await describe()));

/** What n8n's credentials name, from the last start where it still holds. */
async function keepSecrets(file: string) {
  const before = JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as {
    readonly mail?: number;
    readonly database?: number;
    readonly key?: string;
  };
  const secrets = {
    mail: await portLike(before.mail),
    database: await portLike(before.database),
    key: before.key ?? createKey(),
  };
  await writeFile(file, JSON.stringify(secrets), { mode: 0o600 });
  return secrets;
}

/** The port, or a free one where there is none yet or another program has taken it. */
function portLike(port: number | undefined): Promise<number> {
  return port === undefined
    ? freePort()
    : listenOn(port).then(
        ({ release }) => release().then(() => port),
        () => freePort(),
      );
}

async function describe(): Promise<StandIns> {
  const credentials: CredentialFile[] = [];
  const nodes: Record<string, Record<string, object>> = {};
  /** Adds a credential, and gives it to these nodes of the examples. */
  const give = (
    name: string,
    type: string,
    data: CredentialFile['data'],
    isMeant: (node: ExampleNode, workflow: string) => boolean,
    fillIn: CrmExample['fillIn'] = (parameters) => parameters,
  ): void => {
    const id = `standIn-${type}`;
    credentials.push({ id, name: `${name} on this machine`, type, data });
    for (const example of examples)
      for (const node of example.nodes.filter((each) => isMeant(each, example.id)))
        (nodes[example.id] ??= {})[node.name] = {
          credentials: { [type]: { id, name: `${name} on this machine` } },
          parameters: fillIn(node.parameters),
        };
  };
  const endsWith = (ends: readonly string[], { type }: ExampleNode): boolean => ends.some((end) => type.endsWith(end));

  give('Mail server', 'smtp', mails.credential, (node) => endsWith(['.emailSend'], node));
  const user = { user: 'ada', password: 'harbour' };
  give(
    'Form (user ada, password harbour)',
    'httpBasicAuth',
    user,
    ({ parameters }) => parameters['authentication'] === 'basicAuth',
  );
  // Behind a proxy n8n has to use that one.
  const isProxied = Boolean(process.env['HTTPS_PROXY'] ?? process.env['https_proxy']);
  for (const { name, file, create, contactNodes, fillIn } of isProxied ? [] : Object.values<CrmExample>(crmExamples)) {
    const example = await readExample(file);
    const crm = create(example, kept.key);
    for (const [host, answer] of Object.entries(crm.answers)) await vendors.standIn(host, answer);
    const { type, data } = crm.credential;
    give(name, type, data, (node, workflow) => workflow === example.id && endsWith(contactNodes, node), fillIn);
  }
  try {
    database.port = kept.database;
    await database.create();
    await database.run('CREATE DATABASE crm');
    const address = database.address('crm');
    await createTables(database, address, examples);
    // People of the examples' sample data, and one address with which they find fault.
    await database.run(`INSERT INTO contacts (email) VALUES ('ada@example.com'), ('no address')`, address);
    await database.run(`INSERT INTO crm_contacts (email) VALUES ('ada@example.com')`, address);
    give('PostgreSQL', 'postgres', databaseFields(address), (node) => endsWith(['.postgres'], node));
  } catch (error) {
    console.error(`No PostgreSQL could be started, so its workflows ask for a credential: ${String(error)}`);
  }
  return { env: isProxied ? {} : vendors.env, credentials, nodes };
}

/** The page with the emails, the newest first. It loads again once there is another one. */
function pageOf({ received }: MailServer) {
  return html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>Emails of the example workflows</title>
      <style>
        body { font: 1rem/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding-inline: 1rem; color-scheme: light dark }
        article { border: 1px solid #8888; border-radius: 0.5rem; padding: 1rem; margin-block: 1rem }
        h2 { font-size: 1.125rem; margin: 0 }
        iframe { width: 100%; height: 18rem; border: 0; background: #fff; color-scheme: light }
        pre { white-space: pre-wrap; overflow-wrap: anywhere }
      </style>
      <h1>Emails of the example workflows</h1>
      <p>${received.length === 0 ? 'None yet. Execute a workflow that sends one.' : 'The newest first. None of them left this machine.'}</p>
      ${received.toReversed().map(
        ({ subject, to = [], html: page, text = '', attachments }) =>
          html`<article>
            <h2>${subject}</h2>
            <p>To ${to.map(({ address }) => address).join(', ')}</p>
            ${
              page
                ? html`<iframe sandbox="allow-popups" title="${subject}" srcdoc="<base target=_blank>${page}"></iframe>`
                : html`<pre>${text}</pre>`
            }
            ${attachments.map(
              ({ filename, content }) =>
                html`<p><a download="${filename}" href="data:text/plain;charset=utf-8,${encodeURIComponent(String(content))}">${filename}</a></p>`,
            )}
          </article>`,
      )}
      <script>
        setInterval(async () => {
          if ((await (await fetch('/count')).json()) !== ${received.length}) location.reload();
        }, 1000);
      </script>
    </html>`;
}
