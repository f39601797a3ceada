/** What the analyzer reads the manifest from: the JSDoc of the two elements and their events. */
export default {
  globs: ['src/newsletter-*.ts', 'src/events.ts', 'src/define.ts'],
  exclude: ['src/*.styles.ts'],
  outdir: '.',
  litelement: true,
  packagejson: false,
};
