/** Reports of a sync: changes, findings and counts, for people and for programs. No addresses, no values. */
import type { Finding, SyncCounts, SyncPlan, SyncProgress, SyncState } from '@newsletter-kit/core/sync';
import { count, duration, number, type ReportedEvent, type Reporter } from '../../output.ts';
import { tokenPath } from './config.ts';
import type { WriteRefusal, WriteResult } from './contact-writer.ts';
import type { PlannedRun, PlanPart } from './planned-run.ts';

/** A finding of the planner, or one about a contact that PostgreSQL refused. */
export type SyncFinding = Omit<Finding, 'code'> & { readonly code: Finding['code'] | 'contact_refused' };

/** What is stored of a run for `status`. */
export interface LastRun {
  /** ISO 8601. */
  readonly at: string;
  readonly held: SyncPlan['held'];
  readonly counts: SyncCounts;
  readonly written: Written;
  /** How often each code was found. */
  readonly findings: Readonly<Record<string, number>>;
  /** Contacts, or subscriptions of contacts to create, that PostgreSQL refused. */
  readonly refused: readonly string[];
}

/** What a run has written. */
export interface Written extends Omit<WriteResult, 'refused'> {
  readonly subscriptionsUpdated: number;
  readonly subscriptionsCreated: number;
  readonly failed: number;
  readonly refused: number;
}

/** A refusal as a finding. @param known - refusals of the previous run */
export function refusedFinding({ reason, ...id }: WriteRefusal, known: ReadonlySet<string>): SyncFinding {
  return {
    code: 'contact_refused',
    message: 'PostgreSQL refused the contact; values and token stay as they were.',
    remedy: 'Correct the value, the column or the constraint. The next run tries again.',
    isNew: !known.has(refusalKey({ ...id, reason })),
    ...id,
    side: 'crm',
    detail: reason,
  };
}

export const refusalKey = ({ contactId, subscriptionId }: WriteRefusal): string => contactId ?? subscriptionId ?? '';

export function progressText({ phase, done, of }: SyncProgress): ReportedEvent {
  const texts = {
    contacts: `${count(done, 'contact')} read`,
    subscriptions: `${count(done, 'subscription')} read`,
    writing: `${count(done, 'change')} of ${number(of ?? done)} sent to the newsletter`,
  };
  return { type: 'progress', text: texts[phase], data: { phase, done, of: of ?? null } };
}

/** Lists the changes of a plan. @param limit - how many of them */
export async function reportChanges(report: Reporter, { size, parts }: PlannedRun, limit: number): Promise<void> {
  let listed = 0;
  for await (const part of parts()) {
    if (listed >= limit) break;
    for (const change of changesOf(part)) if ((listed += 1) <= limit) report.result(change);
  }
  const total = size.newsletter + size.contacts;
  if (total > limit)
    report.notice({
      type: 'more_changes',
      text: `… and ${count(total - limit, 'more change', 'more changes')}; --changes ${total} lists all.`,
      data: { left: total - limit },
    });
}

function* changesOf({ pairs, contactCreates, subscriptionCreates }: PlanPart): Generator<ReportedEvent> {
  for (const { situation, subscriptionWrites, contactWrites } of pairs) {
    for (const { subscription_id, unsubscribe, custom_fields = [] } of subscriptionWrites) {
      const fields = [...(unsubscribe ? ['unsubscribe'] : []), ...custom_fields.map(({ name }) => name)];
      const place = { situation, side: 'newsletter', action: 'update', subscription_id };
      yield change(`subscription ${subscription_id}`, place, fields);
    }
    for (const { id, changes } of contactWrites) {
      const place = { situation, side: 'crm', action: 'update', contact_id: id };
      yield change(`contact ${id}`, place, Object.keys(changes));
    }
  }
  for (const { situation, subscriptionId, changes } of contactCreates) {
    const fields = Object.keys(changes).filter((field) => field !== tokenPath);
    const place = { situation, side: 'crm', action: 'create', subscription_id: subscriptionId };
    yield change(`contact for ${subscriptionId}`, place, fields);
  }
  for (const { situation, contactId, request } of subscriptionCreates) {
    const fields = (request.custom_fields ?? []).map(({ name }) => name);
    const place = { situation, side: 'newsletter', action: 'create', contact_id: contactId };
    yield change(`subscription for contact ${contactId}`, place, fields);
  }
}

