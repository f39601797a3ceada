/** Runs a task and sets the exit code. A user error is printed without its stack. */
import { UserError } from '../setup/user-error.mjs';

/** @param work - resolves to true where the task succeeded */
export async function task(work: () => Promise<boolean>): Promise<void> {
  try {
    process.exitCode = (await work()) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}
