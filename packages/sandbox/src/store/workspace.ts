/** Store of the workspace: publications, premium tiers, newsletter lists, API keys and OAuth clients. */
import { type Database, statementsOf } from './database.ts';

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
  const { one, all, insert } = statementsOf(database);
  return {
    addPublication: insert<PublicationRow>('publications'),
    publication: cached(database, one<PublicationRow, [id: string]>('SELECT * FROM publications WHERE id = ?')),
    publications: all<PublicationRow>('SELECT * FROM publications ORDER BY created, id'),
    addKey: insert<ApiKeyRow>('api_keys'),
    key: cached(database, one<ApiKeyRow, [value: string]>('SELECT * FROM api_keys WHERE key = ?')),
    addClient: insert<OauthClientRow>('oauth_clients'),
    addTier: insert<TierRow>('tiers'),
    tiers: all<TierRow, [publicationId: string]>('SELECT * FROM tiers WHERE publication_id = ? ORDER BY name'),
    tierBySeq: one<TierRow, [seq: number]>('SELECT * FROM tiers WHERE seq = ?'),
    addList: insert<NewsletterListRow>('newsletter_lists'),
    lists: all<NewsletterListRow, [publicationId: string]>(
      'SELECT * FROM newsletter_lists WHERE publication_id = ? ORDER BY id',
    ),
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
