/**
 * The operation Check CRM Answers: reads what the nodes of a CRM answered, and returns what was refused and a summary.
 * It never fails the run itself: n8n drops the items of a node that throws.
 */
import { redact } from '@newsletter-kit/core/engine';
import { type CrmRefusal, readAnswer, type RefusalReason } from '@newsletter-kit/core/sync';
import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { groupBy } from '../operations/concurrency.ts';
import { notice, number, text } from '../parameters/properties.ts';
import { toRecord } from '../records.ts';

/** In the order of the outputs. */
export const answerOutputNames = ['Refused', 'Summary'];

const handedOver = number({
  displayName: 'Handed Over',
  name: 'handedOver',
  typeOptions: { minValue: 0, numberPrecision: 0 },
  placeholder: "e.g. {{ $('Sync').all(3).length + $('Sync').all(4).length }}",
  description:
    'How many contacts the sync handed over to the CRM, so that a missing answer is noticed. 0 counts only the answers.',
});

const contact = text({
  displayName: 'Contact',
  name: 'contact',
  placeholder: "e.g. {{ $('Sync').item.json.email }}",
  description:
    'ID or address of the contact that an item answers for, where the CRM itself does not name it; for a batch, a list in its order. Optional.',
});

export const answerParameters: readonly INodeProperties[] = [
  notice({
    displayName:
      'Connect every node that writes contacts, through a <i>Merge</i> node that appends. Set their <i>On Error</i> to <i>Continue</i>, and let an <i>HTTP Request</i> node return the full response and never an error. Connect <i>Refused</i> to <i>Stop and Error</i>, so that the run does not look like a success.',
    name: 'answersNotice',
  }),
  handedOver,
  contact,
];

/** Why a change counts as not taken; `unanswered`: no node of the CRM said anything. */
type Reason = RefusalReason | 'unanswered';

interface Refused extends Omit<CrmRefusal, 'reason' | 'contact'> {
  readonly reason: Reason;
  readonly contact?: string | undefined;
  /** The index of the item that says it. */
  readonly item?: number;
}

export function checkAnswers(node: IExecuteFunctions): INodeExecutionData[][] {
  const now = Date.now();
  const items = node.getInputData();
  const expected = Number(node.getNodeParameter(handedOver.name, 0, handedOver.default)) || 0;
  const refusals: Refused[] = [];
  let written = 0;
  for (const [item, { json, error }] of items.entries()) {
    // Nodes with Always Output Data return an empty item for no result.
    if (Object.keys(json).length === 0 && !error) continue;
    const answer = readAnswer(error ? { ...json, error } : json, now);
    written += answer.accepted;
    for (const refusal of answer.refused) refusals.push({ item, contact: contactOf(node, item, refusal), ...refusal });
  }
  const missing = expected - written;
  if (refusals.length === 0 && missing > 0) refusals.push(unanswered(missing, expected));
  const refused = refusals.map((refusal) => refusedItem(refusal, now));
  return [refused, [{ json: summaryOf(expected, written, refusals, now) }]];
}

/**
 * The contact by the parameter. Its expression may not find the item that was answered, and a refusal without a
 * position is none of one of several.
 */
function contactOf(node: IExecuteFunctions, item: number, { position }: CrmRefusal): string | undefined {
  try {
    const value: unknown = node.getNodeParameter(contact.name, item, contact.default);
    const named: unknown = Array.isArray(value) ? value[position ?? (value.length === 1 ? 0 : -1)] : value;
    return typeof named === 'string' || typeof named === 'number' ? String(named) || undefined : undefined;
  } catch {
    return undefined;
  }
}

function unanswered(missing: number, expected: number): Refused {
  return {
    reason: 'unanswered',
    message: `The CRM gave no answer for ${missing} of ${count(expected, 'contact')}.`,
    remedy: 'Connect every node that writes contacts, and all of their outputs.',
  };
}

/** Shown to the person who runs the workflow, so the words of the CRM stay as they are. */
function refusedItem(refusal: Refused, now: number): INodeExecutionData {
  const { contact = null, status = null, message, remedy, reason, retryAfterMs, item } = refusal;
  const notBefore = retryAfterMs === undefined ? null : new Date(now + retryAfterMs).toISOString();
  return {
    json: { contact, status, message, remedy, reason, notBefore },
    ...(item !== undefined && { pairedItem: { item } }),
  };
}

function summaryOf(expected: number, written: number, refusals: readonly Refused[], now: number): IDataObject {
  const longest = Math.max(0, ...refusals.map(({ retryAfterMs }) => retryAfterMs ?? 0));
  const notBefore = longest > 0 ? new Date(now + longest).toISOString() : null;
  return {
    summary: sentences(expected, written, refusals, notBefore),
    handedOver: expected || null,
    written,
    // A call with several contacts is refused as one.
    refused: Math.max(expected - written, refusals.length),
    reasons: toRecord(Object.fromEntries(occurrences(refusals.map(({ reason }) => reason)))),
    notBefore,
  };
}

/** How often each text occurs. */
const occurrences = (texts: readonly string[]): [text: string, times: number][] =>
  groupBy(texts, (text) => text).map((same) => [same[0] ?? '', same.length]);

/** Most different messages of the CRM that the summary repeats. */
const mostMessages = 3;

/** For chats, mails and the error of the run, so without addresses. */
function sentences(expected: number, written: number, refusals: readonly Refused[], notBefore: string | null): string {
  if (refusals.length === 0) return `The CRM took all of ${count(written, 'change')}.`;
  const taken =
    expected > 0
      ? `The CRM took ${written} of ${count(expected, 'change')}`
      : `The CRM took ${count(written, 'change')}`;
  const messages = occurrences(refusals.map(({ message, status }) => worded(message, status)));
  const told = messages
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, mostMessages)
    .map(([message, times]) => (times === 1 ? message : `${times} times ${message}`));
  const further = messages.length > mostMessages ? `, and ${messages.length - mostMessages} further reasons` : '';
  const next = notBefore
    ? `Within two runs they are planned again; the CRM asks to wait until ${notBefore}.`
    : 'Within two runs they are planned again.';
  return `${taken}, and refused ${Math.max(expected - written, refusals.length)}: ${told.join('; ')}${further}. ${next}`;
}

/** Longest part of a message of the CRM in the summary. */
const longestMessage = 120;

function worded(message: string, status: number | undefined): string {
  const text = redact(message).replaceAll(/\s+/g, ' ');
  const short = text.length > longestMessage ? `${text.slice(0, longestMessage - 1)}…` : text;
  return `“${short.replace(/\.$/, '')}”${status === undefined ? '' : ` (${status})`}`;
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
