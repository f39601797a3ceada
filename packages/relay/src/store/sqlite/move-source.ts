/** The side of a move that is left: what a relay's file holds, page by page, and what changes meanwhile. */
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { MovePage, MoveSource } from '../move.ts';
import { textOrNull, type Row } from '../rows.ts';
import type { GroupCommit } from './group-commit.ts';

/** Triggers stand in the file, so that a change is noted also by a relay that was restarted in the middle of a move. */
const noteChanges = `
  CREATE TABLE IF NOT EXISTS move_change (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE) STRICT;
  DELETE FROM move_change;
  CREATE TRIGGER IF NOT EXISTS move_insert AFTER INSERT ON signup BEGIN INSERT OR REPLACE INTO move_change (id) VALUES (NEW.id); END;
  CREATE TRIGGER IF NOT EXISTS move_update AFTER UPDATE ON signup BEGIN INSERT OR REPLACE INTO move_change (id) VALUES (NEW.id); END;
  CREATE TRIGGER IF NOT EXISTS move_delete AFTER DELETE ON signup BEGIN INSERT OR REPLACE INTO move_change (id) VALUES (OLD.id); END;
`;

const columns =
  'id, form, state, received_at, origin, submission, intent, content, attempts, next_attempt_at, settled_at, last_error';

/**
 * Settings of a move: its name and place, how far the walk over the rows is, and where it ends. What came later is a
 * change.
 */
const names = { id: 'move_id', to: 'move_to', cursor: 'move_cursor', end: 'move_end', sealed: 'moved_to' } as const;

/** Where a file has been moved to, and under which name; null where it has not. */
export function movedTo(db: DatabaseSync): { readonly id: string; readonly to: string } | null {
  const to = setting(db, names.sealed);
  return to === null ? null : { id: setting(db, names.id) ?? '', to };
}

/** Where a move was begun to; null where none was. */
export function movingTo(db: DatabaseSync): string | null {
  return setting(db, names.to);
}

/** Begins a move, or goes on with the one to the same place. @param to - the new place, without user and password */
export async function moveSource(db: DatabaseSync, commits: GroupCommit, to: string): Promise<MoveSource> {
  const set = (name: string, value: string): void =>
    void db.prepare('INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)').run(name, value);
  const restart = (): Promise<void> =>
    commits.run(() => {
      db.exec(noteChanges);
      set(names.id, randomUUID());
      set(names.to, to);
      set(names.cursor, '');
      set(names.end, String(db.prepare(`SELECT coalesce(max(id), '') AS id FROM signup`).get()?.['id']));
    });
  // A newer relay that made the table anew has dropped its triggers with it.
  const notes = Number(
    db
      .prepare(
        `SELECT count(*) AS count FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'signup' AND name GLOB 'move_*'`,
      )
      .get()?.['count'],
  );
  if (setting(db, names.to) !== to || notes < 3) await restart();

  const count = (where: string, ...values: string[]): number =>
    Number(db.prepare(`SELECT count(*) AS count FROM signup ${where}`).get(...values)?.['count']);
  const cursor = (): string => setting(db, names.cursor) ?? '';
  const walk = db.prepare(`SELECT ${columns} FROM signup WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`);
  const changes = db.prepare('SELECT seq, id FROM move_change ORDER BY seq LIMIT ?');
  const byId = db.prepare(`SELECT ${columns} FROM signup WHERE id IN (SELECT value FROM json_each(?))`);

  function walked(limit: number): MovePage | null {
    const rows: Row[] = walk.all(cursor(), setting(db, names.end), limit);
    const last = textOrNull(rows.at(-1)?.['id']);
    return last === null
      ? null
      : { rows, gone: [], more: true, copied: () => commits.run(() => set(names.cursor, last)) };
  }

  function changed(limit: number): MovePage | null {
    const found = changes.all(limit);
    const last = found.at(-1)?.['seq'];
    if (last === undefined) return null;
    const ids = found.map(({ id }) => String(id));
    const rows: Row[] = byId.all(JSON.stringify(ids));
    const there = new Set(rows.map(({ id }) => id));
    return {
      rows,
      gone: ids.filter((id) => !there.has(id)),
      more: found.length === limit,
      // One that changed again meanwhile has a higher number by now, and stays.
      copied: () => commits.run(() => void db.prepare('DELETE FROM move_change WHERE seq <= ?').run(last)),
    };
  }

  return {
    get id() {
      return setting(db, names.id) ?? '';
    },
    total: () => count(''),
    copied: () => count('WHERE id <= ?', cursor()),
    restart,
    next: (limit) => walked(limit) ?? changed(limit),
    seal: () => commits.run(() => set(names.sealed, to)),
  };
}

function setting(db: DatabaseSync, name: string): string | null {
  const value = db.prepare('SELECT value FROM setting WHERE name = ?').get(name)?.['value'];
  return value === undefined ? null : String(value);
}
