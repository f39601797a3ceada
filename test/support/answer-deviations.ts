/** Every change of every field of an answer, for tests that try them one by one. */
import { isRecord } from '@newsletter-kit/core/engine';
import { fieldChanges, type AnswerDeviation } from '@newsletter-kit/sandbox';

/** A deviation in the answers of one operation. */
export interface OperationDeviation extends AnswerDeviation {
  readonly operation: string;
}

/** The paths of all fields of a body; of lists, those of their first element. */
function fieldsOf(body: unknown, path = ''): string[] {
  if (Array.isArray(body)) return body.length === 0 ? [] : [`${path}[]`, ...fieldsOf(body[0], `${path}[]`)];
  if (!isRecord(body)) return [];
  return Object.entries(body).flatMap(([name, value]) => {
    const field = path === '' ? name : `${path}.${name}`;
    return [field, ...fieldsOf(value, field)];
  });
}

/** Every change of every field of a body. */
export function deviationsOf(operation: string, body: unknown): OperationDeviation[] {
  return fieldsOf(body).flatMap((field) => fieldChanges.map((change) => ({ operation, field, change })));
}
