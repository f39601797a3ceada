/**
 * The lint rule `subscriber-status`. The service may add statuses, so a comparison of a status with a word is wrong for
 * the next one: only core's `facts/subscriber-status.ts` compares them, where an unknown word counts as having left.
 *
 * A status is what is named so: `status`, `record.status`, and `from` and `to` of an event. It is compared with a word
 * of the specification, or looked up in a list, a set or a table of them, whose declaration stands in the same file.
 */
const words = new Set(['validating', 'invalid', 'pending', 'active', 'inactive', 'needs_attention', 'paused']);

/**
 * What this file reads of the syntax tree.
 *
 * @typedef {object} Node
 * @property {string} type
 * @property {string} [name]
 * @property {unknown} [value]
 * @property {string} [operator]
 * @property {boolean} [computed]
 * @property {Node} [left]
 * @property {Node} [right]
 * @property {Node} [object]
 * @property {Node} [property]
 * @property {Node} [key]
 * @property {Node} [id]
 * @property {Node | null} [init]
 * @property {Node} [expression]
 * @property {Node} [callee]
 * @property {Node[]} [arguments]
 * @property {Node[]} [properties]
 * @property {(Node | null)[]} [elements]
 * @property {Node} [discriminant]
 * @property {{ test: Node | null }[]} [cases]
 *
 * @typedef {{ report: (problem: { node: Node, message: string }) => void }} Context
 */

/**
 * An expression without what types and a missing value add to it.
 *
 * @param {Node | null | undefined} node
 * @returns {Node | null | undefined}
 */
function bare(node) {
  if (/^TS(?:As|Satisfies|NonNull)Expression$|^ChainExpression$/.test(node?.type ?? '')) return bare(node?.expression);
  if (node?.type === 'LogicalExpression') return bare(node.left);
  // String(status)
  return node?.type === 'CallExpression' && node.callee?.name === 'String' ? bare(node.arguments?.[0]) : node;
}

/** @param {Node | null | undefined} given */
function isStatus(given) {
  const node = bare(given);
  const { name, value } = (node?.type === 'MemberExpression' ? node.property : node) ?? {};
  return /^(?:status|from|to)$|Status$/.test(name ?? String(value));
}

/** @param {Node | null | undefined} node */
const isWord = (node) => words.has(String(bare(node)?.value));

/**
 * Whether an expression is a list, a set, a map or a table with a word.
 *
 * @param {Node | null | undefined} given
 * @returns {boolean}
 */
function hasWord(given) {
  const node = bare(given);
  if (node?.type === 'NewExpression') return hasWord(node.arguments?.[0]);
  if (node?.type === 'ArrayExpression') return (node.elements ?? []).some((each) => isWord(each) || hasWord(each));
  if (node?.type !== 'ObjectExpression') return false;
  return (node.properties ?? []).some(({ key }) => words.has(String(key?.name ?? key?.value)));
}

export const subscriberStatus = {
  create(/** @type {Context} */ { report }) {
    /** Lists and tables with a word, by their names. @type {Set<string | undefined>} */
    const lists = new Set();
    /** Where a status is looked up, and in what. @type {[Node, Node | undefined][]} */
    const lookups = [];
    const message =
      'Ask getsMail, hasLeft or another function of @newsletter-kit/core/facts: the next status that the service adds has no word here.';
    return {
      VariableDeclarator(/** @type {Node} */ { id, init }) {
        if (hasWord(init)) lists.add(id?.name);
      },
      BinaryExpression(/** @type {Node} */ node) {
        const { operator = '', left, right } = node;
        if (!/^[!=]==?$/.test(operator)) return;
        if ((isStatus(left) && isWord(right)) || (isWord(left) && isStatus(right))) report({ node, message });
      },
      SwitchStatement(/** @type {Node} */ node) {
        if (isStatus(node.discriminant) && node.cases?.some(({ test }) => isWord(test))) report({ node, message });
      },
      CallExpression(/** @type {Node} */ node) {
        const method = bare(node.callee);
        if (!/^(?:includes|has|indexOf|get)$/.test(method?.property?.name ?? '')) return;
        if (isStatus(node.arguments?.[0])) lookups.push([node, method?.object]);
      },
      MemberExpression(/** @type {Node} */ node) {
        if (node.computed && isStatus(node.property)) lookups.push([node, node.object]);
      },
      'Program:exit'() {
        for (const [node, list] of lookups) if (hasWord(list) || lists.has(bare(list)?.name)) report({ node, message });
      },
    };
  },
};
