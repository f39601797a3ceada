/** Bulk Import: finds out how the fields of the items write dates, numbers, yes and no. */
import { ask, fieldValueReader, kindOf, type NotationAnswers, notationOf } from '@newsletter-kit/core/import';
import type { KnownCustomFields } from '../../parameters/customFields.ts';
import { headingsOf, type Json } from './bulkImportConsent.ts';

/**
 * Makes the function that gives an item with the texts that only their whole field explains in the form of the API.
 * Every item is seen before the first is sent.
 *
 * @throws TableError where the items do not tell
 */
export function notationReader(
  items: readonly Json[],
  { kinds, meaningOf }: KnownCustomFields,
  answers: NotationAnswers,
): (json: Json) => Json {
  const columns = headingsOf(items).flatMap((name) => {
    const meaning = meaningOf(name);
    const kind = kindOf(meaning && 'target' in meaning ? meaning.target : undefined, kinds);
    return kind === 'string' || kind === 'list' ? [] : [{ name, kind, notation: notationOf(kind, name, answers) }];
  });
  for (const { name, notation } of columns)
    // A number shows nothing of how texts are written.
    for (const json of items) notation?.see(typeof json[name] === 'number' ? '' : String(json[name] ?? ''));
  ask(columns.flatMap(({ notation }) => notation ?? []));
  const readers = columns.map(({ name, kind, notation }) => {
    const { read } = fieldValueReader(kind, { ...answers, ...notation?.options });
    return { name, read };
  });
  return (json) => {
    const explained: Record<string, unknown> = { ...json };
    for (const { name, read } of readers)
      if (typeof json[name] === 'string') explained[name] = read(json[name]) ?? json[name];
    return explained;
  };
}
