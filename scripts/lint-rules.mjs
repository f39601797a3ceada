/**
 * The project's own lint rules.
 *
 * - `floors`: what stands in a folder imports from it only what stands on lower floors, types included. Its options are
 *   the folder and its floors, the lowest first: lists of names of files and folders in it.
 * - `named-waits`: a fast test waits for an event, by a name (`test/support/waits.ts`), and never for a time.
 * - `typed-tables`: see lint-typed-tables.mjs.
 * - `subscriber-status`: see lint-subscriber-status.mjs.
 */
import { dirname, relative, resolve, sep } from 'node:path';
import { subscriberStatus } from './lint-subscriber-status.mjs';
import { typedTables } from './lint-typed-tables.mjs';

/**
 * What this file reads of the syntax tree.
 *
 * @typedef {{ type: string, importKind?: string, imported?: { name?: string }, local?: { name?: string } }} Specifier
 * @typedef {{ source: { value: string }, importKind?: string, specifiers: Specifier[] }} ImportDeclaration
 * @typedef {{ type: string, source: { type: string, value?: unknown } | null }} Import
 * @typedef {{ type: string, name?: string }} Callee
 * @typedef {{ type: string, callee: Callee, arguments: unknown[] }} Call
 * @typedef {object} Context
 * @property {string} cwd
 * @property {string} filename
 * @property {[folder: string, floors: string[][]]} options
 * @property {(problem: { node: Specifier | Import | ImportDeclaration | Call, message: string }) => void} report
 */
const house = {
  meta: { name: 'house' },
  rules: {
    'subscriber-status': subscriberStatus,
    'typed-tables': typedTables,
    floors: {
      meta: { schema: [{ type: 'string' }, { type: 'array', items: { type: 'array', items: { type: 'string' } } }] },
      create(/** @type {Context} */ { cwd, filename, options: [folder, floors], report }) {
        const placeOf = (/** @type {string} */ file) => relative(resolve(cwd, folder), file).split(sep)[0] ?? '';
        const floorOf = (/** @type {string} */ place) => floors.findIndex((places) => places.includes(place));
        const own = placeOf(filename);
        const check = (/** @type {Import} */ node) => {
          const path = node.source?.value;
          if (typeof path !== 'string' || !path.startsWith('.')) return;
          const other = placeOf(resolve(dirname(filename), path));
          if (other === own || other === '..') return;
          for (const place of [own, other])
            if (floorOf(place) < 0)
              return report({ node, message: `${place} stands on no floor of ${folder}: name it in .oxlintrc.json.` });
          if (floorOf(other) >= floorOf(own))
            report({
              node,
              message: `${own} imports nothing of ${other}, which stands no lower: move what both need a floor down.`,
            });
        };
        return {
          ImportDeclaration: check,
          ExportNamedDeclaration: check,
          ExportAllDeclaration: check,
          ImportExpression: check,
        };
      },
    },
    'named-waits': {
      create(/** @type {Context} */ { report }) {
        const message =
          'Wait for an event: name it with waitFor or waitUntil of test/support/waits.ts. A sleep fails on a busy machine.';
        let promises = 0;
        return {
          ImportDeclaration(/** @type {ImportDeclaration} */ node) {
            const names = node.specifiers.map(({ imported, local }) => (imported ?? local)?.name);
            if (/^(node:)?timers\/promises$/.test(node.source.value) || names.includes('aTimeout'))
              report({ node, message });
          },
          NewExpression: (/** @type {Call} */ { callee }) => void (promises += callee.name === 'Promise' ? 1 : 0),
          'NewExpression:exit': (/** @type {Call} */ { callee }) =>
            void (promises -= callee.name === 'Promise' ? 1 : 0),
          CallExpression(/** @type {Call} */ node) {
            const { callee } = node;
            const isSleep = promises > 0 && callee.name === 'setTimeout' && node.arguments.length > 1;
            if (isSleep) report({ node, message });
          },
        };
      },
    },
  },
};

export default house;
