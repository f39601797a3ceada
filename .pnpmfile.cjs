/**
 * Takes the condition `@newsletter-kit/source` out of what is packed: it names the sources, which tarballs do not
 * contain. And makes lists of a platform that a package names as a word (those of Node do): pnpm reads lists only, and
 * would install Node for every platform.
 *
 * @typedef {Readonly<Record<string, string | Readonly<Record<string, string>>>>} Entries
 *
 * @typedef {{ readonly exports?: Entries; readonly imports?: Entries }} Manifest
 *
 * @typedef {{ os?: string | readonly string[]; cpu?: string | readonly string[] }} Platform
 */
const condition = '@newsletter-kit/source';

/**
 * @param {[string, Entries[string]]} entry
 * @returns {[string, Entries[string]]}
 */
const withoutSource = ([entry, targets]) => {
  if (typeof targets === 'string') return [entry, targets];
  const { [condition]: _source, ...published } = targets;
  return [entry, published];
};

/**
 * @param {Entries} entries
 * @returns {Entries}
 */
const withoutSources = (entries) => Object.fromEntries(Object.entries(entries).map(withoutSource));

module.exports = {
  hooks: {
    readPackage: (/** @type {Platform} */ manifest) => {
      for (const field of /** @type {const} */ (['os', 'cpu']))
        if (typeof manifest[field] === 'string') manifest[field] = [manifest[field]];
      return manifest;
    },
    beforePacking: (/** @type {Manifest} */ manifest) => ({
      ...manifest,
      ...(manifest.exports && { exports: withoutSources(manifest.exports) }),
      ...(manifest.imports && { imports: withoutSources(manifest.imports) }),
    }),
  },
};
