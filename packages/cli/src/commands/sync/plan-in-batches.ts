/** Plans a run with contacts in PostgreSQL, batch by batch: its size is limited by the database alone. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  createReconciler,
  readMapping,
  subscriptionPages,
  type PlanSyncOptions,
  type ReadyMapping,
  type SyncState,
} from '@newsletter-kit/core/sync';
import type { SyncDatabase } from './database.ts';
import type { PlannedRun } from './planned-run.ts';

export interface BatchedPlanOptions extends Omit<PlanSyncOptions, 'contacts' | 'scope' | 'key'> {
  readonly call: { readonly signal: AbortSignal };
}

/** Reads both sides into the database, subscriptions first, and plans. */
export async function planInBatches(database: SyncDatabase, options: BatchedPlanOptions): Promise<PlannedRun> {
  const { engine, state, accept, onProgress, call } = options;
  const now = engine.host.now();
  const mapping = await readMapping(options);
  const atRest = new Set<string>();
  const onAtRest = (id: string): unknown => atRest.add(id);
  const reconciler = createReconciler({ mapping, state, now, accept, mayBeLate: false, onAtRest });
  const { batches, changes } = await database.openBatches(mapping);
  let seen = 0;
  for await (const { items, leftOut } of subscriptionPages(options)) {
    reconciler.leaveOut(await batches.addSubscriptions(items, true));
    reconciler.leaveOut(await batches.addSubscriptions(leftOut, false));
    seen += items.length;
    onProgress?.({ phase: 'subscriptions', done: seen });
  }
  await database.snapshot(async () => {
    const { of, rest } = await batches.addContacts((done) => {
      call.signal.throwIfAborted();
      onProgress?.({ phase: 'contacts', done });
    });
    call.signal.throwIfAborted();
    for (const record of rest) reconciler.addContact(record);
    onProgress?.({ phase: 'comparing', done: 0, of });
    // What is not known yet may be learned from pairs at rest, too: no print keeps them back.
    const { pairs, newest } = await batches.join(reconciler.needsSurvey ? null : await printOf(mapping, state));
    if (newest !== null) reconciler.addAtRest(pairs, newest);
    if (reconciler.needsSurvey)
      for await (const { contacts, subscriptions } of batches.read())
        reconciler.survey(
          contacts.map(({ record }) => record),
          subscriptions.filter(({ isReadable }) => isReadable).map(({ record }) => record),
        );
    reconciler.endSurvey();
    let compared = pairs;
    onProgress?.({ phase: 'comparing', done: compared, of });
    for await (const { contacts, subscriptions } of batches.read()) {
      call.signal.throwIfAborted();
      for (const { record } of contacts) reconciler.addContact(record);
      for (const { record, isReadable } of subscriptions)
        if (isReadable) reconciler.addSubscriptions([record]);
        else reconciler.leaveOut([record]);
      const byId = new Map(contacts.map((contact) => [contact.id.trim(), contact]));
      await changes.add(reconciler.takeBatch(), (id) => byId.get(id)?.version ?? '');
      await batches.noteAtRest(contacts.filter(({ id, digest }) => digest !== null && atRest.has(id.trim())));
      atRest.clear();
      compared += contacts.length;
      onProgress?.({ phase: 'comparing', done: compared, of });
    }
  });
  return await changes.finish(reconciler.finish());
}

/** Stands for all that decides whether a pair is at rest, beside the pair: settings, answers, the planner itself. */
async function printOf(mapping: ReadyMapping, { optOut }: SyncState): Promise<string> {
  const manifest = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  return createHash('md5')
    .update(JSON.stringify([manifest.version, mapping, optOut]))
    .digest('hex');
}
