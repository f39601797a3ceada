/** The side of a move that is moved into: rows as they are, one transaction a page. */
import type { Db } from 'pg-boss';
import { StartupError } from '../../startup-error.ts';
import type { MoveTarget } from '../move.ts';
import { storeName } from '../open-store.ts';
import type { Row } from '../rows.ts';
import { openDatabase, type DatabaseOptions } from './open-database.ts';
import { inOurWords, PostgresStore } from './postgres-store.ts';
import { moving, sql } from './statements.ts';

/** @throws StartupError where it cannot be reached or used */
export async function openMoveTarget(url: string, options: DatabaseOptions = {}): Promise<MoveTarget> {
  const place = storeName({ kind: 'postgres', url });
  const database = await openDatabase(url, { ...options, name: moving.application });
  const value = async (db: Db, name: string): Promise<string | null> => {
    const [found] = (await db.executeSql(sql.setting, [name])).rows as Row[];
    return found ? String(found['value']) : null;
  };
  const written = <T>(work: (db: Db) => Promise<T>): Promise<T> =>
    inOurWords('written', () => database.transaction(work));
  const checkOurs = async (db: Db, id: string): Promise<void> => {
    if ((await value(db, moving.from)) !== id)
      throw new StartupError(`The store ${place} is no longer that of this move: name an empty one.`);
  };

  return {
    begin: (id) =>
      written(async (db) => {
        await db.executeSql(sql.lockTables);
        const [others] = (await db.executeSql(moving.relays)).rows as Row[];
        if (Number(others?.['count']) > 0)
          throw new StartupError(
            `A relay is using the store ${place}: stop it, or name an empty database that none uses.`,
          );
        const from = await value(db, moving.from);
        if (from === id) return;
        if (from !== null)
          throw new StartupError(
            `Another file is being moved into the store ${place}: end that move, or name an empty database.`,
          );
        const [any] = (await db.executeSql(moving.any)).rows as Row[];
        if (any)
          throw new StartupError(
            `The store ${place} is not empty: signups are moved only into an empty one, so that none is mixed up. Name another database.`,
          );
        await db.executeSql(sql.set, [moving.from, id]);
      }),
    knows: (id) => written(async (db) => (await value(db, moving.from)) === id),
    total: () => inOurWords('read', async () => Number((await database.query(moving.total))[0]?.['count'])),
    write: (id, { rows, gone }) =>
      written(async (db) => {
        await checkOurs(db, id);
        if (rows.length > 0) await db.executeSql(moving.upsert, [JSON.stringify(rows.map(withoutNul))]);
        if (gone.length > 0) await db.executeSql(moving.remove, [[...gone]]);
      }),
    setPaused: (paused) => written(async (db) => void (await db.executeSql(sql.set, ['paused', String(paused)]))),
    finish: (id) =>
      written(async (db) => {
        // Once more, where it was finished already, is no mistake.
        if ((await value(db, moving.done)) === id) return;
        await checkOurs(db, id);
        await db.executeSql(sql.set, [moving.done, id]);
        await db.executeSql(moving.end);
      }),
    open: () => new PostgresStore(database),
    close: () => database.close(),
  };
}

/** PostgreSQL's texts have no NUL. */
function withoutNul(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'string' ? value.replaceAll('\0', '') : value]),
  );
}
