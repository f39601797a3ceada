/** Compares answers with the contract: with its strict schemas, and with what the client cannot do without. */
import { checkAnswer, isRecord, neededFields } from '@newsletter-kit/core/engine';
import { isErrorBody } from '@newsletter-kit/core/facts';
import { operation, type Operation, type OperationId } from '@newsletter-kit/core/contract';
import { fieldOf, schemas } from '@newsletter-kit/core/schema';
import * as z from 'zod';
import { type RecordedAnswer } from './read-everything.ts';
import { isWord } from './shapes.ts';

/** How an answer differs from the strict schema in one field. */
export interface Difference {
  readonly kind: 'missing' | 'null' | 'type' | 'unknown-field' | 'unknown-value' | 'status' | 'other';
  /** The field, with `[]` for each position of a list, such as `data[].utm_source`; empty for the whole answer. */
  readonly field: string;
  /** What differs, to follow the field's name. Holds no values except unknown words of an enumeration. */
  readonly text: string;
  /** Whether a call ends because of it, or leaves the record out. */
  readonly isBreaking: boolean;
  /** How often it was found in the answer. */
  readonly count: number;
}

/** An answer with its differences from the contract. */
export interface ComparedAnswer extends RecordedAnswer {
  readonly differences: readonly Difference[];
}

/** Compares an answer with the contract. */
export const compare = (answer: RecordedAnswer): ComparedAnswer => ({ ...answer, differences: differencesOf(answer) });

/** The differences of one answer, each kind and field once. */
function differencesOf({ operation: id, status, body }: RecordedAnswer): readonly Difference[] {
  if (id === null) return [];
  // A key that may not read something says nothing about the form of the answer.
  if (isNotAllowed({ status, body })) return [];
  const { success, extension }: Operation = operation(id);
  // A service need not have what the specification does not show.
  if (status >= 300)
    return [{ kind: 'status', field: '', text: `answered ${status}`, isBreaking: extension !== true, count: 1 }];
  const odd = new Set(checkAnswer(id, body).map(({ field }) => field));
  const issues = z.safeParse<z.core.$ZodType>(schemas[id].answer, body).error?.issues ?? [];
  const found = issues.flatMap((issue) =>
    describe(issue, body).map((difference) => ({
      ...difference,
      isBreaking: odd.has(fieldOf(issue.path)) && isNeeded(id, difference.field),
    })),
  );
  const byText = Map.groupBy(found, ({ field, text }) => `${field} ${text}`);
  const merged = [...byText.values()].flatMap((same) =>
    same.slice(0, 1).map((each) => ({ ...each, count: same.length })),
  );
  if (status === success) return merged;
  return [
    { kind: 'status', field: '', text: `answered ${status}, not ${success}`, isBreaking: false, count: 1 },
    ...merged,
  ];
}

/** Whether the API says that the key may not read something. Anything else that refuses is not the API. */
export const isNotAllowed = ({ status, body }: Pick<RecordedAnswer, 'status' | 'body'>): boolean =>
  (status === 401 || status === 403) && isErrorBody(body, status);

/** Whether any program of the client ends without the field, or leaves the record out. */
function isNeeded(id: OperationId, field: string): boolean {
  const { client, watch, sync, customFields } = neededFields;
  const ofRecords = {
    ...client,
    ...(id === 'subscriptions.list' && { ...watch, ...sync }),
    ...(id === 'customFields.list' && customFields),
  };
  return ['', 'data', 'data[]', ...Object.keys(ofRecords).map((name) => `data[].${name}`)].includes(field);
}

function describe(issue: z.core.$ZodIssue, body: unknown): readonly Omit<Difference, 'isBreaking' | 'count'>[] {
  const field = fieldOf(issue.path);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      kind: 'unknown-field',
      field: field === '' ? key : `${field}.${key}`,
      text: 'is a field that the contract does not have',
    }));
  const value = issue.path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : undefined,
    body,
  );
  if (value === undefined && issue.path.length > 0) return [{ kind: 'missing', field, text: 'is missing' }];
  if (value === null) return [{ kind: 'null', field, text: 'is null' }];
  if (issue.code === 'invalid_value')
    return [{ kind: 'unknown-value', field, text: `has a value that the contract does not have${wordOf(value)}` }];
  if (issue.code === 'invalid_type')
    return [
      {
        kind: 'type',
        field,
        text: `is ${isRecord(value) ? 'an object' : Array.isArray(value) ? 'a list' : `a ${typeof value}`}, not ${issue.expected}`,
      },
    ];
  return [{ kind: 'other', field, text: issue.message.replace(/^Invalid input: /, '') }];
}

/** Shows a value only where it looks like the word of an enumeration: others may be personal. */
const wordOf = (value: unknown): string => (isWord(value) ? `: ${value}` : '');
