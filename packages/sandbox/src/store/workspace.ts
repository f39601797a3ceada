/** Store of the workspace: publications, premium tiers, newsletter lists, API keys and OAuth clients. */
import type { Database } from './database.ts';

export interface PublicationRow {
  readonly seq: number;
  readonly id: string;
  readonly name: string;
  readonly double_opt_in: number;
  readonly created: number;
}

export interface TierRow {
  readonly seq: number;
  readonly id: string;
  readonly publication_id: string;
  readonly name: string;
  readonly description: string;
  readonly status: string;
}

export interface NewsletterListRow {
  readonly seq: number;
  readonly id: string;
  readonly publication_id: string;
  readonly name: string;
  readonly auto_subscribe: number;
}

/** An API key; `publications` is a JSON list of the ids it is restricted to, null for the whole workspace. */
export interface ApiKeyRow {
  readonly key: string;
  readonly publications: string | null;
}

/** An OAuth client; `secret` is null for a public one, `redirect_uris` and `grant_types` are JSON lists. */
export interface OauthClientRow {
  readonly uid: string;
  readonly name: string;
  readonly secret: string | null;
  readonly redirect_uris: string;
  readonly grant_types: string;
}

/** The queries about the workspace. */
export type Workspace = ReturnType<typeof workspaceStore>;

export function workspaceStore(database: Database) {
  const addPublication = database.prepare(
    'INSERT INTO publications (seq, id, name, double_opt_in, created) VALUES (?, ?, ?, ?, ?)',
  );
  const publication = database.prepare<PublicationRow>('SELECT * FROM publications WHERE id = ?');
  const publications = database.prepare<PublicationRow>('SELECT * FROM publications ORDER BY created, id');
  const addKey = database.prepare('INSERT INTO api_keys (key, publications) VALUES (?, ?)');
  const key = database.prepare<ApiKeyRow>('SELECT * FROM api_keys WHERE key = ?');
  const addClient = database.prepare(
    'INSERT INTO oauth_clients (uid, name, secret, redirect_uris, grant_types) VALUES (?, ?, ?, ?, ?)',
  );
  const addTier = database.prepare(
    'INSERT INTO tiers (seq, id, publication_id, name, description, status) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const tiers = database.prepare<TierRow>('SELECT * FROM tiers WHERE publication_id = ? ORDER BY name');
  const tierBySeq = database.prepare<TierRow>('SELECT * FROM tiers WHERE seq = ?');
  const addList = database.prepare(
    'INSERT INTO newsletter_lists (seq, id, publication_id, name, auto_subscribe) VALUES (?, ?, ?, ?, ?)',
  );
  const lists = database.prepare<NewsletterListRow>(
    'SELECT * FROM newsletter_lists WHERE publication_id = ? ORDER BY id',
  );
  return {
    addPublication: (row: PublicationRow): void =>
      addPublication.run(row.seq, row.id, row.name, row.double_opt_in, row.created),
    publication: cached(database, (id: string) => publication.get(id)),
    publications: () => publications.all(),
    addKey: (row: ApiKeyRow): void => addKey.run(row.key, row.publications),
    key: cached(database, (value: string) => key.get(value)),
    addClient: (row: OauthClientRow): void =>
      addClient.run(row.uid, row.name, row.secret, row.redirect_uris, row.grant_types),
    addTier: (row: TierRow): void =>
      addTier.run(row.seq, row.id, row.publication_id, row.name, row.description, row.status),
    tiers: (publicationId: string) => tiers.all(publicationId),
    tierBySeq: (seq: number) => tierBySeq.get(seq),
    addList: (row: NewsletterListRow): void =>
      addList.run(row.seq, row.id, row.publication_id, row.name, row.auto_subscribe),
    lists: (publicationId: string) => lists.all(publicationId),
  };
}

/**
 * Caches rows until the tables are replaced: every request reads its key and its publication, which only seeds write.
 */
function cached<Row>(database: Database, read: (key: string) => Row | undefined): (key: string) => Row | undefined {
  const known = new Map<string, Row>();
  database.onUndone(() => known.clear());
  return (key) => {
    const found = known.get(key) ?? read(key);
    if (found !== undefined) known.set(key, found);
    return found;
  };
}
