/**
 * Bundles the validator with the schemas and zod into the one file that a client loads: zod's package would load some
 * 80 files. `…/schema` imports the package zod, so that no schema of the one may be passed to the other.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, Visitor, type ESTree, type Plugin } from 'vite';

/** What the validator reads of an operation; the rest of a record is in the tables of the contract. */
const kept = new Set(['query', 'body', 'answer', 'twin']);

const nameOf = (property: ESTree.ObjectPropertyKind): string =>
  property.type === 'Property' && property.key.type === 'Identifier' ? property.key.name : '';

/** Takes the documentation out of the records, which a bundler cannot: it keeps every property of an object. */
const withoutDocumentation: Plugin = {
  name: 'without-documentation',
  transform: {
    filter: { id: /[\\/]src[\\/]records[\\/]/ },
    handler(code) {
      const dropped: [start: number, end: number][] = [];
      new Visitor({
        ObjectExpression({ properties, end }) {
          if (!properties.some((property) => nameOf(property) === 'request')) return;
          for (const [index, property] of properties.entries()) {
            if (!kept.has(nameOf(property))) dropped.push([property.start, properties[index + 1]?.start ?? end - 1]);
          }
        },
      }).visit(this.parse(code));
      return dropped.reduceRight((rest, [start, end]) => rest.slice(0, start) + rest.slice(end), code);
    },
  },
};

await build({
  configFile: false,
  logLevel: 'warn',
  root: fileURLToPath(new URL('..', import.meta.url)),
  plugins: [withoutDocumentation],
  build: {
    lib: { entry: 'src/schema/validator.ts', formats: ['es'], fileName: 'validator' },
    outDir: 'dist/schema',
    emptyOutDir: false,
    minify: false,
    target: 'es2022',
    rolldownOptions: {
      // The licence of zod requires its notice in copies.
      output: {
        banner: `/*!\nContains zod:\n\n${readFileSync(new URL('LICENSE', import.meta.resolve('zod')), 'utf8')}*/`,
      },
    },
  },
});
