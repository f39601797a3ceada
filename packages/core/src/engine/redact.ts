/** Takes addresses and secrets out of a text before it becomes part of an error. */

// An apostrophe is part of names (o'neil@…), and in an address bar the @ is %40.
const addresses = /[^\s"<>()[\]{},;:=&?/]+(?:@|%40)[^\s"<>()[\]{},;:=&?/]+/giu;

/** The text with every address, and each given secret, replaced by a placeholder. */
export function redact(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const secret of secrets) if (secret) clean = clean.replaceAll(secret, '[secret]');
  return clean.replace(addresses, '[address]');
}
