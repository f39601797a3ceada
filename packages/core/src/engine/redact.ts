/** Redaction: removes e-mail addresses and secrets from texts and errors before they become part of an error. */

// An apostrophe is part of names (o'neil@…), and in an address bar the @ is %40.
const addresses = /[^\s"<>()[\]{},;:=&?/]+(?:@|%40)[^\s"<>()[\]{},;:=&?/]+/giu;

/** The example address of documentation, reserved by RFC 2606. */
const example = 'name@example.com';

/** The text with every address but the example, and each given secret, replaced by a placeholder. */
export function redact(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const secret of secrets) if (secret) clean = clean.replaceAll(secret, '[secret]');
  return clean.replace(addresses, (found) => {
    const address = found.replace(/[.!'’]+$/, '');
    return address === example ? found : `[address]${found.slice(address.length)}`;
  });
}

/**
 * An error of the platform that may become a `cause`: itself where its texts hold neither address nor secret, also
 * those of its own causes; else a copy of name, redacted message and code.
 */
export function withoutSecrets(error: unknown, secrets: readonly string[] = []): unknown {
  if (!(error instanceof Error)) return undefined;
  return isClean(error, secrets) ? error : cleanCopy(error, secrets);
}

/** Most causes that are followed. */
const longestChain = 8;

function isClean(error: Error, secrets: readonly string[], depth = 0): boolean {
  if (depth >= longestChain) return false;
  const texts = [error.message, ...Object.values(error).filter((value) => typeof value === 'string')];
  if (texts.some((text) => redact(text, secrets) !== text)) return false;
  return inner(error).every((each) => isClean(each, secrets, depth + 1));
}

function cleanCopy(error: Error, secrets: readonly string[], depth = 0): Error {
  const [first] = depth >= longestChain ? [] : inner(error);
  const copy = new Error(
    redact(error.message, secrets),
    first === undefined ? undefined : { cause: cleanCopy(first, secrets, depth + 1) },
  );
  copy.name = error.name;
  return 'code' in error && typeof error.code === 'string' ? Object.assign(copy, { code: error.code }) : copy;
}

/** The errors an error carries: its cause, or those of an AggregateError. */
function inner(error: Error): readonly Error[] {
  const several = 'errors' in error && Array.isArray(error.errors) ? (error.errors as unknown[]) : [];
  return [error.cause, ...several].filter((each) => each instanceof Error);
}
