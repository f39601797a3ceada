/** Reads a page of the documentation: the commands its reader runs, its links, and the anchors of its headings. */
import GithubSlugger from 'github-slugger';
import { lexer, walkTokens, type MarkedToken, type Token, type Tokens } from 'marked';

/**
 * Ports as the documentation names them: `npm start` uses 4000, 4010 and 4020, a second server one beside it. A part of
 * a UUID is none.
 */
export const documentedPort = /(?<![\w.-])40\d\d(?![\w-]|\.\d)/g;

/** A block of commands. */
export interface Commands {
  readonly text: string;
  /** The lines of the `text` block directly after it: what it prints. */
  readonly prints: readonly string[];
  /** What a server prints once it is ready; it then runs until Ctrl-C. */
  readonly until?: string;
  /** The test that executes the block, because it cannot run in a clone. */
  readonly elsewhere?: { readonly file: string; readonly reason: string };
}

export interface Page {
  readonly commands: readonly Commands[];
  /** Targets of links and pictures as they are written, each once. */
  readonly links: readonly string[];
  readonly anchors: ReadonlySet<string>;
  /** Fenced blocks that the newcomer cannot judge, each with the reason. */
  readonly problems: readonly string[];
}

/** Languages of blocks that nobody types into a terminal. A `text` block that no `sh` block precedes is one of them. */
const otherLanguages = new Set(
  'astro caddyfile css csv diff haproxy html http ini js json jsx mdx mermaid nginx php promql properties python sql svelte text toml ts tsx vue xml yaml'.split(
    ' ',
  ),
);

/** @param source - Markdown, or MDX whose expressions stand on lines of their own */
export function readPage(source: string): Page {
  const tokens: Token[] = [];
  void walkTokens(lexer(source.replace(/^---\n[\s\S]*?\n---\n/, '')), (token) => void tokens.push(token));
  const visible = tokens.filter(({ type }) => type !== 'space');
  const commands: Commands[] = [];
  const links = new Set<string>();
  const anchors = new Set<string>();
  const problems: string[] = [];
  const slugger = new GithubSlugger();
  for (const [place, token] of visible.entries()) {
    if (isFenced(token)) {
      const read = readBlock(token, visible[place + 1]);
      if (typeof read === 'string') problems.push(`${read}\n${token.text}`);
      else if (read) commands.push(read);
    } else if (isA(token, 'link') || isA(token, 'image')) {
      links.add(token.href);
    } else if (isA(token, 'html')) {
      for (const [, target = ''] of token.raw.matchAll(/\b(?:src|href)="([^"]+)"/g)) links.add(target);
    } else if (isA(token, 'heading')) {
      const words: string[] = [];
      void walkTokens(token.tokens, (part) => {
        if ((isA(part, 'text') && !part.tokens) || isA(part, 'codespan') || isA(part, 'escape')) words.push(part.text);
      });
      anchors.add(slugger.slug(words.join('')));
    }
  }
  return { commands, links: [...links], anchors, problems };
}

/** @returns nothing for a block that is no command, a sentence for one that cannot be judged */
function readBlock({ lang = '', text }: Tokens.Code, next: Token | undefined): Commands | string | undefined {
  const [language = ''] = lang.split(' ', 1);
  const attributes = readAttributes(lang.slice(language.length));
  if (otherLanguages.has(language)) return undefined;
  if (language !== 'sh') return language ? `"${language}" is no supported language.` : 'A block has no language.';
  if (!attributes) return `The attributes in "${lang}" cannot be read.`;
  const { until, elsewhere, ...unknown } = attributes;
  const [name] = Object.keys(unknown);
  if (name !== undefined) return `There is no attribute "${name}".`;
  if (until !== undefined && elsewhere !== undefined) return '"until" and "elsewhere" exclude each other.';
  const prints =
    next && isFenced(next) && next.lang === 'text' ? next.text.split('\n').filter((line) => line.trim()) : [];
  if (until !== undefined) return until ? { text, prints, until } : '"until" is empty.';
  if (elsewhere === undefined) return { text, prints };
  const [, file, reason] = /^(\S+): (\S.*)$/.exec(elsewhere) ?? [];
  if (!file || !reason) return '"elsewhere" is "FILE: REASON".';
  return { text, prints, elsewhere: { file, reason } };
}

/** @returns nothing where something else stands between `name="value"` pairs */
function readAttributes(text: string): Readonly<Record<string, string>> | undefined {
  const pair = / +(\w+)="([^"]*)"/g;
  if (text.replaceAll(pair, '').trim()) return undefined;
  return Object.fromEntries([...text.matchAll(pair)].map(([, name = '', value = '']) => [name, value]));
}

/**
 * Whether the output has these lines in this order, each as a whole; `…` matches anything.
 *
 * @returns the first line that is missing
 */
export function missingLine(output: string, expected: readonly string[]): string | undefined {
  // A carriage return inside a line writes over what it showed.
  const printed = output.split('\n').map((line) => line.trim().split('\r').at(-1)?.trim() ?? '');
  let place = 0;
  for (const line of expected) {
    const pieces = line
      .trim()
      .replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')
      .split('…');
    const pattern = new RegExp(`^${pieces.join('.*')}$`);
    const found = printed.findIndex((each, n) => n >= place && pattern.test(each));
    if (found === -1) return line;
    place = found + 1;
  }
  return undefined;
}

/**
 * Whether a test executes a block: it reads the page, or it contains the first words of every command: two, and three
 * of `npm run NAME`.
 *
 * @returns a command that it does not contain
 */
export function missingCommand(test: string, page: string, block: string): string | undefined {
  if (test.includes(page)) return undefined;
  const words = ` ${test.replaceAll(/[^\w./@-]+/g, ' ')} `;
  return block
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.trim().replace(/^(?:\w+=\S* )+/, ''))
    .filter((line) => line && !line.startsWith('#'))
    .find((line) => !words.includes(` ${line.split(/\s+/, line.startsWith('npm run ') ? 3 : 2).join(' ')} `));
}

function isA<Type extends MarkedToken['type']>(
  token: Token,
  type: Type,
): token is Extract<MarkedToken, { readonly type: Type }> {
  return token.type === type;
}

const isFenced = (token: Token): token is Tokens.Code => isA(token, 'code') && token.codeBlockStyle !== 'indented';
