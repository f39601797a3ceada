/** Describes an app in a framework, for the test that builds it with the packed package. */

/** A line that the type checker has to refuse. */
export interface Mistake {
  /** One line of a template. */
  readonly code: string;
  /** Part of the error that the checker reports on that line. */
  readonly error: string;
}

/** A command that checks the types of all files of the app. */
export interface Checker {
  readonly title: string;
  /** Name of the command in `node_modules/.bin`, or its path from there. */
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * The page of an app reads three parameters of its address: `endpoint`, `form` (`fields`: `<newsletter-field>`
 * elements, `own`: a form inside the tag) and `list` (`keyed`, `unkeyed`). It has the fields Company (required), First
 * name, City and the hidden field Plan. The button `#remove` removes Company, `#insert` inserts Job title as the first
 * field. `#heard` lists the events that the handlers of the framework received.
 */
export interface App {
  readonly name: string;
  /** What is installed besides the package: exact versions. */
  readonly packages: readonly string[];
  /** All files of the app by their paths. */
  readonly files: Readonly<Record<string, string>>;
  readonly checkers: readonly Checker[];
  /** The file that holds the mistakes. */
  readonly mistakesFile: string;
  readonly mistakes: readonly Mistake[];
}

/** The page that every app starts in. */
export const page = (script: string): string => `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>App</title><link rel="icon" href="data:,"></head>
  <body><div id="app"></div><script type="module" src="${script}"></script></body>
</html>
`;

/** Settings of TypeScript as the starters of the frameworks have them. */
export const compilerOptions = {
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: ['vite/client'],
  strict: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
  noEmit: true,
} as const;

/** The lines of the mistakes, for a template. */
export const linesOf = (mistakes: readonly Mistake[]): string => mistakes.map(({ code }) => code).join('\n');
