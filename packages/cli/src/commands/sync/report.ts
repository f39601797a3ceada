/** Reports of a sync: changes, findings and counts, for people and for programs. Only changes hold addresses. */
import {
  changesOf,
  lineOf,
  summaryOf,
  type Finding,
  type PlannedChange,
  type SyncCounts,
  type SyncPlan,
  type SyncProgress,
  type SyncState,
} from '@newsletter-kit/core/sync';
import { count, duration, number, type ReportedEvent, type Reporter } from '../../output.ts';
import type { ContactWriter, WriteRefusal } from './contact-writer.ts';
import type { ShownPlan } from './planned-run.ts';

/** A finding of the planner, or one about a contact that PostgreSQL refused, or would refuse. */
export type SyncFinding = Omit<Finding, 'code'> & {
  readonly code: Finding['code'] | 'contact_refused' | 'column_required';
};

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
export type Written = ContactWriter['done'] &
  Readonly<Record<'subscriptionsUpdated' | 'subscriptionsCreated' | 'failed', number>>;

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

/** A column that makes PostgreSQL refuse every new contact. */
export function requiredFinding(column: string): SyncFinding {
  return {
    code: 'column_required',
    message: 'PostgreSQL would refuse every new contact, because it gives a required column no value.',
    remedy: 'Give the column a default, map a field to it, or set situations.newSubscription to leave.',
    isNew: true,
    side: 'crm',
    detail: `column ${column}`,
  };
}

export const refusalKey = ({ contactId, subscriptionId }: WriteRefusal): string => contactId ?? subscriptionId ?? '';

/** How far a run of the planner is, or the writing of contacts. */
type RunProgress = Omit<SyncProgress, 'phase'> & { readonly phase: SyncProgress['phase'] | 'contacts_written' };

export function progressText({ phase, done, of }: RunProgress): ReportedEvent {
  const texts = {
    contacts: `${count(done, 'contact')} read`,
    subscriptions: `${count(done, 'subscription')} read`,
    comparing: `${count(done, 'contact')} of ${number(of ?? done)} compared`,
    writing: `${count(done, 'change')} of ${number(of ?? done)} sent to the newsletter`,
    contacts_written: `${count(done, 'contact')} of ${number(of ?? done)} written`,
  };
  const share = phase === 'contacts_written' && of ? { share: done / of } : {};
  return { type: 'progress', text: texts[phase], data: { phase, done, of: of ?? null }, ...share };
}

/** Lists the changes of a plan, a table for people. It holds addresses and values: they go to whoever runs it alone. */
export async function reportChanges(
  report: Reporter,
  planned: ShownPlan,
  { limit, shortAddresses }: { readonly limit: number; readonly shortAddresses: boolean },
): Promise<void> {
  const listed: PlannedChange[] = [];
  let total = 0;
  for await (const part of planned.whole())
    for (const change of changesOf(part)) {
      if (total < limit) listed.push(change);
      total += 1;
    }
  const lines = listed.map((change) => lineOf(change, shortAddresses));
  const rows = lines.map(({ what, person, change, why }) => [what, person, change, why]);
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0))) ?? [];
  for (const [index, { contactId, subscriptionId, ...change }] of listed.entries()) {
    const cells = (rows[index] ?? []).map((cell, column) => cell.padEnd(widths[column] ?? 0));
    const data = { ...change, email: lines[index]?.person, contact_id: contactId, subscription_id: subscriptionId };
    report.result({ type: 'change', text: cells.join('  ').trimEnd(), data });
  }
  if (total > limit)
    report.notice({
      type: 'more_changes',
      text: `… and ${count(total - limit, 'more change', 'more changes')}; --changes ${total} lists all.`,
      data: { left: total - limit },
    });
}

/** Lines per code, in the output for people. */
const mostLines = 20;

/** Findings of one code. */
interface FoundOften {
  readonly first: SyncFinding;
  /** By cause, or by place where a finding names no cause: a line, and how many findings it stands for. */
  readonly lines: Map<string, readonly [line: string, found: number]>;
  found: number;
  fresh: number;
}

/**
 * People get each code once, with a line for each cause; programs get an event for each finding.
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
        const same: FoundOften = byCode.get(finding.code) ?? { first: finding, lines: new Map(), found: 0, fresh: 0 };
        byCode.set(finding.code, same);
        const [place, cause] = placeOf(finding);
        const [line, found] = same.lines.get(cause || place) ?? [[place, cause].filter(Boolean).join(': '), 0];
        if (found > 0 || same.lines.size < mostLines) same.lines.set(cause || place, [line, found + 1]);
        same.found += 1;
        if (finding.isNew) same.fresh += 1;
      }
    }
  for (const [code, { first, lines, found, fresh }] of byCode) {
    let left = found;
    const text = [`${code}: ${number(found)}, ${number(fresh)} new. ${first.message}`, `  ${first.remedy}`];
    for (const [line, equal] of lines.values()) {
      text.push(`    ${line}${equal > 1 ? ` (${number(equal)} times)` : ''}`);
      left -= equal;
    }
    if (left > 0) text.push(`    … and ${number(left)} more; --json lists all.`);
    report.result({ type: 'finding', text: text.join('\n') });
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

/** The contact or subscription of a finding, and the cause that it may share with others. */
function placeOf({ row, contactId, subscriptionId, field, side, detail }: SyncFinding): readonly [string, string] {
  const place = [
    contactId !== undefined && `contact ${contactId}`,
    contactId === undefined && row !== undefined && `row ${row}`,
    subscriptionId !== undefined && `subscription ${subscriptionId}`,
  ];
  const where = side === undefined ? '' : ` in the ${side === 'crm' ? 'contact' : 'newsletter'}`;
  const cause = [field !== undefined && `field ${field}${where}`, detail];
  return [place.filter(Boolean).join(', '), cause.filter(Boolean).join(': ')];
}

/** Reports why a plan is held back, and what to do. */
export function reportHeld(report: Reporter, { held }: Pick<SyncPlan, 'held'>): void {
  if (!held) return;
  report.result({
    type: 'held',
    text: `Held back: ${held.message} Only opt-outs, and unsubscribes within the limit, are carried out. ${held.remedy} Where the plan is right, run newsletter sync apply --accept to carry it out once.`,
    data: { ...held },
  });
}

export function planSummary({ counts, held }: ShownPlan): ReportedEvent {
  return {
    type: 'plan',
    text: `${seen(counts)}. ${summaryOf({ counts, held: null })}`,
    data: { ...snake(counts), held: held?.reasons ?? null },
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
    data: { ...snake({ ...written }), counts: snake(counts), findings, held: held?.reasons ?? null },
  };
}

/** @param now - milliseconds since the Unix epoch */
export function statusText(
  name: string,
  { lastRun, tokens, watermark }: Pick<SyncState, 'watermark'> & { lastRun: LastRun | null; tokens: number },
  now: number,
): ReportedEvent {
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
