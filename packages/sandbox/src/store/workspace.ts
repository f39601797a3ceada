/** Store of the workspace: publications, premium tiers, newsletter lists, API keys and OAuth clients. */
import { type Database, statementsOf } from './database.ts';
import type { Row } from './tables.ts';

export type PublicationRow = Row<'publications'>;
/** `publications` lists the ids that an API key is restricted to; null for the whole workspace. */
export type ApiKeyRow = Row<'api_keys'>;
/** An OAuth client; `secret` is null for a public one. */
export type OauthClientRow = Row<'oauth_clients'>;

/** The queries about the workspace. */
export function workspaceStore(database: Database) {
  const { one, all } = statementsOf(database);
  return {
    publication: cached(database, one<PublicationRow, [id: string]>('SELECT * FROM publications WHERE id = ?')),
    publications: all<PublicationRow>('SELECT * FROM publications ORDER BY created, id'),
    key: cached(database, one<ApiKeyRow, [value: string]>('SELECT * FROM api_keys WHERE key = ?')),
    tiers: all<Row<'tiers'>, [publicationId: string]>('SELECT * FROM tiers WHERE publication_id = ? ORDER BY name'),
    tierBySeq: one<Row<'tiers'>, [seq: number]>('SELECT * FROM tiers WHERE seq = ?'),
    lists: all<Row<'newsletter_lists'>, [publicationId: string]>(
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
