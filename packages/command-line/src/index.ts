/**
 * The command-line layer of `newsletter`, `newsletter-relay` and `newsletter-sandbox`: commands from a table, each
 * loaded when it is called, with `--help`, `--version`, suggestions, exit codes and shell completion. It stands on
 * commander. Each of the three packages compiles it into its own `dist/command-line` and imports it as `#command-line`.
 *
 * @packageDocumentation
 */
export * from './options.ts';
export * from './program.ts';
export * from './proxy.ts';
