/** What the analyzer makes the manifest from: the JSDoc of the elements and their events. */

/** Keeps to what is public: no private or protected members, and of the events those the JSDoc names. */
const publicOnly = {
  name: 'public-only',
  packageLinkPhase({ customElementsManifest }) {
    for (const declaration of customElementsManifest.modules.flatMap(({ declarations }) => declarations ?? [])) {
      declaration.members = declaration.members?.filter(
        ({ name, privacy, static: isStatic }) =>
          !name.startsWith('#') && !['private', 'protected'].includes(privacy) && !isStatic,
      );
      declaration.events = declaration.events?.filter(({ name }) => name?.startsWith('newsletter-'));
    }
  },
};

/**
 * Speaks of the modules as they are published: all that is declared stands in `index.js`, and `define.js` registers it.
 */
const asPublished = {
  name: 'as-published',
  packageLinkPhase({ customElementsManifest }) {
    const published = (path) => (path.endsWith('src/define.ts') ? 'dist/define.js' : 'dist/index.js');
    const modules = new Map();
    for (const { kind, path, declarations = [], exports = [] } of customElementsManifest.modules) {
      const module = modules.get(published(path)) ?? { kind, path: published(path), declarations: [], exports: [] };
      module.declarations.push(...declarations);
      module.exports.push(
        ...exports.map((each) => ({
          ...each,
          declaration: { ...each.declaration, module: published(each.declaration.module) },
        })),
      );
      modules.set(module.path, module);
    }
    customElementsManifest.modules = [...modules.values()];
  },
};

export default {
  globs: ['src/newsletter-field.ts', 'src/newsletter-signup.ts', 'src/events.ts', 'src/define.ts'],
  outdir: '.',
  litelement: true,
  packagejson: false,
  plugins: [publicOnly, asPublished],
};