function change(
  what: string,
  place: Readonly<Record<'situation' | 'side' | 'action', string>>,
  fields: readonly string[],
): ReportedEvent {
  const list = fields.length > 0 ? fields.join(', ') : 'nothing but the sync token';
  return {
    type: 'change',
    text: `${place.situation.padEnd(22)}${place.action} ${what}: ${list}`,
    data: { ...place, fields },
  };
}

/** Contacts and subscriptions listed per finding, in the output for people. */
const mostPlaces = 20;

/** Findings of one code. */
interface FoundOften {
  readonly first: SyncFinding;
  readonly places: string[];
  found: number;
  fresh: number;
}

/**
 * People get each code once, with its places; programs get an event for each finding.
 *
 * @returns how often each code was found
 */
export async function reportFindings(
  report: Reporter,
  parts: AsyncIterable<readonly SyncFinding[]> | Iterable<readonly SyncFinding[]>,
  { isJson, onlyNew = false }: { readonly isJson: boolean; readonly onlyNew?: boolean },
): Promise<LastRun['findings']> {
  const counts: Record<string, number> = {};
  const byCode = new Map<string, FoundOften>();
  for await (const findings of parts)
    for (const finding of findings) {
      counts[finding.code] = (counts[finding.code] ?? 0) + 1;
      if (onlyNew && !finding.isNew) continue;
      if (isJson) report.result(findingEvent(finding));
      else {
        const same = byCode.get(finding.code) ?? { first: finding, places: [], found: 0, fresh: 0 };
        byCode.set(finding.code, same);
        if ((same.found += 1) <= mostPlaces) same.places.push(`    ${placeOf(finding)}`);
        if (finding.isNew) same.fresh += 1;
      }
    }
  for (const [code, { first, places, found, fresh }] of byCode) {
    if (found > mostPlaces) places.push(`    … and ${number(found - mostPlaces)} more; --json lists all.`);
    report.result({
      type: 'finding',
      text: [`${code}: ${number(found)}, ${number(fresh)} new. ${first.message}`, `  ${first.remedy}`, ...places].join(
        '\n',
      ),
    });
  }
  return counts;
}

function findingEvent({ isNew, contactId, subscriptionId, ...rest }: SyncFinding): ReportedEvent {
  return {
    type: 'finding',
    text: '',
    data: { ...rest, is_new: isNew, contact_id: contactId ?? null, subscription_id: subscriptionId ?? null },
  };
}

function placeOf({ row, contactId, subscriptionId, field, side, detail }: SyncFinding): string {
  const parts = [
    contactId !== undefined && `contact ${contactId}`,
    contactId === undefined && row !== undefined && `row ${row}`,
    subscriptionId !== undefined && `subscription ${subscriptionId}`,
    field !== undefined && `field ${field}`,
    side !== undefined && field !== undefined && `in the ${side === 'crm' ? 'contact' : 'newsletter'}`,
  ];
  return `${parts.filter(Boolean).join(', ')}${detail === undefined ? '' : `: ${detail}`}`;
}

const accept = 'run newsletter sync apply --accept to carry it out once.';
const heldRemedies = {
  too_many_changes: `Look at the changes that newsletter sync plan lists; where they are right, ${accept}`,
  too_many_creations: `Where these are all contacts, ${accept}`,
  field_missing: `Correct the mapping, or create the field again; where the plan is right without it, ${accept}`,
  state_full: `Where both sides are complete, ${accept}`,
} as const satisfies Readonly<Record<NonNullable<SyncPlan['held']>['reason'], string>>;

