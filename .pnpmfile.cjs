/**
 * Takes the condition `@newsletter-kit/source` out of what is packed: it names the sources, which tarballs do not
 * contain.
 *
 * @typedef {Readonly<Record<string, string | Readonly<Record<string, string>>>>} Exports
 */
const condition = '@newsletter-kit/source';

/**
 * @param {[string, Exports[string]]} entry
 * @returns {[string, Exports[string]]}
 */
const withoutSources = ([entry, targets]) => {
  if (typeof targets === 'string') return [entry, targets];
  const { [condition]: _source, ...published } = targets;
  return [entry, published];
};

module.exports = {
  hooks: {
    beforePacking: (/** @type {{ readonly exports?: Exports }} */ manifest) =>
      manifest.exports
        ? { ...manifest, exports: Object.fromEntries(Object.entries(manifest.exports).map(withoutSources)) }
        : manifest,
  },
};
