/** Lines of code and words of Markdown, counted. */
import { extname } from 'node:path';
import { parseSync } from 'vite';

/** An empty text with as many lines. */
const blanked = (text: string): string => text.replaceAll(/[^\n]/g, '');

/** TypeScript and JavaScript without the comments that the parser finds; its lines are kept. */
export function withoutScriptComments(text: string, name = 'script.ts'): string {
  let rest = '';
  let end = 0;
  for (const comment of parseSync(name, text).comments) {
    rest += text.slice(end, comment.start) + blanked(text.slice(comment.start, comment.end));
    end = comment.end;
  }
  return rest + text.slice(end);
}

/** A string, or a comment, whichever begins first. */
const tokens = {
  css: /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\/\*.*?\*\//gs,
  php: /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\/\*.*?\*\/|(?:\/\/|#(?!\[))[^\n]*/gs,
} as const;

const withoutComments = (text: string, language: keyof typeof tokens): string =>
  text.replaceAll(tokens[language], (token) => (/^["']/.test(token) ? token : blanked(token)));

/** Comments of HTML, and the parts of a page that are another language. */
const markup = /<!--.*?-->|<\?php.*?(?:\?>|(?![^]))|<style\b.*?<\/style>|<script\b.*?<\/script>|^---\n.*?\n---$/gms;

function withoutMarkupComments(text: string): string {
  return text.replaceAll(markup, (part) => {
    if (part.startsWith('<!--')) return blanked(part);
    if (part.startsWith('<?php')) return withoutComments(part, 'php');
    if (part.startsWith('<style')) return withoutComments(part, 'css');
    const [, begin = '', script = '', end = ''] = /^(---|<script\b[^>]*>)(.*)(---|<\/script>)$/s.exec(part) ?? [];
    return begin + withoutScriptComments(script) + end;
  });
}

/** What counts as code, by extension. JSON and YAML are settings and data, and do not. */
const languages: readonly (readonly [extensions: RegExp, withoutComments: (text: string, name: string) => string])[] = [
  [/^\.[cm]?[jt]sx?$/, (text, name) => withoutScriptComments(text, `script${extname(name)}`)],
  [/^\.css$/, (text) => withoutComments(text, 'css')],
  [/^\.(?:astro|html|php|svelte|vue)$/, withoutMarkupComments],
  // A line of a shell script that is nothing but a comment.
  [/^\.sh$/, (text) => text.replaceAll(/^\s*#.*$/gm, blanked)],
];

/**
 * The lines of a file that are neither blank nor a comment.
 *
 * @param name - the file's name. Without an extension it is a shell script if its first line says so
 * @returns undefined where the file is no code
 */
export function linesOfCode(name: string, text: string): number | undefined {
  const extension = extname(name) || (/^#!.*sh\n/.test(text) ? '.sh' : '');
  const language = languages.find(([extensions]) => extensions.test(extension));
  return language && linesOf(language[1](text, name));
}

/** The lines that are not blank. */
export const linesOf = (text: string): number => text.split('\n').filter((line) => line.trim()).length;

/**
 * The words of a page of Markdown: of its text, lists and tables. The frontmatter, blocks of code, addresses of links,
 * comments, and what a command writes do not count: it stands between `<!-- NAME -->` and `<!-- /NAME -->`, or between
 * `<!-- NAME: generated, … -->` and `<!-- end -->`.
 */
export function wordsOf(page: string): number {
  const text = page
    .replace(/^---\n.*?\n---\n/s, '')
    .replaceAll(/^(?<fence> *```+).*?^\k<fence>$/gms, '')
    .replaceAll(/<!-- (?<name>[\w-]+) -->.*?<!-- \/\k<name> -->|<!-- [\w-]+: generated.*?<!-- end -->/gs, '')
    .replaceAll(/<!--.*?-->|\]\([^)]*\)/gs, ' ');
  return text.match(/[\p{L}\p{N}][\p{L}\p{N}’'._-]*/gu)?.length ?? 0;
}
