/** A real Directus on SQLite, with contacts in a collection and an account of the sync whose rights can be taken. */
import { join } from 'node:path';
import { installLocked } from '../../../scripts/n8n/locked.ts';
import { run, start } from '../../../scripts/program.ts';
import { freePort } from '../../support/free-ports.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';
import { waitUntil } from '../../support/waits.ts';

const folder = join(import.meta.dirname, 'directus');
const adminToken = 'token-of-the-administrator';
const syncToken = 'token-of-the-sync';

/** What Directus answers. */
export interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A contact as Directus lists it. */
export interface Contact extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly email: string;
  readonly city: string | null;
  readonly newsletter_status: string | null;
  readonly do_not_mail: boolean;
}

/** A backend to which nobody has adapted the sync. */
export interface Backend {
  /** How plain HTTP nodes reach its contacts, with the account of the sync. */
  readonly http: {
    readonly url: string;
    /** The query that lists all. */
    readonly all: string;
    readonly headers: Readonly<Record<string, string>>;
    /** The field of a list that holds the contacts. */
    readonly records: string;
    /** The field of a contact that holds its id. */
    readonly id: string;
    readonly update: 'PATCH' | 'PUT';
  };
  /** The contacts as a person sees them. */
  contacts(): Promise<readonly Contact[]>;
  create(values: object): Promise<unknown>;
  /** A person edits a contact. */
  edit(id: string, values: object): Promise<unknown>;
  stop(): Promise<void>;
}

/** What the account of the sync may do. */
type Action = 'read' | 'create' | 'update';

export type Directus = Awaited<ReturnType<typeof startDirectus>>;

/** Starts it in a folder of its own. It runs until `stop`. */
export async function startDirectus() {
  await installLocked({
    folder,
    title: 'Directus (600 MB; half a minute to three minutes the first time)',
    compiles: 'sqlite3',
    needs: 'the npm registry and about 600 MB of disk; python3, make and g++ for its sqlite3',
  });
  const data = scratchFolder();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    DB_CLIENT: 'sqlite3',
    DB_FILENAME: join(data, 'data.db'),
    SECRET: 'a secret of more than thirty-two characters',
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: 'password-of-the-administrator',
    ADMIN_TOKEN: adminToken,
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: url,
    TELEMETRY: 'false',
    LOG_LEVEL: 'error',
    // On a busy machine it would refuse what it has no reason to refuse.
    PRESSURE_LIMITER_ENABLED: 'false',
  };
  const command = join(folder, 'node_modules', 'directus', 'cli.js');
  await run(process.execPath, [command, 'bootstrap'], { cwd: data, env });
  const server = start(process.execPath, [command, 'start'], { cwd: data, env });
  await waitUntil('Directus answers', () =>
    fetch(`${url}/server/ping`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );

  async function call(token: string, method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const headers = Object.fromEntries(response.headers);
    return { statusCode: response.status, headers, body: text === '' ? '' : (JSON.parse(text) as unknown) };
  }

  async function asAdmin<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    const answer = await call(adminToken, method, path, body);
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return (answer.body as { readonly data: Data }).data;
  }

  await asAdmin('POST', '/collections', {
    collection: 'contacts',
    schema: {},
    meta: {},
    fields: [
      { field: 'id', type: 'uuid', schema: { is_primary_key: true }, meta: { special: ['uuid'] } },
      { field: 'email', type: 'string', schema: { is_unique: true } },
      { field: 'city', type: 'string', schema: {} },
      { field: 'company', type: 'string', schema: {} },
      { field: 'newsletter_status', type: 'string', schema: {} },
      {
        field: 'do_not_mail',
        type: 'boolean',
        schema: { default_value: false, is_nullable: false },
        meta: { special: ['cast-boolean'] },
      },
      { field: 'sync_token', type: 'string', schema: { max_length: 255 } },
    ],
  });
  const { id: policy } = await asAdmin<{ readonly id: string }>('POST', '/policies', { name: 'Sync' });
  const { id: role } = await asAdmin<{ readonly id: string }>('POST', '/roles', { name: 'Sync' });
  await asAdmin('POST', '/access', { role, policy });
  await asAdmin('POST', '/users', { email: 'sync@example.com', role, token: syncToken });
  const rights = new Map<Action, number>();

  const directus = {
    http: {
      url: `${url}/items/contacts`,
      all: '?limit=-1',
      headers: { authorization: `Bearer ${syncToken}` },
      records: 'data',
      id: 'id',
      update: 'PATCH' as const,
    },
    /** The contacts as the sync reads them. */
    async contacts(): Promise<readonly Contact[]> {
      const { statusCode, body } = await call(syncToken, 'GET', '/items/contacts?limit=-1');
      if (statusCode !== 200) throw new Error(`The contacts cannot be read: ${JSON.stringify(body)}`);
      return (body as { readonly data: readonly Contact[] }).data;
    },
    create: (values: object): Promise<Answer> => call(syncToken, 'POST', '/items/contacts', values),
    update: (id: string, values: object): Promise<Answer> => call(syncToken, 'PATCH', `/items/contacts/${id}`, values),
    /** A person edits a contact in Directus. */
    edit: (id: string, values: object): Promise<unknown> => asAdmin('PATCH', `/items/contacts/${id}`, values),
    /** Whether a contact must have a company, of which the sync knows nothing. */
    requireCompany: (isRequired: boolean): Promise<unknown> =>
      asAdmin('PATCH', '/fields/contacts/company', { schema: { is_nullable: !isRequired } }),
    async grant(action: Action): Promise<void> {
      const right = { policy, collection: 'contacts', action, permissions: {}, validation: {}, fields: ['*'] };
      rights.set(action, (await asAdmin<{ readonly id: number }>('POST', '/permissions', right)).id);
    },
    revoke: (action: Action): Promise<unknown> => asAdmin('DELETE', `/permissions/${rights.get(action)}`),
    stop: (): Promise<void> => server.stop(),
  };
  for (const action of ['read', 'create', 'update'] as const) await directus.grant(action);
  return directus;
}
