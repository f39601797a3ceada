/** Answers about the file: those of the command, and those that an earlier import of it was given. */
import { isRecord } from '@newsletter-kit/core/engine';
import {
  leftByIn,
  leftByText,
  namesIn,
  namesText,
  TableError,
  yesNoIn,
  yesNoText,
  type ColumnOptions,
} from '@newsletter-kit/core/import';
import { readIfThere, replaceFile } from '@newsletter-kit/core/files';
import { UsageError } from '#command-line';

/** As core takes them. */
export type Answers = { readonly [Name in 'leftBy' | 'nobodyLeftBy' | 'yesNo']: NonNullable<ColumnOptions[Name]> };

/** As texts, in the words of the options. */
type AnswerTexts = Readonly<Partial<Record<keyof Answers, readonly string[]>>>;

/** The answers in the command's options. @throws UsageError */
export function answersIn({ leftBy = [], nobodyLeftBy = [], yesNo = [] }: AnswerTexts): Answers {
  try {
    return {
      leftBy: leftByIn(leftBy.join('\n')),
      nobodyLeftBy: namesIn(nobodyLeftBy.join('\n')),
      yesNo: yesNoIn(yesNo.join('\n')),
    };
  } catch (error) {
    throw error instanceof TableError ? new UsageError(`${error.message}.`) : error;
  }
}

/** The answers in a file that {@link keepAnswers} wrote, and in place of them those given now. @throws UsageError */
export async function withKept(path: string | undefined, given: Answers): Promise<Answers> {
  const kept = path === undefined ? null : await readIfThere(path);
  if (kept === null) return given;
  const earlier = answersIn(textsIn(kept, path));
  const now = new Set([...Object.keys(given.leftBy), ...given.nobodyLeftBy]);
  const others = Object.entries(earlier.leftBy).filter(([column]) => !now.has(column));
  return {
    leftBy: { ...Object.fromEntries(others), ...given.leftBy },
    nobodyLeftBy: [...earlier.nobodyLeftBy.filter((column) => !now.has(column)), ...given.nobodyLeftBy],
    yesNo: { ...earlier.yesNo, ...given.yesNo },
  };
}

/** Keeps answers for the next import of the file, in the words of the options. */
export async function keepAnswers(path: string, { leftBy, nobodyLeftBy, yesNo }: Answers): Promise<void> {
  const texts: AnswerTexts = {
    leftBy: Object.entries(leftBy).map(([column, values]) => leftByText(column, values)),
    nobodyLeftBy: nobodyLeftBy.length > 0 ? [namesText(nobodyLeftBy)] : [],
    yesNo: Object.keys(yesNo).length > 0 ? [yesNoText(yesNo)] : [],
  };
  await replaceFile(path, `${JSON.stringify(texts, null, 2)}\n`, 0o600);
}

function textsIn(json: string, path: string | undefined): AnswerTexts {
  try {
    const kept: unknown = JSON.parse(json);
    const texts = (name: string): string[] => [isRecord(kept) ? (kept[name] ?? []) : []].flat().map(String);
    return { leftBy: texts('leftBy'), nobodyLeftBy: texts('nobodyLeftBy'), yesNo: texts('yesNo') };
  } catch {
    throw new UsageError(`${path} holds no answers about the file. Delete it, and answer again.`);
  }
}