/** Reports why a plan is held back, and what to do. */
export function reportHeld(report: Reporter, { held }: Pick<SyncPlan, 'held'>): void {
  if (!held) return;
  report.result({
    type: 'held',
    text: `Held back: ${held.message} Only opt-outs are carried to contacts. ${heldRemedies[held.reason]}`,
    data: { reason: held.reason, message: held.message },
  });
}

export function planSummary({ counts, held }: PlannedRun): ReportedEvent {
  const parts = [
    `${count(counts.contactCreates, 'contact')} to create`,
    `${number(counts.contactUpdates)} to update`,
    `${count(counts.subscriptionCreates, 'subscription')} to create`,
    `${number(counts.subscriptionUpdates)} to update, ${number(counts.unsubscribes)} of them to unsubscribe`,
    `${count(counts.findings, 'finding')}, ${number(counts.newFindings)} new`,
  ];
  return {
    type: 'plan',
    text: `${seen(counts)}: ${parts.join(' · ')}.`,
    data: { ...snake(counts), held: held?.reason ?? null },
  };
}

export function appliedSummary({ counts, written, findings, held }: LastRun): ReportedEvent {
  const found = Object.values(findings).reduce((sum, each) => sum + each, 0);
  const parts = [
    `${count(written.created, 'contact')} created`,
    `${number(written.updated)} updated`,
    `${count(written.subscriptionsCreated, 'subscription')} created`,
    `${number(written.subscriptionsUpdated)} updated`,
    written.skipped > 0 && `${count(written.skipped, 'contact')} changed meanwhile and left to the next run`,
    written.refused > 0 && `${count(written.refused, 'contact')} refused`,
    written.failed > 0 && `${count(written.failed, 'subscription')} refused`,
    count(found, 'finding'),
  ];
  return {
    type: 'applied',
    text: `${seen(counts)}: ${parts.filter(Boolean).join(' · ')}.`,
    data: { ...snake({ ...written }), counts: snake(counts), findings, held: held?.reason ?? null },
  };
}

/** @param now - milliseconds since the Unix epoch */
export function statusText(name: string, { lastRun, tokens, watermark }: StatusData, now: number): ReportedEvent {
  const age = (ms: number): string => `${duration(Math.max(0, now - ms))} ago`;
  const findings = Object.entries(lastRun?.findings ?? {});
  const lines = [
    `Sync ${name}`,
    `  last run   ${lastRun ? `${lastRun.at}, ${age(Date.parse(lastRun.at))}` : 'none'}`,
    ...(lastRun ? [`  result     ${appliedSummary(lastRun).text}`] : []),
    `  held back  ${lastRun?.held ? lastRun.held.message : 'nothing'}`,
    `  tokens     ${count(tokens, 'linked contact')}`,
    `  watermark  ${watermark === null ? 'none: no complete run yet' : `${new Date(watermark * 1000).toISOString()}, ${age(watermark * 1000)}`}`,
    `  findings   ${findings.length === 0 ? 'none' : findings.map(([code, found]) => `${code}: ${found}`).join(', ')}`,
  ];
  return {
    type: 'status',
    text: lines.join('\n'),
    data: {
      name,
      last_run: lastRun?.at ?? null,
      written: lastRun ? snake({ ...lastRun.written }) : null,
      counts: lastRun ? snake(lastRun.counts) : null,
      held: lastRun?.held ?? null,
      findings: lastRun?.findings ?? {},
      tokens,
      watermark,
    },
  };
}

export interface StatusData {
  readonly lastRun: LastRun | null;
  readonly tokens: number;
  readonly watermark: SyncState['watermark'];
}

const seen = ({ contacts, subscriptions, pairs }: SyncCounts): string =>
  `${count(contacts, 'contact')}, ${count(subscriptions, 'subscription')}, ${count(pairs, 'pair')}`;

/** The names of events are those of the API's style. */
function snake(values: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]: [string, unknown]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}
