/**
 * Takes the condition `@newsletter-kit/source` out of what is packed: it names the sources, which tarballs do not
 * contain.
 */
const condition = '@newsletter-kit/source';

const withoutSources = (exports) =>
  Object.fromEntries(
    Object.entries(exports).map(([entry, targets]) => {
      if (typeof targets === 'string') return [entry, targets];
      const { [condition]: _source, ...published } = targets;
      return [entry, published];
    }),
  );

module.exports = {
  hooks: {
    beforePacking: (manifest) =>
      manifest.exports ? { ...manifest, exports: withoutSources(manifest.exports) } : manifest,
  },
};
