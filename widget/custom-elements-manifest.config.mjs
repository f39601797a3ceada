/** What the analyzer makes the manifest from: the JSDoc of the elements and their events. */

/** Keeps to what is public: no private members, and of the events those the JSDoc names. */
const publicOnly = {
  name: 'public-only',
  packageLinkPhase({ customElementsManifest }) {
    for (const declaration of customElementsManifest.modules.flatMap(({ declarations }) => declarations ?? [])) {
      declaration.members = declaration.members?.filter(({ name, static: isStatic }) => !name.startsWith('#') && !isStatic);
      declaration.events = declaration.events?.filter(({ name }) => name?.startsWith('newsletter-'));
    }
  },
};

export default {
  globs: ['src/newsletter-field.ts', 'src/newsletter-signup.ts', 'src/events.ts', 'src/define.ts'],
  outdir: '.',
  litelement: true,
  packagejson: false,
  plugins: [publicOnly],
};
