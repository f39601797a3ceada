/** `newsletter-relay move`: everything a file keeps into PostgreSQL, while signups keep coming. */
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Operator } from '../ops/operator.ts';
import { moveAddress, moveAddressRule } from '../settings.ts';
import { StartupError, StoreMovedError } from '../startup-error.ts';
import type { MoveProgress } from '../store/move.ts';
import { UsageError, type Command } from './command.ts';
import { withOperator } from './with-operator.ts';

/** How often it is asked how far the move is, in milliseconds. */
const lookMs = 300;

/** Names the new store where a command line would show its password to everybody on the machine. */
const variable = 'RELAY_MOVE_TO';

export const moveCommand: Command = {
  about:
    'move everything from the file into PostgreSQL while signups keep coming; again after an interruption, it goes on',
  options: {
    to: {
      about: `The new store, an empty database. ${variable} says it too, and no list of processes shows that`,
      value: 'postgres://user:password@host:5432/database',
    },
  },
  async run({ values }) {
    const to = moveAddress(values['to'] ?? process.env[variable]?.trim() ?? '');
    if (to === null)
      throw new UsageError(`${values['to'] === undefined ? `${variable}, or --to,` : '--to'} ${moveAddressRule}.`);
    try {
      await withOperator((operator) => follow(operator, to));
    } catch (error) {
      if (!(error instanceof StoreMovedError)) throw error;
      await finish(to, error);
    }
  },
};

/** Tells how far it is, until it is over. @throws StartupError where it failed */
async function follow(operator: Operator, to: string): Promise<void> {
  let told = '';
  for (let at: MoveProgress | null = await operator.move(to); at; at = await operator.moving()) {
    if (at.state === 'begun') break;
    if (at.state === 'failed') throw new StartupError(at.reason ?? 'The move failed.');
    if (at.state === 'done') return done(`${at.total} signups are moved to ${at.to}`);
    const line = at.total === 0 ? '' : `${Math.floor((100 * at.copied) / at.total)} %  ${at.copied} of ${at.total}\n`;
    if (line !== told) process.stdout.write(line);
    told = line;
    await sleep(lookMs);
  }
  throw new StartupError('The relay was restarted in the middle of the move. Move again: it goes on where it was.');
}

/** The file was left for good, and only the new store was not told any more. */
async function finish(to: string, moved: StoreMovedError): Promise<void> {
  const { openMoveTarget } = await import('../store/open-store.ts');
  const target = await openMoveTarget(to);
  try {
    await target.finish(moved.move);
  } catch (error) {
    // Not the place it was moved to: say where that is.
    if (error instanceof StartupError) throw moved;
    throw new StartupError(error instanceof Error ? error.message : String(error), { cause: error });
  } finally {
    await target.close();
  }
  done('Everything is moved');
}

function done(what: string): void {
  process.stdout.write(
    `${what}. Set RELAY_STORE to it before the next start, with RELAY_OPERATOR_TOKEN and, where something is signed, RELAY_SECRET. The old file still holds addresses: delete it when you no longer need it.\n`,
  );
}
