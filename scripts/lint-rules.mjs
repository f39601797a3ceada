/** The project's own lint rules. `zod-namespace`: see docs/src/content/docs/decisions/0008-zod-as-a-namespace.md. */

/**
 * What this file reads of the syntax tree.
 *
 * @typedef {{ type: string, importKind?: string }} Specifier
 * @typedef {{ source: { value: string }, importKind?: string, specifiers: Specifier[] }} ImportDeclaration
 * @typedef {{ report(problem: { node: Specifier, message: string }): void }} Context
 */
const house = {
  meta: { name: 'house' },
  rules: {
    'zod-namespace': {
      create: (/** @type {Context} */ context) => ({
        ImportDeclaration(/** @type {ImportDeclaration} */ node) {
          if (!/^zod(\/mini)?$/.test(node.source.value) || node.importKind === 'type') return;
          for (const specifier of node.specifiers) {
            if (specifier.type === 'ImportNamespaceSpecifier' || specifier.importKind === 'type') continue;
            context.report({
              node: specifier,
              message:
                "Write import * as z from 'zod' or 'zod/mini': any other import brings every language along, 66 KB gzip.",
            });
          }
        },
      }),
    },
  },
};

export default house;
