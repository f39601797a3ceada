/**
 * The SQL that joins both sides of a run. Each side is a list of nodes with keys; nodes that share a key, with each
 * other or through others, belong together. The tables are temporary: they end with the connection.
 */
import { columnsOf, type SyncConfig } from './config.ts';
import { casts, identifier, qualified, syncTables, type ContactColumn } from './statements.ts';

/** Contacts with their subscriptions in one batch. */
const groupsOfBatch = 250;

/** @param hasTokens - whether the tables of the sync exist */
export function batchStatements(
  { schema, contacts, mapping }: SyncConfig,
  columns: ReadonlyMap<string, ContactColumn>,
  hasTokens: boolean,
) {
  const { tokens, atRest } = syncTables(schema);
  const table = qualified(contacts.table);
  const id = identifier(contacts.id);
  const read = [contacts.email, ...columnsOf(mapping)];
  /** A hash of the columns that the sync reads; it detects changes. */
  const version = `md5(row(${read.map((name) => `c.${identifier(name)}`).join(', ')})::text)`;
  const selected = read.map((name) => `c.${identifier(name)}${casts[columns.get(name)?.kind ?? 'value']}`);
  const withTokens = hasTokens ? `LEFT JOIN ${tokens} AS t ON t.scope = $1 AND t.contact_id = c.${id}::text` : '';
  const token = hasTokens ? 't.token' : 'NULL::text';
  const known = hasTokens
    ? `EXISTS (SELECT FROM ${atRest} AS r WHERE r.scope = $2 AND r.contact_id = p.id AND r.digest = p.digest)`
    : 'false';
  return {
    /** A node is negative for a contact; keys are hashes: where two are equal by chance, a batch is larger. */
    tables: `
      CREATE TEMPORARY TABLE sync_contacts (node int, id text, digest text);
      CREATE TEMPORARY TABLE sync_subscriptions (node int, created float8, is_readable boolean, record text);
      CREATE TEMPORARY TABLE sync_keys (node int, key bigint);
      CREATE TEMPORARY TABLE sync_partners (node int, partner int);
      CREATE TEMPORARY TABLE sync_pairs (contact int, subscription int, digest text, is_at_rest boolean);
      CREATE TEMPORARY TABLE sync_batches (node int, batch int);
      CREATE TEMPORARY TABLE sync_at_rest (contact_id text, digest text);
      CREATE TEMPORARY TABLE sync_changes (kind text, part int, content text, PRIMARY KEY (kind, part))`,
    addSubscriptions: `
      WITH r AS (SELECT * FROM json_to_recordset($1) AS r
                   (node int, created float8, is_readable boolean, record text, keys json)),
           k AS (INSERT INTO pg_temp.sync_keys
                   SELECT node, hashtextextended(key, 0) FROM r, json_array_elements_text(keys) AS key)
      INSERT INTO pg_temp.sync_subscriptions SELECT node, created, is_readable, record FROM r`,
    openKeys: `DECLARE keys NO SCROLL CURSOR FOR
      SELECT c.${id}::text, md5(${version} || coalesce(${token}, '')), ${token}, c.${identifier(contacts.email)}
      FROM ${table} AS c ${withTokens} ORDER BY c.${id}`,
    addContacts: `
      WITH r AS (SELECT * FROM json_to_recordset($1) AS r (node int, id text, digest text, keys json)),
           k AS (INSERT INTO pg_temp.sync_keys
                   SELECT node, hashtextextended(key, 0) FROM r, json_array_elements_text(keys) AS key)
      INSERT INTO pg_temp.sync_contacts SELECT node, id, digest FROM r`,
    /** The only node that shares a key with this one; null where none does, 0 where several do. */
    partners: `
      ANALYZE pg_temp.sync_keys;
      INSERT INTO pg_temp.sync_partners
      SELECT node, CASE WHEN max(nodes) > 2 OR min(other) <> max(other) THEN 0 ELSE min(other) END
      FROM (SELECT k.node, s.nodes, CASE WHEN s.nodes > 1 THEN s.low + s.high - k.node END AS other
            FROM pg_temp.sync_keys AS k
            JOIN (SELECT key, count(*) AS nodes, min(node) AS low, max(node) AS high FROM pg_temp.sync_keys GROUP BY key)
              AS s USING (key)) AS shared
      GROUP BY node;
      ANALYZE pg_temp.sync_partners; ANALYZE pg_temp.sync_contacts; ANALYZE pg_temp.sync_subscriptions`,
    /** Contacts and subscriptions that are alone with each other. `$1` is a print of the mapping, `$2` the scope. */
    pairs: `
      INSERT INTO pg_temp.sync_pairs
      SELECT node, partner, digest, ${known}
      FROM (SELECT c.node, a.partner, c.id, md5($1::text || c.digest || md5(s.record)) AS digest
            FROM pg_temp.sync_partners AS a JOIN pg_temp.sync_partners AS b ON b.node = a.partner AND b.partner = a.node
            JOIN pg_temp.sync_contacts AS c ON c.node = a.node JOIN pg_temp.sync_subscriptions AS s ON s.node = a.partner
            WHERE s.is_readable) AS p`,
    atRest: `SELECT count(*)::int AS pairs, max(s.created) AS newest FROM pg_temp.sync_pairs AS p
             JOIN pg_temp.sync_subscriptions AS s ON s.node = p.subscription WHERE p.is_at_rest`,
    /** The oldest subscriptions first, contacts without one last; all that has several partners is one batch. */
    batches: `
      ANALYZE pg_temp.sync_pairs;
      INSERT INTO pg_temp.sync_batches
      SELECT node, CASE WHEN place = 0 THEN 0 ELSE 1 + dense_rank() OVER (ORDER BY place < 0, place) / ${groupsOfBatch} END
      FROM (SELECT a.node, CASE WHEN a.partner IS NULL THEN a.node
                                WHEN b.partner = a.node THEN greatest(a.node, a.partner) ELSE 0 END AS place
            FROM pg_temp.sync_partners AS a LEFT JOIN pg_temp.sync_partners AS b ON b.node = a.partner) AS groups
      WHERE NOT EXISTS (SELECT FROM pg_temp.sync_pairs WHERE subscription = place AND is_at_rest);
      ANALYZE pg_temp.sync_batches`,
    openBatches: `DECLARE batches NO SCROLL CURSOR FOR
      SELECT b.batch, s.is_readable, s.record, p.digest, c.${id}::text, ${version}, ${token}, ${selected.join(', ')}
      FROM pg_temp.sync_batches AS b
      LEFT JOIN pg_temp.sync_subscriptions AS s ON s.node = b.node
      LEFT JOIN pg_temp.sync_contacts AS n ON n.node = b.node
      LEFT JOIN pg_temp.sync_pairs AS p ON p.contact = b.node
      LEFT JOIN ${table} AS c ON c.${id}::text = n.id ${withTokens}
      ORDER BY b.batch, b.node`,
    noteAtRest: `INSERT INTO pg_temp.sync_at_rest SELECT * FROM unnest($1::text[], $2::text[])`,
    storeAtRest: `INSERT INTO ${atRest} (scope, contact_id, digest)
                  SELECT $1, contact_id, digest FROM pg_temp.sync_at_rest
                  ON CONFLICT (scope, contact_id) DO UPDATE SET digest = excluded.digest`,
    forgetAtRest: `DELETE FROM ${atRest} AS r WHERE r.scope = $1
                   AND NOT EXISTS (SELECT FROM pg_temp.sync_contacts AS c WHERE c.id = r.contact_id)`,
    addChanges: `INSERT INTO pg_temp.sync_changes VALUES ($1, $2, $3)`,
    changes: `SELECT content FROM pg_temp.sync_changes WHERE kind = $1 AND part = $2`,
  };
}
