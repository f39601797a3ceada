/** The circuit breaker of a sync: holds back a plan that changes too much until a person accepts it. Pure. */
import type { DraftPlan, SyncRun } from './draft-plan.ts';
import { mostEntries } from './state.ts';
import type { Held, SyncCounts } from './sync-plan.ts';

/** Why a plan is held back; null where it passes. */
export function holdBack(run: SyncRun, draft: DraftPlan, counts: SyncCounts): Held | null {
  return missingFields(run) ?? tooManyChanges(run, counts) ?? tooManyCreations(run, counts) ?? fullState(draft);
}

function missingFields({ mapping, contacts, log }: SyncRun): Held | null {
  const absent = contacts.size > 0 && !mapping.missingIsEmpty ? [...contacts.missingFields] : [];
  const missing = [...new Set([...mapping.vanished, ...absent])];
  for (const field of missing) log.report('field_missing', { field });
  if (missing.length === 0) return null;
  return {
    reason: 'field_missing',
    message: [
      ...mapping.vanished.map((field) => `The publication no longer has the custom field mapped to "${field}".`),
      ...absent.map((field) => `No contact has the mapped field "${field}".`),
    ].join(' '),
  };
}

function tooManyChanges({ mapping: { breaker } }: SyncRun, counts: SyncCounts): Held | null {
  const { pairs, unsubscribes, clears, removals } = counts;
  const most = Math.max(breaker.atLeast, breaker.share * pairs);
  if (unsubscribes + clears + removals <= most) return null;
  return {
    reason: 'too_many_changes',
    message: `The plan unsubscribes ${unsubscribes}, clears values of ${clears} and marks ${removals} as removed, of ${pairs} pairs; at most ${Math.floor(most)} pass without a person who accepts them.`,
  };
}

/** A list of contacts that was cut short makes many creations. An empty CRM is filled without asking. */
function tooManyCreations({ mapping: { breaker } }: SyncRun, { contacts, contactCreates }: SyncCounts): Held | null {
  if (contacts === 0 || contactCreates <= Math.max(breaker.atLeast, contacts)) return null;
  return {
    reason: 'too_many_creations',
    message: `The plan creates ${contactCreates} contacts, and only ${contacts} came in. Check that these are all there are.`,
  };
}

function fullState({ missing, erased, attempts }: DraftPlan): Held | null {
  if ([missing.size, erased.size, Object.keys(attempts).length].every((size) => size <= mostEntries)) return null;
  return {
    reason: 'state_full',
    message: `More than ${mostEntries} contacts or subscriptions are missing at once. Check that both sides were read completely.`,
  };
}
