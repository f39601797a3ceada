/**
 * What core offers on Node alone, because it needs the file system.
 *
 * @packageDocumentation
 */
export { createFileTokenStore, TokenFileError } from './token-file.ts';
