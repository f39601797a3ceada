/** `newsletter-relay import`: reads an export into the configured store. */
import { accessSync, constants, createReadStream, statSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { readConfig } from '../config.ts';
import { StartupError } from '../startup-error.ts';
import { storeName } from '../store/address.ts';
import { UsageError, type Command } from './command.ts';

/** Mistakes that are named at a time. */
const mostMistakes = 10;

/** Lines between two lines of progress. */
const tellEvery = 20_000;

export const importCommand: Command = {
  about: 'read an export into the store; what is there already stays as it is, so once more adds nothing',
  takes: '[FILE]',
  async run({ words }) {
    const [file = '-', ...more] = words;
    if (more.length > 0) throw new UsageError('Give one file, or none to read standard input.');
    if (file !== '-') checkReadable(file);
    const config = readConfig(process.env);
    // Loaded only now: an old Node lacks what it stands on, and is told so first.
    const { openStore } = await import('../store/open-store.ts');
    const { BadLineError, importLines, mistakesIn } = await import('../store/transfer.ts');
    // Before anything is read: a running relay holds the file, and nothing must be asked of it here.
    const store = await openStore(config.store);
    try {
      if (file !== '-') {
        const mistakes = await mistakesIn(linesOf(createReadStream(file)), mostMistakes);
        if (mistakes.length > 0)
          throw new StartupError(
            [`Nothing was imported, since ${file} has mistakes:`, ...mistakes.map(({ message }) => message)].join(
              '\n  - ',
            ),
          );
      }
      let told = 0;
      const { signups, added, consents } = await importLines(
        store,
        linesOf(file === '-' ? process.stdin : createReadStream(file)),
        (progress) => {
          const lines = progress.signups + progress.consents;
          if (lines < told + tellEvery) return;
          told = lines;
          process.stderr.write(`${lines} lines read, ${progress.added} signups added\n`);
        },
      );
      process.stdout.write(
        `Read: ${signups} signups, of which ${added} were new, and ${consents} entries of the consent ledger, into ${storeName(config.store)}.\n`,
      );
    } catch (error) {
      if (!(error instanceof BadLineError)) throw error;
      throw new StartupError(
        `${error.message} The lines before it may be imported: correct it and import everything again, which adds nothing twice.`,
        { cause: error },
      );
    } finally {
      await store.close();
    }
  },
};

/** @throws StartupError */
function checkReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
    if (!statSync(file).isDirectory()) return;
  } catch {
    // Said below.
  }
  throw new StartupError(`The file ${file} cannot be read: see that it exists, is no folder, and may be read.`);
}

function linesOf(input: Readable): AsyncIterable<string> {
  return createInterface({ input, crlfDelay: Infinity });
}
