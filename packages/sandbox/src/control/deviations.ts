/**
 * Deviations: one field of an answer changed, as services change them. They show whether a client ends over fields
 * that it does not need.
 */
import { isRecord } from '@newsletter-kit/core/engine';

/** How a field differs: left out, `null`, of another type, or inside a list or an object of its own. */
export const fieldChanges = ['absent', 'null', 'retyped', 'wrapped'] as const;

/** One field of an answer, and how it differs. */
export interface AnswerDeviation {
  /** Path in the body, `[]` for the first element of a list: `data[].stats.open_rate`. */
  readonly field: string;
  readonly change: (typeof fieldChanges)[number];
}

/** The body with the field changed; the same body where it has no such field. */
export function deviate(body: unknown, { field, change }: AnswerDeviation): unknown {
  return changeAt(body, field.split(/\.|(?=\[\])/), change);
}

function changeAt(value: unknown, [step = '', ...rest]: readonly string[], change: AnswerDeviation['change']): unknown {
  if (step === '[]') {
    if (!Array.isArray(value) || value.length === 0) return value;
    const [first, ...others] = value as unknown[];
    if (rest.length > 0) return [changeAt(first, rest, change), ...others];
    return change === 'absent' ? others : [changed(first, change), ...others];
  }
  if (!isRecord(value) || !Object.hasOwn(value, step)) return value;
  if (rest.length > 0) return { ...value, [step]: changeAt(value[step], rest, change) };
  const { [step]: before, ...others } = value;
  return change === 'absent' ? others : { ...value, [step]: changed(before, change) };
}

function changed(value: unknown, change: Exclude<AnswerDeviation['change'], 'absent'>): unknown {
  if (change === 'null') return null;
  if (change === 'wrapped') return Array.isArray(value) ? { items: value } : [value];
  // What is null may as well be a text.
  return typeof value === 'string' ? 7 : value === null ? true : 'another type';
}
