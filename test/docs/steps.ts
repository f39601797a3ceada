/**
 * The steps of a page that leads through screens: what each step names there, in the order of the page, and a walk
 * through them that fails where page, screen and the actions for a step differ.
 */
import { lexer, walkTokens, type MarkedToken, type Token } from 'marked';

/** A step: an item of a numbered list, or what a section says outside of its list. */
export interface Step {
  /** The heading, and the number in its list: `See one run, 2`. */
  readonly title: string;
  /** Emphasised: what is on the screen. A path such as *Settings → Community nodes* is several. */
  readonly names: readonly string[];
  /** In code or in quotes, or an address of this machine: what is typed, opened or read. */
  readonly texts: readonly string[];
}

/** The words of a step for whoever follows it. */
export interface Words {
  /** Takes the next name; all of them have to be taken. */
  name(): string;
  /** Takes the next text, or the next one that has this in it. */
  text(part?: RegExp | string): string;
}

/** The actions for each step, by its title. */
export type Actions = Readonly<Record<string, (words: Words) => Promise<void>>>;

/**
 * @param page - Markdown
 * @param sections - the headings of the sections to read
 */
export function readSteps(page: string, sections: (heading: string) => boolean): readonly Step[] {
  const steps: Step[] = [];
  let heading = '';
  let rest: Token[] = [];
  const add = (title: string, tokens: readonly Token[]): void => {
    const step = { title, ...wordsOf(tokens) };
    if (sections(heading) && (step.names.length > 0 || title !== heading)) steps.push(step);
  };
  for (const token of [...lexer(page.replace(/^---\n[\s\S]*?\n---\n/, '')), undefined]) {
    if (token === undefined || isA(token, 'heading')) {
      add(heading, rest);
      [heading, rest] = [token?.text ?? '', []];
    } else if (isA(token, 'list') && token.ordered) {
      // What stands before the list comes before its first step.
      add(heading, rest);
      rest = [];
      for (const [index, item] of token.items.entries()) add(`${heading}, ${index + 1}`, item.tokens);
    } else {
      rest.push(token);
    }
  }
  return steps;
}

function wordsOf(tokens: readonly Token[]): Pick<Step, 'names' | 'texts'> {
  const names: string[] = [];
  const texts: string[] = [];
  for (const token of tokens) for (const [, quote = ''] of token.raw.matchAll(/“([^”]+)”/g)) texts.push(plain(quote));
  void walkTokens([...tokens], (token) => {
    if (isA(token, 'em') || isA(token, 'strong')) names.push(...plain(token.text).split(' → '));
    else if (isA(token, 'codespan')) texts.push(plain(token.text));
    else if (isA(token, 'link') && /^https?:\/\/(?:127\.0\.0\.1|localhost)\b/.test(token.href)) texts.push(token.href);
  });
  return { names, texts };
}

const plain = (text: string): string => text.replaceAll(/\s+/g, ' ');

function isA<Type extends MarkedToken['type']>(
  token: Token,
  type: Type,
): token is Extract<MarkedToken, { readonly type: Type }> {
  return token.type === type;
}

/**
 * Takes the steps one after the other.
 *
 * @param picture - takes a picture of the screen and returns its path
 * @throws Error with the step, its word and the picture where it cannot be taken
 */
export async function walk(
  steps: readonly Step[],
  actions: Actions,
  picture: (title: string) => Promise<string>,
): Promise<void> {
  const titles = new Set(steps.map(({ title }) => title));
  const without = [...titles].filter((title) => !Object.hasOwn(actions, title));
  const leftOver = Object.keys(actions).filter((title) => !titles.has(title));
  if (without.length > 0) throw new Error(`No actions are known for "${without.join('", "')}".`);
  if (leftOver.length > 0) throw new Error(`The pages have no step "${leftOver.join('", "')}".`);
  for (const { title, names, texts } of steps) {
    let latest = '';
    let [nameCount, textCount] = [0, 0];
    const words: Words = {
      name() {
        latest = names[nameCount++] ?? '';
        if (!latest) throw new Error('The page has no further name here.');
        return latest;
      },
      text(part = '') {
        const place = texts.findIndex(
          (each, n) => n >= textCount && (part instanceof RegExp ? part.test(each) : each.includes(part)),
        );
        latest = texts[place] ?? String(part);
        if (place === -1) throw new Error('The page has no such text here.');
        textCount = place + 1;
        return latest;
      },
    };
    try {
      await actions[title]?.(words);
      [latest = ''] = names.slice(nameCount);
      if (latest) throw new Error('It is on the page, and nobody looked for it.');
    } catch (error) {
      throw new Error(`${title}, at "${latest}": ${String(error)}\nThe screen: ${await picture(title)}`, {
        cause: error,
      });
    }
  }
}
