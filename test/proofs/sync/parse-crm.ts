/** A real Parse Server on PostgreSQL: it leaves out what has no value, also a box that nobody ever ticked. */
import { join } from 'node:path';
import { installLocked } from '../../../scripts/n8n/locked.ts';
import { start } from '../../../scripts/program.ts';
import { freePort } from '../../support/free-ports.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';
import { waitUntil } from '../../support/waits.ts';
import type { Backend, Contact } from './directus-crm.ts';

const folder = join(import.meta.dirname, 'parse');
const [application, masterKey, restKey] = ['contacts', 'key-of-the-administrator', 'key-of-the-sync'];

/** Starts it. It runs until `stop`. @param database - the address of an empty one */
export async function startParse(database: string): Promise<Backend> {
  await installLocked({
    folder,
    title: 'Parse Server (180 MB; half a minute the first time)',
    needs: 'the npm registry and about 180 MB of disk',
  });
  const port = String(await freePort());
  const root = `http://127.0.0.1:${port}/parse`;
  const env = {
    PARSE_SERVER_APPLICATION_ID: application,
    PARSE_SERVER_MASTER_KEY: masterKey,
    PARSE_SERVER_REST_API_KEY: restKey,
    PARSE_SERVER_DATABASE_URI: database,
    PARSE_SERVER_HOST: '127.0.0.1',
    PARSE_SERVER_URL: root,
    PARSE_SERVER_LOGS_FOLDER: 'null',
    PORT: port,
  };
  const command = join(folder, 'node_modules', 'parse-server', 'bin', 'parse-server');
  const server = start(process.execPath, [command], { cwd: scratchFolder(), env });

  const headers = { 'X-Parse-Application-Id': application, 'X-Parse-REST-API-Key': restKey };
  await waitUntil('Parse Server answers', () =>
    fetch(`${root}/health`, { headers }).then(
      ({ ok }) => ok,
      () => false,
    ),
  );

  async function asAdmin<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    const response = await fetch(`${root}${path}`, {
      method,
      headers: { 'X-Parse-Application-Id': application, 'X-Parse-Master-Key': masterKey },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return (await response.json()) as Data;
  }

  const anybody = { '*': true };
  await asAdmin('POST', '/schemas/Contact', {
    className: 'Contact',
    fields: {
      ...Object.fromEntries(
        ['email', 'city', 'newsletter_status', 'sync_token'].map((field) => [field, { type: 'String' }]),
      ),
      do_not_mail: { type: 'Boolean' },
    },
    // The sync may neither delete contacts nor add columns.
    classLevelPermissions: { find: anybody, get: anybody, create: anybody, update: anybody },
  });
  const contacts = '/classes/Contact';
  return {
    http: { url: `${root}${contacts}`, all: '?limit=1000', headers, records: 'results', id: 'objectId', update: 'PUT' },
    async contacts(): Promise<readonly Contact[]> {
      const { results } = await asAdmin<{ readonly results: readonly Row[] }>('GET', `${contacts}?limit=1000`);
      return results.map(({ objectId: id, city = null, newsletter_status = null, do_not_mail = false, ...row }) => ({
        ...row,
        id,
        city,
        newsletter_status,
        do_not_mail,
      }));
    },
    create: (values: object): Promise<unknown> => asAdmin('POST', contacts, values),
    edit: (id: string, values: object): Promise<unknown> => asAdmin('PUT', `${contacts}/${id}`, values),
    stop: (): Promise<void> => server.stop(),
  };
}

/** A contact as Parse Server lists it. */
interface Row {
  readonly objectId: string;
  readonly email: string;
  readonly city?: string;
  readonly newsletter_status?: string;
  readonly do_not_mail?: boolean;
}
