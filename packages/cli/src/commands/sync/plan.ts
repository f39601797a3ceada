/** `newsletter sync plan`: prints what a run would do. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { UsageError } from '#command-line';
import { exitCodes, type ExitCode, type Session } from '../../context.ts';
import { planSummary, reportChanges, reportFindings, reportHeld, requiredFinding } from './report.ts';
import type { ShownPlan } from './planned-run.ts';
import { connectBoth, planFirstRun, planRun, withDatabase, type SyncOptions } from './session.ts';

export interface PlanOptions extends SyncOptions {
  /** An NDJSON file that stands for the database. */
  readonly contacts: string | undefined;
  /** Most changes to list. Default: 20, all with `isJson`. */
  readonly changes: number | undefined;
  /** Cuts addresses to their first letter and their domain. */
  readonly shortAddresses: boolean;
}

export async function plan(options: PlanOptions, session: Session): Promise<ExitCode> {
  const { contacts, shortAddresses, isJson, changes = isJson ? Number.MAX_SAFE_INTEGER : 20 } = options;
  const sync = await connectBoth(options, session, contacts === undefined);
  const print = async (planned: ShownPlan, required: readonly string[] = []): Promise<ExitCode> => {
    async function* findings() {
      yield* planned.findings();
      if (planned.counts.contactCreates > 0) yield required.map(requiredFinding);
    }
    await reportChanges(session.report, planned, { limit: changes, shortAddresses });
    const found = await reportFindings(session.report, findings(), { isJson });
    session.report.result(planSummary(planned));
    reportHeld(session.report, planned);
    return planned.held || Object.keys(found).length > 0 ? exitCodes.needsAttention : exitCodes.done;
  };
  return contacts === undefined
    ? await withDatabase(sync, async (database) =>
        print((await planRun(sync, database, false)).planned, database.requiredColumns),
      )
    : await print(await planFirstRun(sync, readRecords(contacts)));
}

/** The records of an NDJSON file. */
async function* readRecords(path: string): AsyncGenerator {
  let line = 0;
  const input = createReadStream(path);
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      line += 1;
      if (text.trim() === '') continue;
      let record: unknown;
      try {
        record = JSON.parse(text);
      } catch {
        throw new UsageError(`${path}: line ${line} is not valid JSON. Write one contact per line (NDJSON).`);
      }
      yield record;
    }
  } finally {
    input.destroy();
  }
}
