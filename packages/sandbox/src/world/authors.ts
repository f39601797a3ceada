/** Authors, as people and content name them: by UUID, full name or first name. */
import type { AuthorRow } from '../store/content.ts';

/** The authors with this full or first name, in any case of its letters. */
export function byName(authors: readonly AuthorRow[], name: string): readonly AuthorRow[] {
  const wanted = spelled(name);
  return authors.filter((author) => spelled(author.name) === wanted || firstName(author) === wanted);
}

/**
 * The author whom an id, full name or first name means – an id also with the prefix `user_` or `guest_` that the
 * service gives it. Of several the oldest, and a full name before a first name.
 */
export function findAuthor(authors: readonly AuthorRow[], wanted: string): AuthorRow | undefined {
  const id = wanted.replace(/^(?:user|guest)_/, '').toLowerCase();
  const name = spelled(wanted);
  return (
    authors.find((author) => author.id === id) ??
    authors.find((author) => spelled(author.name) === name) ??
    authors.find((author) => firstName(author) === name)
  );
}

const spelled = (name: string): string => name.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase();
const firstName = (author: AuthorRow): string => spelled(author.name).split(' ')[0] ?? '';
