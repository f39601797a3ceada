/** Prints what the operator's commands report, as lines for a person. */
import { once } from 'node:events';
import process from 'node:process';
import type { Status } from '../ops/operator.ts';
import type { ConsentRecord, HeldAboutPerson, StoredSignup } from '../store/signup-store.ts';

export const nothingHeld = 'Nothing is held about this address.';

/** The status; figures in one column. */
export function statusLines({
  counts,
  due,
  oldestWaitingSince,
  forms,
  paused,
  deadByReason,
  shared,
  running,
}: Status): string[] {
  const unknownDelivery = shared
    ? 'by the relays that share the store; the page of each says how it fares'
    : 'no relay is running here';
  const since = (moment: number | null): string =>
    moment === null ? '' : `, the oldest since ${new Date(moment).toISOString()}`;
  const open = counts.waiting + counts.sent;
  return [
    `Delivery     ${paused ? 'paused' : (running?.trouble ?? (running ? 'running' : unknownDelivery))}`,
    ...(running?.storeTrouble ? [`Store        ${running.storeTrouble}`] : []),
    `Waiting      ${counts.waiting}${open > 0 ? ` (${due} due now${since(oldestWaitingSince)})` : ''}`,
    `Sent         ${counts.sent}`,
    ...forms.map(({ form, open: count, oldestSince }) => `${figure(count)}  form ${form}${since(oldestSince)}`),
    `Delivered    ${counts.delivered}`,
    `Unconfirmed  ${counts.unconfirmed}`,
    `Review       ${counts.review}`,
    `Dead         ${counts.dead}`,
    ...deadByReason.map(({ reason, count }) => `${figure(count)}  ${reason}`),
  ];
}

function figure(count: number): string {
  return `  ${String(count).padStart(6)}`;
}

/** Everything held about a person. */
export function personLines({ signups, consents }: HeldAboutPerson): string[] {
  if (signups.length + consents.length === 0) return [nothingHeld];
  return [
    `Held: ${counted(signups.length, consents.length)}.`,
    ...signups.flatMap((signup) => ['', ...signupLines(signup)]),
    ...consents.flatMap((entry) => ['', ...consentLines(entry)]),
  ];
}

function signupLines({ id, form, state, submission, origin, receivedAt, settledAt, reason }: StoredSignup): string[] {
  const { custom_fields: fields = [], ...rest } = submission ?? {};
  return [
    `Signup of ${new Date(receivedAt).toISOString()}`,
    ...indented({
      id,
      state,
      form,
      site: origin,
      settled: settledAt === null ? null : new Date(settledAt).toISOString(),
      reason,
      ...rest,
      ...Object.fromEntries(fields.map(({ name, value }) => [`field ${name}`, String(value)])),
    }),
  ];
}

function consentLines({ signup, kind, at, form, sentence, version, page, visitor }: ConsentRecord): string[] {
  const how = kind === 'given' ? 'given with the form' : 'confirmed by the link in a mail';
  return [
    `Consent of ${new Date(at).toISOString()}`,
    ...indented({ consent: how, signup, form, sentence, version, page, visitor }),
  ];
}

/** One line for each fact that is known. */
function indented(facts: Readonly<Record<string, string | boolean | null>>): string[] {
  return Object.entries(facts)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `  ${`${name}:`.padEnd(16)} ${String(value)}`);
}

export function counted(signups: number, consents: number): string {
  return `${signups} ${signups === 1 ? 'signup' : 'signups'} and ${consents} ${consents === 1 ? 'entry' : 'entries'} of the consent ledger`;
}

/** A signup in one line. */
export function signupLine({ id, form, state, submission, receivedAt, attempts, reason }: StoredSignup): string {
  return [
    id,
    new Date(receivedAt).toISOString(),
    state,
    form,
    submission?.email ?? '(erased)',
    `${attempts}×`,
    reason ?? '',
  ]
    .join('  ')
    .trimEnd();
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Writes to stdout no faster than it is read. */
export async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}
