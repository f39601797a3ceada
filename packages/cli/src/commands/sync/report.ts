/** Reports of a sync: changes, findings and counts, for people and for programs. No addresses, no values. */
import type { Finding, SyncCounts, SyncPlan, SyncProgress, SyncState } from '@newsletter-kit/core/sync';
import { count, duration, number, type ReportedEvent, type Reporter } from '../../output.ts';
import { tokenPath } from './config.ts';
import type { WriteRefusal, WriteResult } from './contact-writer.ts';

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

/** How often each code was found. */
export function countFindings(findings: readonly SyncFinding[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { code } of findings) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

export function progressText({ phase, done, of }: SyncProgress): ReportedEvent {
  const texts = {
    contacts: `${count(done, 'contact')} read`,
    subscriptions: `${count(done, 'subscription')} read`,
    writing: `${count(done, 'change')} of ${number(of ?? done)} sent to the newsletter`,
  };
  return { type: 'progress', text: texts[phase], data: { phase, done, of: of ?? null } };
}

/** Lists the changes of a plan. @param limit - how many of them */
export function reportChanges(report: Reporter, plan: SyncPlan, limit: number): void {
  const changes = [...changesOf(plan)];
  for (const change of changes.slice(0, limit)) report.result(change);
  if (changes.length > limit)
    report.notice({
      type: 'more_changes',
      text: `… and ${count(changes.length - limit, 'more change', 'more changes')}; --changes ${changes.length} lists all.`,
      data: { left: changes.length - limit },
    });
}

function* changesOf({ pairs, contactCreates, subscriptionCreates }: SyncPlan): Generator<ReportedEvent> {
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

/** People get each code once, with its places; programs get an event for each finding. */
export function reportFindings(report: Reporter, findings: readonly SyncFinding[], isJson: boolean): void {
  if (isJson) {
    for (const { isNew, contactId, subscriptionId, ...rest } of findings)
      report.result({
        type: 'finding',
        text: '',
        data: { ...rest, is_new: isNew, contact_id: contactId ?? null, subscription_id: subscriptionId ?? null },
      });
    return;
  }
  const byCode = new Map<string, SyncFinding[]>();
  for (const finding of findings) {
    const same = byCode.get(finding.code);
    if (same) same.push(finding);
    else byCode.set(finding.code, [finding]);
  }
  for (const [code, same] of byCode) {
    const [first] = same;
    if (!first) continue;
    const fresh = same.filter(({ isNew }) => isNew).length;
    const places = same.slice(0, mostPlaces).map((finding) => `    ${placeOf(finding)}`);
    if (same.length > mostPlaces) places.push(`    … and ${number(same.length - mostPlaces)} more; --json lists all.`);
    report.result({
      type: 'finding',
      text: [
        `${code}: ${number(same.length)}, ${number(fresh)} new. ${first.message}`,
        `  ${first.remedy}`,
        ...places,
      ].join('\n'),
    });
  }
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

export function planSummary({ counts, held }: SyncPlan): ReportedEvent {
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
