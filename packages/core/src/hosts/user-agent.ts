/** The `User-Agent` of requests. */

/** The version of the package; a test compares them. */
const version = '0.1.0';

/**
 * Name, version and runtime, for example `newsletter-kit/0.1.0 node/24.21.0`; undefined in browsers, where scripts may
 * not set the header, and wherever the runtime does not tell its version.
 */
export const userAgent: string | undefined = (() => {
  const { bun, deno, node }: Readonly<Record<string, string | undefined>> = globalThis.process?.versions ?? {};
  const runtime = bun ? `bun/${bun}` : deno ? `deno/${deno}` : node && `node/${node}`;
  return runtime && `newsletter-kit/${version} ${runtime}`;
})();
