/**
 * The SQL that joins both sides of a run. Each side is a list of nodes with keys; nodes that share a key, with each
 * other or through others, belong together. The tables are temporary: they end with the connection.
 *
 * PostgreSQL may know next to nothing of the tables that last: their statistics are as old as its last ANALYZE, and may
 * count another sync alone. Statements read those by their keys, and join only what the run has filled and analyzed.
 */
import { columnsOf, keyColumns, type SyncConfig } from './config.ts';
import { casts, identifier, qualified, syncTables, versionOf, type ContactColumn } from './statements.ts';

/** The temporary tables of a run. */
const run = {
  /** The tokens of the sync, and the pairs that an earlier run found at rest. */
  tokens: 'pg_temp.newsletter_sync_run_tokens',
  known: 'pg_temp.newsletter_sync_run_known',
  contacts: 'pg_temp.newsletter_sync_run_contacts',
  subscriptions: 'pg_temp.newsletter_sync_run_subscriptions',
  keys: 'pg_temp.newsletter_sync_run_keys',
  partners: 'pg_temp.newsletter_sync_run_partners',
  pairs: 'pg_temp.newsletter_sync_run_pairs',
  batches: 'pg_temp.newsletter_sync_run_batches',
  /** The pairs that this run found at rest. */
  found: 'pg_temp.newsletter_sync_run_found',
  changes: 'pg_temp.newsletter_sync_run_changes',
} as const;

/** Contacts with their subscriptions in one batch. */
const groupsOfBatch = 250;

