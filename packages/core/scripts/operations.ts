/** The operations as the contract has them, derived from the records. */
import * as z from 'zod/mini';
import type { Content, Operation, OperationWords, Pagination, ParameterWords } from '../src/contract/types.ts';
import { operationRecords, type OperationEntry, type OperationSchemas } from '../src/records/index.ts';
import { partsOf } from './names.ts';

/** An operation with all that is said about it. */
export interface DescribedOperation {
  readonly operation: Operation;
  readonly words: OperationWords;
  /** What the specification leaves open. */
  readonly open: readonly string[];
  readonly schemas: OperationSchemas;
  /** The id of the operation by PATCH, for the one by PUT. */
  readonly twinOf: string | undefined;
}

const publicationId = 'Prefixed ID of the publication, for example `pub_00000000-0000-4000-8000-000000000001`.';
const usualErrors = [400, 401, 404, 429, 500];

export const all: readonly DescribedOperation[] = operationRecords.map((entry) => {
  const { record, twinOf } = entry;
  const operation = operationOf(entry);
  return { operation, words: wordsOf(entry, operation), open: record.open ?? [], schemas: record, twinOf };
});

function operationOf({ id, record, resource, twinOf }: OperationEntry): Operation {
  const [method, path] = record.request.split(' ') as [Operation['method'], Operation['path']];
  const { scope } = record.scope === null ? record : resource;
  const { success = 200, errors = resource.errors ?? usualErrors, retry = 'safe' } = record;
  const { lookUp, remedies, extension } = record;
  return {
    id,
    method: twinOf === undefined ? method : (record.twin ?? method),
    path,
    base: resource.base ?? 'api',
    scope: scope === null ? null : `${scope}:${method === 'GET' ? 'read' : 'write'}`,
    query: Object.entries(record.query?.shape ?? {}).map(([name, schema]) => (isRepeated(schema) ? `${name}[]` : name)),
    expand: expandOf(record.query),
    body: bodyOf(record, resource.base === 'app' ? 'form' : 'json'),
    success,
    content: contentOf(record.answer),
    errors,
    ...(remedies && { remedies }),
    pagination: record.pagination ?? paginationOf(record.answer),
    retry,
    ...(lookUp && { lookUp: { list: `${partsOf(id).resource}.list` as const, ...lookUp } }),
    ...(extension && { extension }),
    doc: twinOf === undefined ? record.doc : `The same as ${twinOf}, by PUT`,
  };
}

function bodyOf({ body, anyOf }: OperationEntry['record'], encoding: 'json' | 'form'): Operation['body'] {
  if (!body) return null;
  const fields = Object.keys(body.shape);
  const required = fields.filter((name) => !(body.shape[name] instanceof z.ZodMiniOptional));
  return { encoding, fields, required, ...(anyOf && { anyOf }) };
}

/** A schema without what makes it optional or null. */
export function bare(schema: unknown): unknown {
  return schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable
    ? bare(schema.def.innerType)
    : schema;
}

function isRepeated(schema: unknown): boolean {
  return bare(schema) instanceof z.ZodMiniArray;
}

function expandOf(query: OperationSchemas['query']): readonly string[] {
  const list = bare(query?.shape['expand']);
  const values = list instanceof z.ZodMiniArray ? list.def.element : undefined;
  return values instanceof z.ZodMiniEnum ? values.options.map(String) : [];
}

function contentOf(answer: z.ZodMiniType): Content {
  if (!(answer instanceof z.ZodMiniObject)) return 'none';
  if ('data' in answer.shape) return 'data';
  return Object.keys(answer.shape).length > 0 ? 'object' : 'empty';
}

/** What an answer carries beside its data says how its list is paged. */
function paginationOf(answer: z.ZodMiniType): Pagination {
  const names = answer instanceof z.ZodMiniObject ? Object.keys(answer.shape) : [];
  const [byCursor, byOffset] = [names.includes('next_cursor'), names.includes('page')];
  if (byCursor && byOffset) return 'cursor-or-offset';
  if (byCursor) return 'cursor';
  return byOffset ? 'offset' : 'none';
}

function isPaged({ query }: Operation): boolean {
  return query.includes('limit');
}

function wordsOf({ record, resource }: OperationEntry, operation: Operation): OperationWords {
  const { description, errorTexts, example } = record;
  const pagination = isPaged(operation) && !operation.extension ? 'Pagination' : undefined;
  return {
    description,
    returns: record.returns ?? returnsOf(record.answer, resource.title, operation),
    section: [resource.section, pagination, record.section].filter((part) => part !== undefined).join('; '),
    parameters: {
      ...pathWords(operation, record.path),
      ...parameterWords(record.query),
      ...parameterWords(record.body),
    },
    ...(errorTexts && { errors: errorTexts }),
    ...(example !== undefined && { example }),
  };
}

/** The content of an answer, from its schema. */
function returnsOf(answer: z.ZodMiniType, title: string, operation: Operation): string {
  if (answer instanceof z.ZodMiniNull) return 'Nothing: the answer has no body.';
  const data = answer instanceof z.ZodMiniObject ? answer.shape['data'] : undefined;
  if (data instanceof z.ZodMiniArray) return `${title}, ${isPaged(operation) ? 'page by page' : 'all in one page'}.`;
  const { description } = (data && z.globalRegistry.get(data)) ?? {};
  if (description === undefined) throw new TypeError(`${operation.id} needs "returns": its schema does not say it.`);
  return description;
}

/** Names of the parameters in the path. */
export function pathParameters({ path }: Operation): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

function pathWords(operation: Operation, texts: Readonly<Record<string, string>> = {}): Record<string, ParameterWords> {
  const words = pathParameters(operation).map((name) => {
    const text = name === 'publicationId' ? publicationId : texts[name];
    if (text === undefined) throw new TypeError(`${operation.id} needs a description of "${name}" in "path".`);
    return [name, { text }] as const;
  });
  return Object.fromEntries(words);
}

/** The documentation of each field of a request. */
export function parameterWords(schema: z.ZodMiniObject | undefined): Record<string, ParameterWords> {
  const words = Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const { description: text = '', default: value } = z.globalRegistry.get(field) ?? {};
    return [name, { text, ...(value !== undefined && { default: value }) }] as const;
  });
  return Object.fromEntries(words) as Record<string, ParameterWords>;
}
