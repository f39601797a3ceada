/**
 * The SQL that joins both sides of a run. Each side is a list of nodes with keys; nodes that share a key, with each
 * other or through others, belong together. The tables are temporary: they end with the connection.
 *
 * PostgreSQL may know next to nothing of the tables that last: their statistics are as old as its last ANALYZE, and may
 * count another sync alone. Statements read those by their keys, and join only what the run has filled and analyzed.
 */
import { columnsOf, keyColumns } from './config.ts';
import { statementsOf } from './postgres.ts';
import { casts, identifier, qualified, syncTables, versionOf, type DatabaseParts } from './statements.ts';

/** The temporary tables of a run. */
const temporary = {
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

/** The statements of a run, and the cursors that read what they have joined. */
export type BatchStatements = ReturnType<typeof batchStatements>;

/** A contact or a subscription to be joined, with its columns. */
export interface Node {
  readonly node: number;
  readonly keys: readonly string[];
  readonly [column: string]: unknown;
}

/** Pairs that have not changed since they were found at rest. */
export interface AtRest {
  readonly pairs: number;
  /** Unix seconds of the newest subscription among them; null without one. */
  readonly newest: number | null;
}

export function batchStatements({ postgres, scope, config, columns }: DatabaseParts) {
  const { schema, contacts, mapping } = config;
  const { one, run } = statementsOf(postgres);
  const { run: runInScope } = statementsOf(postgres, scope);
  const { tokens, atRest } = syncTables(schema);
  const table = qualified(contacts.table);
  const id = identifier(contacts.id);
  const read = [contacts.email, ...columnsOf(mapping)];
  const version = versionOf(read);
  const selected = read.map((name) => `c.${identifier(name)}${casts[columns.get(name)?.kind ?? 'value']}`);
  const withTokens = `LEFT JOIN ${temporary.tokens} AS t ON t.contact_id = c.${id}::text`;
  return {
    /** A node is negative for a contact; keys are hashes: where two are equal by chance, a batch is larger. */
    createTables: run(`
      CREATE TEMPORARY TABLE ${temporary.tokens} (contact_id text, token text);
      CREATE TEMPORARY TABLE ${temporary.known} (contact_id text, digest text);
      CREATE TEMPORARY TABLE ${temporary.contacts} (node int, id text, digest text);
      CREATE TEMPORARY TABLE ${temporary.subscriptions} (node int, created float8, is_readable boolean, record text);
      CREATE TEMPORARY TABLE ${temporary.keys} (node int, key bigint);
      CREATE TEMPORARY TABLE ${temporary.partners} (node int, partner int);
      CREATE TEMPORARY TABLE ${temporary.pairs} (contact int, subscription int, digest text, is_at_rest boolean);
      CREATE TEMPORARY TABLE ${temporary.batches} (node int, batch int);
      CREATE TEMPORARY TABLE ${temporary.found} (contact_id text, digest text);
      CREATE TEMPORARY TABLE ${temporary.changes} (kind text, part int, content text, PRIMARY KEY (kind, part))`),
    addSubscriptions: run<[subscriptions: readonly Node[]]>(`
      WITH r AS (SELECT * FROM json_to_recordset($1) AS r
                   (node int, created float8, is_readable boolean, record text, keys json)),
           k AS (INSERT INTO ${temporary.keys}
                   SELECT node, hashtextextended(key, 0) FROM r, json_array_elements_text(keys) AS key)
      INSERT INTO ${temporary.subscriptions} SELECT node, created, is_readable, record FROM r`),
    copyStored: runInScope(`
      WITH t AS (INSERT INTO ${temporary.tokens} SELECT contact_id, token FROM ${tokens} WHERE scope = $1)
      INSERT INTO ${temporary.known} SELECT contact_id, digest FROM ${atRest} WHERE scope = $1`),
    analyzeStored: run(`ANALYZE ${temporary.tokens}; ANALYZE ${temporary.known}`),
    /** The id of each contact, its digest, its token, and the columns with its keys. */
    contactKeys: () =>
      postgres.cursor(`
      SELECT c.${id}::text, md5(${version} || coalesce(t.token, '')), t.token,
        ${[contacts.email, ...keyColumns(mapping)].map((name) => `c.${identifier(name)}`).join(', ')}
      FROM ${table} AS c ${withTokens} ORDER BY c.${id}`),
    addContacts: run<[contacts: readonly Node[]]>(`
      WITH r AS (SELECT * FROM json_to_recordset($1) AS r (node int, id text, digest text, keys json)),
           k AS (INSERT INTO ${temporary.keys}
                   SELECT node, hashtextextended(key, 0) FROM r, json_array_elements_text(keys) AS key)
      INSERT INTO ${temporary.contacts} SELECT node, id, digest FROM r`),
    /** The only node that shares a key with this one; null where none does, 0 where several do. */
    findPartners: run(`
      ANALYZE ${temporary.keys};
      INSERT INTO ${temporary.partners}
      SELECT node, CASE WHEN max(nodes) > 2 OR min(other) <> max(other) THEN 0 ELSE min(other) END
      FROM (SELECT k.node, s.nodes, CASE WHEN s.nodes > 1 THEN s.low + s.high - k.node END AS other
            FROM ${temporary.keys} AS k
            JOIN (SELECT key, count(*) AS nodes, min(node) AS low, max(node) AS high FROM ${temporary.keys} GROUP BY key)
              AS s USING (key)) AS shared
      GROUP BY node;
      ANALYZE ${temporary.partners}; ANALYZE ${temporary.contacts}; ANALYZE ${temporary.subscriptions}`),
    /** Contacts and subscriptions that are alone with each other; without a print, none of them is at rest. */
    findPairs: run<[print: string | null]>(`
      INSERT INTO ${temporary.pairs}
      SELECT node, partner, p.digest, k.digest IS NOT NULL
      FROM (SELECT c.node, a.partner, c.id, md5($1::text || c.digest || md5(s.record)) AS digest
            FROM ${temporary.partners} AS a JOIN ${temporary.partners} AS b ON b.node = a.partner AND b.partner = a.node
            JOIN ${temporary.contacts} AS c ON c.node = a.node JOIN ${temporary.subscriptions} AS s ON s.node = a.partner
            WHERE s.is_readable) AS p
      LEFT JOIN ${temporary.known} AS k ON k.contact_id = p.id AND k.digest = p.digest`),
    atRest: one<AtRest>(`
      SELECT count(*)::int AS pairs, max(s.created) AS newest FROM ${temporary.pairs} AS p
      JOIN ${temporary.subscriptions} AS s ON s.node = p.subscription WHERE p.is_at_rest`),
    /** The oldest subscriptions first, contacts without one last; all that has several partners is one batch. */
    makeBatches: run(`
      ANALYZE ${temporary.pairs};
      INSERT INTO ${temporary.batches}
      SELECT node, CASE WHEN place = 0 THEN 0 ELSE 1 + dense_rank() OVER (ORDER BY place < 0, place) / ${groupsOfBatch} END
      FROM (SELECT a.node, CASE WHEN a.partner IS NULL THEN a.node
                                WHEN b.partner = a.node THEN greatest(a.node, a.partner) ELSE 0 END AS place
            FROM ${temporary.partners} AS a LEFT JOIN ${temporary.partners} AS b ON b.node = coalesce(a.partner, a.node)) AS groups
      WHERE NOT EXISTS (SELECT FROM ${temporary.pairs} WHERE subscription = place AND is_at_rest);
      ANALYZE ${temporary.batches}`),
    /**
     * The subscriptions and the contacts, batch by batch. Both sides each by itself: PostgreSQL spreads a hash table
     * badly where half of its keys are null.
     */
    batches: () =>
      postgres.cursor(`
      SELECT b.batch, b.node, s.is_readable, s.record, NULL, NULL, NULL, NULL, ${selected.map(() => 'NULL').join(', ')}
      FROM ${temporary.batches} AS b JOIN ${temporary.subscriptions} AS s ON s.node = b.node
      UNION ALL
      SELECT b.batch, b.node, NULL, NULL, p.digest, c.${id}::text, ${version}, t.token, ${selected.join(', ')}
      FROM ${temporary.batches} AS b JOIN ${temporary.contacts} AS n ON n.node = b.node
      LEFT JOIN ${temporary.pairs} AS p ON p.contact = b.node
      JOIN ${table} AS c ON c.${id}::text = n.id ${withTokens}
      ORDER BY 1, 2`),
    noteAtRest: run<[pairs: readonly { readonly id: string; readonly digest: string | null }[]]>(
      `INSERT INTO ${temporary.found} SELECT id, digest FROM json_to_recordset($1) AS r (id text, digest text)`,
    ),
    storeAtRest: runInScope(
      `INSERT INTO ${atRest} (scope, contact_id, digest)
       SELECT $1, contact_id, digest FROM ${temporary.found}
       ON CONFLICT (scope, contact_id) DO UPDATE SET digest = excluded.digest`,
    ),
    forgetAtRest: runInScope(
      `DELETE FROM ${atRest} WHERE scope = $1 AND contact_id = ANY(ARRAY(
         SELECT contact_id FROM ${temporary.known} EXCEPT SELECT id FROM ${temporary.contacts}))`,
    ),
    addChanges: run<[kind: string, part: number, content: object]>(
      `INSERT INTO ${temporary.changes} VALUES ($1, $2, $3)`,
    ),
    changes: one<{ content: string }, [kind: string, part: number]>(
      `SELECT content FROM ${temporary.changes} WHERE kind = $1 AND part = $2`,
    ),
  };
}
