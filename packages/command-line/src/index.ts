/**
 * The command-line layer of `newsletter`, `newsletter-relay` and `newsletter-sandbox`: commands from a table, each
 * loaded when it is called, with `--help`, `--version`, suggestions, exit codes and shell completion. It stands on
 * commander. Each of the three packages compiles it into its own `dist/command-line` and imports it as `#command-line`.
 *
 * @packageDocumentation
 */
export { collect, collectList, notes, wholeNumber, type Candidate } from './options.ts';
export {
  createProgram,
  defineCommand,
  type CommandEntry,
  type CommandLine,
  type CommandModule,
  endWithReader,
  printError,
  runCommandLine,
  type RunOptions,
  quote,
  UsageError,
} from './program.ts';
export { useProxies } from './proxy.ts';
