/**
 * The frame of a task: its exit code, and a plain sentence instead of a stack trace where a person can mend what is
 * wrong.
 */
import { Complaint } from '../bring/complaint.mjs';

/** @param work - resolves to true where the task succeeded */
export async function task(work: () => Promise<boolean>): Promise<void> {
  try {
    process.exitCode = (await work()) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof Complaint)) throw error;
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}
