/** Takes addresses and secrets out of a text before it becomes part of an error. */

const addresses = /[^\s"'<>()[\]{},;:]+@[^\s"'<>()[\]{},;:]+/gu;

/** The text with every address, and each given secret, replaced by a placeholder. */
export function redact(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const secret of secrets) if (secret) clean = clean.replaceAll(secret, '[secret]');
  return clean.replace(addresses, '[address]');
}
