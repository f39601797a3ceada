/** `newsletter-relay import`: reads an export into the configured store, or into the relay that `--remote` names. */
import { accessSync, constants, createReadStream, statSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Command } from '@commander-js/extra-typings';
import { collectList } from '#command-line';
import { readStoreConfig } from '../config/read.ts';
import { storeName } from '../config/store-address.ts';
import { remoteRelay, type RunningRelay, withStore } from './with-operator.ts';
import { StartupError } from '../errors.ts';
import type { SignupStore } from '../store/signup-store.ts';

/** Problems of a file that are named at a time. */
const mostProblems = 10;

/** Lines between two lines of progress. */
const progressEvery = 20_000;

export function define(command: Command) {
  return command
    .argument('[file]', 'the export; without it, or with -, stdin', '-')
    .option('--form <names>', 'only what came through these forms, with commas between their names', collectList)
    .action((file, { form }) => importFile(file, form, remoteRelay(command)));
}

async function importFile(
  file: string,
  forms: readonly string[] | undefined,
  remote: RunningRelay | null,
): Promise<void> {
  if (file !== '-') checkReadable(file);
  if (remote) return readInto(remote.operator, remote.address, file, forms);
  const { store: address } = readStoreConfig(process.env);
  // Opened before the input is read: where a running relay holds the store, the import fails at once.
  return withStore(address, (store) => readInto(store, storeName(address), file, forms));
}

async function readInto(
  target: Pick<SignupStore, 'load'>,
  name: string,
  file: string,
  forms: readonly string[] | undefined,
): Promise<void> {
  const { BadLineError, importLines, errorsIn } = await import('../store/transfer.ts');
  const problems = file === '-' ? [] : await errorsIn(linesOf(createReadStream(file)), mostProblems);
  if (problems.length > 0)
    throw new StartupError(
      [`Nothing was imported, since ${file} has errors:`, ...problems.map(({ message }) => message)].join('\n  - '),
    );
  let reported = 0;
  const lines = linesOf(file === '-' ? process.stdin : createReadStream(file));
  try {
    const { signups, added, consents } = await importLines(target, lines, {
      forms,
      onProgress(progress) {
        const read = progress.signups + progress.consents;
        if (read < reported + progressEvery) return;
        reported = read;
        process.stderr.write(`${read} lines read, ${progress.added} signups added\n`);
      },
    });
    process.stdout.write(
      `Read: ${signups} signups, of which ${added} were new, and ${consents} entries of the consent ledger, into ${name}.\n`,
    );
  } catch (error) {
    if (!(error instanceof BadLineError)) throw error;
    throw new StartupError(
      `${error.message} The lines before it may be imported: correct it and import everything again, which adds nothing twice.`,
      { cause: error },
    );
  }
}

/** @throws StartupError */
function checkReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
    if (!statSync(file).isDirectory()) return;
  } catch {
    // Reported below.
  }
  throw new StartupError(`The file ${file} cannot be read: check that it exists, is not a folder, and may be read.`);
}

async function* linesOf(input: Readable): AsyncGenerator<string> {
  try {
    yield* createInterface({ input, crlfDelay: Infinity });
  } finally {
    input.destroy();
  }
}
