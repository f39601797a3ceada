/**
 * Jobs: bulk operations that are accepted now and run later by the clock, with an error log entry for each failed
 * item.
 */
import type { JobRow } from '../store/jobs.ts';
import type { PublicationRow } from '../store/workspace.ts';
import { importSubscriptions, type JobResult, updateInBulk, updateStatuses } from './bulk-updates.ts';
import type { Note, World } from './world.ts';

/** Does the work of a job, its `params` parsed. */
type JobHandler = (world: World, publication: PublicationRow, params: unknown, note: Note) => JobResult;

const jobHandlers = {
  bulk: updateInBulk,
  status: updateStatuses,
  import: importSubscriptions,
} as const satisfies Record<string, JobHandler>;

export type JobType = keyof typeof jobHandlers;

/** How long a job waits, and how long it then works, in milliseconds of the sandbox's clock. */
export const jobTimes = { pending: 1000, processing: 1000 } as const;

/** Accepts a job. */
export function acceptJob(world: World, publication: PublicationRow, type: JobType, params: unknown): JobRow {
  const { store, clock, ids } = world;
  const seq = store.next('job');
  const now = clock.seconds();
  const job: JobRow = {
    seq,
    id: ids.uuid('job', seq),
    publication_id: publication.id,
    type,
    params: JSON.stringify(params),
    status: 'pending',
    failure_reason: null,
    error_log: '[]',
    created: now,
    updated: now,
    completed: null,
  };
  store.jobs.insert(job);
  store.due.schedule(clock.now() + jobTimes.pending, 'job.started', seq);
  return job;
}

/** A pending job begins. */
export function startJob(world: World, seq: number): void {
  world.store.jobs.setStatus(seq, 'processing', world.clock.seconds());
  world.store.due.schedule(world.clock.now() + jobTimes.processing, 'job.finished', seq);
}

/** Runs a job in one transaction. It has failed where none of its items could be applied. */
export function finishJob(world: World, seq: number, note: Note): void {
  const { jobs, workspace } = world.store;
  const job = jobs.bySeq(seq);
  const publication = job && workspace.publication(job.publication_id);
  if (!job || !publication) return;
  const params: unknown = JSON.parse(job.params);
  const { items, failed, errors } = jobHandlers[job.type as JobType](world, publication, params, note);
  const nothing = items > 0 && failed === items;
  jobs.finish(
    seq,
    {
      status: nothing ? 'failed' : 'complete',
      failure_reason: nothing ? 'Nothing of it could be applied; error_log says why.' : null,
      error_log: JSON.stringify(errors),
    },
    world.clock.seconds(),
  );
  // No operation shows an import, and its rows hold addresses.
  if (job.type === 'import') jobs.setParams(seq, '{}');
}