export function batchStatements(
  { schema, contacts, mapping }: SyncConfig,
  columns: ReadonlyMap<string, ContactColumn>,
) {
  const { tokens, atRest } = syncTables(schema);
  const table = qualified(contacts.table);
  const id = identifier(contacts.id);
  const read = [contacts.email, ...columnsOf(mapping)];
  const version = versionOf(read);
  const selected = read.map((name) => `c.${identifier(name)}${casts[columns.get(name)?.kind ?? 'value']}`);
  const withTokens = `LEFT JOIN ${run.tokens} AS t ON t.contact_id = c.${id}::text`;
  return {
    /** A node is negative for a contact; keys are hashes: where two are equal by chance, a batch is larger. */
    tables: `
      CREATE TEMPORARY TABLE ${run.tokens} (contact_id text, token text);
      CREATE TEMPORARY TABLE ${run.known} (contact_id text, digest text);
      CREATE TEMPORARY TABLE ${run.contacts} (node int, id text, digest text);
      CREATE TEMPORARY TABLE ${run.subscriptions} (node int, created float8, is_readable boolean, record text);
      CREATE TEMPORARY TABLE ${run.keys} (node int, key bigint);
      CREATE TEMPORARY TABLE ${run.partners} (node int, partner int);
      CREATE TEMPORARY TABLE ${run.pairs} (contact int, subscription int, digest text, is_at_rest boolean);
      CREATE TEMPORARY TABLE ${run.batches} (node int, batch int);
      CREATE TEMPORARY TABLE ${run.found} (contact_id text, digest text);
      CREATE TEMPORARY TABLE ${run.changes} (kind text, part int, content text, PRIMARY KEY (kind, part))`,
    addSubscriptions: `
      WITH r AS (SELECT * FROM json_to_recordset($1) AS r
                   (node int, created float8, is_readable boolean, record text, keys json)),
           k AS (INSERT INTO ${run.keys}
                   SELECT node, hashtextextended(key, 0) FROM r, json_array_elements_text(keys) AS key)
      INSERT INTO ${run.subscriptions} SELECT node, created, is_readable, record FROM r`,
    /** `$1` is the scope. */
    copyStored: `
      WITH t AS (INSERT INTO ${run.tokens} SELECT contact_id, token FROM ${tokens} WHERE scope = $1)
      INSERT INTO ${run.known} SELECT contact_id, digest FROM ${atRest} WHERE scope = $1`,
    openKeys: `ANALYZE ${run.tokens}; ANALYZE ${run.known}; DECLARE keys NO SCROLL CURSOR FOR
      SELECT c.${id}::text, md5(${version} || coalesce(t.token, '')), t.token,
        ${[contacts.email, ...keyColumns(contacts)].map((name) => `c.${identifier(name)}`).join(', ')}
      FROM ${table} AS c ${withTokens} ORDER BY c.${id}`,
    addContacts: `
      WITH r AS (SELECT * FROM json_to_recordset($1) AS r (node int, id text, digest text, keys json)),
           k AS (INSERT INTO ${run.keys}
                   SELECT node, hashtextextended(key, 0) FROM r, json_array_elements_text(keys) AS key)
      INSERT INTO ${run.contacts} SELECT node, id, digest FROM r`,
    /** The only node that shares a key with this one; null where none does, 0 where several do. */
    partners: `
      ANALYZE ${run.keys};
      INSERT INTO ${run.partners}
      SELECT node, CASE WHEN max(nodes) > 2 OR min(other) <> max(other) THEN 0 ELSE min(other) END
      FROM (SELECT k.node, s.nodes, CASE WHEN s.nodes > 1 THEN s.low + s.high - k.node END AS other
            FROM ${run.keys} AS k
            JOIN (SELECT key, count(*) AS nodes, min(node) AS low, max(node) AS high FROM ${run.keys} GROUP BY key)
              AS s USING (key)) AS shared
      GROUP BY node;
      ANALYZE ${run.partners}; ANALYZE ${run.contacts}; ANALYZE ${run.subscriptions}`,
    /** Contacts and subscriptions that are alone with each other. `$1` is a print of the mapping, or null. */
    pairs: `
      INSERT INTO ${run.pairs}
      SELECT node, partner, p.digest, k.digest IS NOT NULL
      FROM (SELECT c.node, a.partner, c.id, md5($1::text || c.digest || md5(s.record)) AS digest
            FROM ${run.partners} AS a JOIN ${run.partners} AS b ON b.node = a.partner AND b.partner = a.node
            JOIN ${run.contacts} AS c ON c.node = a.node JOIN ${run.subscriptions} AS s ON s.node = a.partner
            WHERE s.is_readable) AS p
      LEFT JOIN ${run.known} AS k ON k.contact_id = p.id AND k.digest = p.digest`,
    atRest: `SELECT count(*)::int AS pairs, max(s.created) AS newest FROM ${run.pairs} AS p
             JOIN ${run.subscriptions} AS s ON s.node = p.subscription WHERE p.is_at_rest`,
    /** The oldest subscriptions first, contacts without one last; all that has several partners is one batch. */
    batches: `
      ANALYZE ${run.pairs};
      INSERT INTO ${run.batches}
      SELECT node, CASE WHEN place = 0 THEN 0 ELSE 1 + dense_rank() OVER (ORDER BY place < 0, place) / ${groupsOfBatch} END
      FROM (SELECT a.node, CASE WHEN a.partner IS NULL THEN a.node
                                WHEN b.partner = a.node THEN greatest(a.node, a.partner) ELSE 0 END AS place
            FROM ${run.partners} AS a LEFT JOIN ${run.partners} AS b ON b.node = coalesce(a.partner, a.node)) AS groups
      WHERE NOT EXISTS (SELECT FROM ${run.pairs} WHERE subscription = place AND is_at_rest);
      ANALYZE ${run.batches}`,
    /** Both sides each by itself: PostgreSQL spreads a hash table badly where half of its keys are null. */
    openBatches: `DECLARE batches NO SCROLL CURSOR FOR
      SELECT b.batch, b.node, s.is_readable, s.record, NULL, NULL, NULL, NULL, ${selected.map(() => 'NULL').join(', ')}
      FROM ${run.batches} AS b JOIN ${run.subscriptions} AS s ON s.node = b.node
      UNION ALL
      SELECT b.batch, b.node, NULL, NULL, p.digest, c.${id}::text, ${version}, t.token, ${selected.join(', ')}
      FROM ${run.batches} AS b JOIN ${run.contacts} AS n ON n.node = b.node
      LEFT JOIN ${run.pairs} AS p ON p.contact = b.node
      JOIN ${table} AS c ON c.${id}::text = n.id ${withTokens}
      ORDER BY 1, 2`,
    closeBatches: `CLOSE batches`,
    noteAtRest: `INSERT INTO ${run.found} SELECT * FROM unnest($1::text[], $2::text[])`,
    storeAtRest: `INSERT INTO ${atRest} (scope, contact_id, digest)
                  SELECT $1, contact_id, digest FROM ${run.found}
                  ON CONFLICT (scope, contact_id) DO UPDATE SET digest = excluded.digest`,
    forgetAtRest: `DELETE FROM ${atRest} WHERE scope = $1 AND contact_id = ANY(ARRAY(
                     SELECT contact_id FROM ${run.known} EXCEPT SELECT id FROM ${run.contacts}))`,
    addChanges: `INSERT INTO ${run.changes} VALUES ($1, $2, $3)`,
    changes: `SELECT content FROM ${run.changes} WHERE kind = $1 AND part = $2`,
  };
}
