/** Secrets that redaction would betray: cut out of the relay's own sentences, they could be read off the gap. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { namedSecrets } from '../config/settings.ts';

/** A secret of fewer characters is weak. */
const shortest = 8;

/** Texts in quotes that have a blank: what the relay says. */
const quoted =
  /'(?:[^'\\\n]|\\.)* (?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)* (?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)* (?:[^"\\\n]|\\.)*"/g;

/** Every sentence of the relay and of the core, read from their own files. */
function ownSentences(): string {
  const folders = [new URL('..', import.meta.url), new URL('.', import.meta.resolve('@newsletter-kit/core'))];
  return folders
    .map((url) => fileURLToPath(url))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => /(?<!\.d)\.[jt]s$/.test(file))
        .flatMap((file) => readFileSync(join(folder, file), 'utf8').match(quoted) ?? []),
    )
    .join('\n');
}

/** A secret that is weak: its setting, the secret, and why, as the rest of a sentence. */
export interface WeakSecret {
  readonly setting: string;
  readonly secret: string;
  readonly why: string;
}

export function weakSecrets(named: ReturnType<typeof namedSecrets>, sentences = ownSentences()): readonly WeakSecret[] {
  return named.flatMap(([setting, secret]): WeakSecret[] => {
    if (secret.length < shortest) return [{ setting, secret, why: `has fewer than ${shortest} characters` }];
    return sentences.includes(secret) ? [{ setting, secret, why: 'is part of a sentence of the relay' }] : [];
  });
}
