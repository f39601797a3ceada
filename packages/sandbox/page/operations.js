/** What each operation does, in words, as the description of the API has it. Read once. */

/** @type {Promise<Map<string, string>> | undefined} */
let known;

/** The operations' summaries by their id. */
export function summaries() {
  known ??= read().catch((error) => {
    known = undefined;
    throw error;
  });
  return known;
}

async function read() {
  const answer = await fetch('/openapi.json');
  /** @type {{ paths: Record<string, Record<string, any>> }} */
  const { paths } = await answer.json();
  return new Map(
    Object.values(paths).flatMap((item) =>
      Object.values(item).flatMap((operation) =>
        (operation['x-operations'] ?? [operation])
          .filter((/** @type {any} */ { operationId }) => operationId)
          .map((/** @type {any} */ { operationId, summary }) => [operationId, summary ?? operation.summary ?? '']),
      ),
    ),
  );
}
