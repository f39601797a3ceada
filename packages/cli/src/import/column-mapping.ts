/** Reads `--map "E-mail=email"`. */
import { UsageError, quote } from '@newsletter-kit/core/command-line';
import type { ColumnTarget } from '@newsletter-kit/core/node';
import { requestFields } from '@newsletter-kit/core/import';

/** The target of each column. @throws UsageError that names every entry at fault */
export function readMapping(given: readonly string[]): Readonly<Record<string, ColumnTarget>> {
  const problems: string[] = [];
  const mapping = Object.fromEntries(
    given.flatMap((text): (readonly [string, ColumnTarget])[] => {
      const at = text.lastIndexOf('=');
      const [column, target] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
      if (at < 1) {
        problems.push(
          `--map ${quote(text)} must be COLUMN=FIELD, for example --map "E-mail=email" or --map "First Name=custom:First Name".`,
        );
        return [];
      }
      if (target === '') return [[column, null]];
      if (isTarget(target)) return [[column, target]];
      problems.push(
        `--map: ${quote(target)} is no field of a subscription. A custom field is written ${quote(`custom:${target}`)}; the others are ${fields.join(', ')}.`,
      );
      return [];
    }),
  );
  if (problems.length > 0) throw new UsageError(problems);
  return mapping;
}

const fields = Object.keys(requestFields).filter((name) => name !== 'custom_fields');

function isTarget(target: string): target is Exclude<ColumnTarget, null> {
  return fields.includes(target) || /^custom:./.test(target);
}
