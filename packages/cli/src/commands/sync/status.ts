/** `newsletter sync status`: prints what the last run has stored. */
import { readSettings, requirePublication } from '../../connection.ts';
import { exitCodes, type ExitCode, type Session } from '../../context.ts';
import { writeToStdout } from '../../output.ts';
import { statusText } from './report.ts';
import { readSyncSettings, withDatabase, type SyncOptions } from './session.ts';

export interface StatusOptions extends SyncOptions {
  /** Prints the consent trail instead. */
  readonly printsConsent: boolean;
}

export async function status(options: StatusOptions, { env, report }: Session): Promise<ExitCode> {
  const settings = await readSyncSettings(options, env);
  const { publicationId } = await readSettings(options.connection, env);
  const sync = { ...settings, publicationId: requirePublication(publicationId) };
  return await withDatabase(sync, async (database) => {
    if (options.printsConsent) {
      for await (const line of database.consentTrail()) await writeToStdout(`${JSON.stringify(line)}\n`);
      return exitCodes.done;
    }
    const { lastRun, tokens, state } = await database.read();
    const { watermark } = state;
    report.result(statusText(settings.config.name, { lastRun, tokens, watermark }, Date.now()));
    return lastRun && (lastRun.held || Object.keys(lastRun.findings).length > 0)
      ? exitCodes.needsAttention
      : exitCodes.done;
  });
}
