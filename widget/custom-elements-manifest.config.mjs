/** Configures the analyzer that writes the manifest from the JSDoc of the elements and their events. */

/** Keeps what is public: classes without private and protected members, and the events that their JSDoc names. */
const publicOnly = {
  name: 'public-only',
  packageLinkPhase({ customElementsManifest }) {
    for (const module of customElementsManifest.modules) {
      module.declarations = module.declarations?.filter(({ kind }) => kind === 'class');
      const names = new Set(module.declarations?.map(({ name }) => name));
      module.exports = module.exports?.filter(({ kind, declaration }) => kind !== 'js' || names.has(declaration.name));
    }
    for (const declaration of customElementsManifest.modules.flatMap(({ declarations }) => declarations ?? [])) {
      declaration.members = declaration.members?.filter(
        ({ name, privacy, static: isStatic }) =>
          !name.startsWith('#') && !['private', 'protected'].includes(privacy) && !isStatic,
      );
      declaration.events = declaration.events?.filter(({ name }) => name?.startsWith('newsletter-'));
    }
  },
};

/** The braces of `@cssprop {<color>}` are the syntax of its values, for which the schema has a name of its own. */
const cssSyntax = {
  name: 'css-syntax',
  packageLinkPhase({ customElementsManifest }) {
    for (const { declarations = [] } of customElementsManifest.modules)
      for (const property of declarations.flatMap(({ cssProperties = [] }) => cssProperties)) {
        if (property.type) property.syntax = property.type.text;
        delete property.type;
      }
  },
};

/** Names the published modules: `index.js` contains every declaration, and `define.js` registers the elements. */
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
  globs: ['src/field-element.ts', 'src/signup-element.ts', 'src/events.ts', 'src/define.ts'],
  outdir: '.',
  litelement: true,
  packagejson: false,
  plugins: [publicOnly, cssSyntax, asPublished],
};
