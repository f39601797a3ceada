/** Calls the sandbox's control API, `/_sandbox/…`, and reads the operations from the description of the API. */

/** What {@link ask} sends. */
interface ControlRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: unknown;
}

/**
 * @param path - below `/_sandbox`
 * @throws Error with the sandbox's message for an error answer
 */
export async function ask<Answer>(path: string, { method = 'GET', body }: ControlRequest = {}): Promise<Answer> {
  const response = await fetch(`/_sandbox${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
  const text = await response.text();
  const answer: unknown = text === '' ? null : JSON.parse(text);
  if (response.ok) return answer as Answer;
  const { errors = [] } = (answer ?? {}) as { readonly errors?: readonly { readonly message: string }[] };
  throw new Error(errors.map(({ message }) => message).join(' ') || `The sandbox answered ${response.status}.`);
}

/** The part of the description of the API that names operations. */
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
}

interface DescribedOperation {
  readonly operationId?: string;
  readonly summary?: string;
  /** Operations that share a method and a path. */
  readonly 'x-operations'?: readonly DescribedOperation[];
}

let known: Promise<ReadonlyMap<string, string>> | undefined;

/** Summaries of the operations by their ids, read once. */
export function summaries(): Promise<ReadonlyMap<string, string>> {
  known ??= readSummaries().catch((error: unknown) => {
    known = undefined;
    throw error;
  });
  return known;
}

async function readSummaries(): Promise<ReadonlyMap<string, string>> {
  const { paths } = (await (await fetch('/openapi.json')).json()) as Description;
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  return new Map(
    operations.flatMap((operation) =>
      (operation['x-operations'] ?? [operation]).flatMap(({ operationId, summary }) =>
        operationId ? [[operationId, summary ?? operation.summary ?? ''] as const] : [],
      ),
    ),
  );
}
