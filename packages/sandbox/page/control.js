/** Asks the sandbox's control, `/_sandbox/…`. */

/**
 * The answer as JSON. A refusal becomes an Error with the sandbox's own words.
 *
 * @param {string} path - below `/_sandbox`
 * @param {{ method?: string, body?: unknown }} [how]
 * @returns {Promise<any>}
 */
export async function ask(path, { method = 'GET', body } = {}) {
  const answer = await fetch(`/_sandbox${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
  const text = await answer.text();
  /** @type {any} */
  const read = text === '' ? null : JSON.parse(text);
  if (answer.ok) return read;
  const messages = (read?.errors ?? []).map((/** @type {{ message: string }} */ error) => error.message);
  throw new Error(messages.join(' ') || `The sandbox answered ${answer.status}.`);
}
