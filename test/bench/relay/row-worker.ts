/** A Worker whose Durable Object stores the body of each request in a row, and does nothing else. */
import type { RelayObjects } from '@newsletter-kit/relay/worker';

/** The part of a Durable Object's storage that is used here. */
interface Storage {
  readonly sql: { exec(text: string, ...values: readonly string[]): unknown };
}

export class RowObject {
  readonly #storage: Storage;

  constructor({ storage }: { readonly storage: Storage }) {
    this.#storage = storage;
    storage.sql.exec('CREATE TABLE IF NOT EXISTS post (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT');
  }

  async fetch(request: Request): Promise<Response> {
    this.#storage.sql.exec('INSERT INTO post (body) VALUES (?)', await request.text());
    return Response.json({ status: 'accepted' }, { status: 202 });
  }
}

export default {
  fetch(request: Request, { RELAY_OBJECTS: objects }: { readonly RELAY_OBJECTS: RelayObjects }): Promise<Response> {
    return objects.get(objects.idFromName('rows')).fetch(request);
  },
};
