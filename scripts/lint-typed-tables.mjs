/**
 * The lint rule `typed-tables`. `Record<string, …>` says that every word has an entry, so a missing key of a table is
 * noticed by nothing. A table whose keys stand in the source is typed
 *
 * - by the union of its keys, `Record<Union, …>`,
 * - as the definition of that union, with `keyof typeof table` in the same file, or
 * - as `Partial<Record<string, …>>`, if the keys are words of others, such as the codes of a database.
 */

/**
 * What this file reads of the syntax tree.
 *
 * @typedef {object} Node
 * @property {string} type
 * @property {string} [name]
 * @property {Node} [typeName]
 * @property {{ params: Node[] }} [typeArguments]
 * @property {Node} [typeAnnotation]
 * @property {Node} [expression]
 * @property {string} [operator]
 * @property {Node} [exprName]
 * @property {Node} [id]
 * @property {Node} [init]
 * @property {Node[]} [properties]
 * @property {Node} [key]
 * @property {boolean} [computed]
 * @property {Node | null} [declaration]
 * @property {Node[]} [declarations]
 * @property {Node[]} [body]
 *
 * @typedef {{ report: (problem: { node: Node, message: string }) => void }} Context
 */

/**
 * Whether a type has an entry for every string.
 *
 * @param {Node | undefined} type
 * @returns {boolean}
 */
function isKeyedByString(type) {
  const [first] = type?.typeArguments?.params ?? [];
  if (type?.typeName?.name === 'Readonly') return isKeyedByString(first);
  return type?.typeName?.name === 'Record' && first?.type === 'TSStringKeyword';
}

/**
 * The names of tables that a statement at the top of a file declares with such a type.
 *
 * @param {Node} statement
 */
function tablesOf(statement) {
  const { declarations = [] } = statement.declaration ?? statement;
  return declarations.flatMap(({ id, init }) => {
    const satisfied = init?.type === 'TSSatisfiesExpression' ? init : undefined;
    const inner = satisfied?.expression ?? init;
    const { properties = [] } = (inner?.type === 'TSAsExpression' ? inner.expression : inner) ?? {};
    const isTable = properties.length > 1 && properties.every(({ key, computed }) => key && !computed);
    const types = [id?.typeAnnotation?.typeAnnotation, satisfied?.typeAnnotation];
    return isTable && id && types.some((type) => isKeyedByString(type)) ? [id] : [];
  });
}

export const typedTables = {
  create(/** @type {Context} */ { report }) {
    /** @type {Node[]} */
    const tables = [];
    /** Names in `keyof typeof name`. @type {Set<string | undefined>} */
    const unions = new Set();
    return {
      Program(/** @type {Node} */ { body = [] }) {
        tables.push(...body.flatMap(tablesOf));
      },
      TSTypeOperator(/** @type {Node} */ { operator, typeAnnotation }) {
        if (operator === 'keyof' && typeAnnotation?.type === 'TSTypeQuery') unions.add(typeAnnotation.exprName?.name);
      },
      'Program:exit'() {
        for (const node of tables)
          if (!unions.has(node.name))
            report({
              node,
              message: `Nothing notices a missing key of ${node.name}: write Record<Union, …> with the union of its keys, or Partial<Record<string, …>> if they are words of others.`,
            });
      },
    };
  },
};
