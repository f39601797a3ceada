/** Secrets that redaction would betray: cut out of the relay's own sentences, they could be read off the gap. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { namedSecrets } from '../config/settings.ts';

/** A secret of fewer characters is weak. */
const shortest = 8;

const comments = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
const quoted = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** The texts of the program's own files, those of the relay and of the core, one after the other. */
function* ownFiles(): Generator<string, void> {
  const folders = [new URL('..', import.meta.url), new URL('.', import.meta.resolve('@newsletter-kit/core'))];
  for (const folder of folders.map((url) => fileURLToPath(url)))
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
      if (/(?<!\.d)\.[jt]s$/.test(file)) yield readFileSync(join(folder, file), 'utf8');
}

/** Whether a secret is part of a sentence in a file: of a text in quotes that has a blank. */
function isSaid(secret: string, file: string): boolean {
  if (!file.includes(secret)) return false;
  const texts = file.replace(comments, '').match(quoted) ?? [];
  return texts.some((text) => text.includes(' ') && text.includes(secret));
}

/** A secret that is weak: its setting, the secret, and why, as the rest of a sentence. */
export interface WeakSecret {
  readonly setting: string;
  readonly secret: string;
  readonly why: string;
}

/** Files are read only for a secret that could be a word: one with a digit among its letters is none. */
export function weakSecrets(named: ReturnType<typeof namedSecrets>): readonly WeakSecret[] {
  const words = named.flatMap(([, secret]) => (secret.length < shortest || /\d/.test(secret) ? [] : [secret]));
  const parts = new Set<string>();
  for (const file of words.length > 0 ? ownFiles() : [])
    for (const secret of words) if (isSaid(secret, file)) parts.add(secret);
  return named.flatMap(([setting, secret]): WeakSecret[] => {
    if (secret.length < shortest) return [{ setting, secret, why: `has fewer than ${shortest} characters` }];
    return parts.has(secret) ? [{ setting, secret, why: 'is part of a sentence of the relay' }] : [];
  });
}
