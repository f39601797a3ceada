/**
 * Prepares pages so that they hide nothing in a narrow column: the name of its column in each cell, shown where a phone
 * stacks the cells of a row; places at which code in a line may break; comments above the lines of code that would
 * break in front of them.
 */
import type { SatteriProcessorOptions } from '@astrojs/markdown-satteri';

type HtmlPlugin = Exclude<
  NonNullable<SatteriProcessorOptions['hastPlugins']>[number],
  readonly unknown[] | ((...of: never) => unknown) | null | undefined | false
>;

type MarkdownPlugin = Exclude<
  NonNullable<SatteriProcessorOptions['mdastPlugins']>[number],
  readonly unknown[] | ((...of: never) => unknown) | null | undefined | false
>;

type Visitor = Extract<NonNullable<HtmlPlugin['text']>, (...of: never) => unknown>;
type HtmlContext = Parameters<Visitor>[1];
type Node = Parameters<HtmlContext['textContent']>[0];

/** The elements of these names below a node. */
function within(node: Node, ...names: readonly string[]): readonly Node[] {
  const children: readonly Node[] = 'children' in node ? node.children : [];
  return children.flatMap((child) =>
    child.type === 'element' && names.includes(child.tagName) ? child : within(child, ...names),
  );
}

export const labelledCells = {
  name: 'labelled-cells',
  element: {
    filter: ['table'],
    visit(table, context) {
      const [head = [], ...rows] = within(table, 'tr').map((row) => within(row, 'th', 'td'));
      for (const row of rows)
        for (const [index, cell] of row.entries()) {
          const label = head[index] === undefined ? '' : context.textContent(head[index]);
          if (label !== '') context.setProperty(cell, 'dataLabel', label);
        }
    },
  },
} satisfies HtmlPlugin;

/** Code breaks between its words: after a sign that follows one, and not before the last two letters. */
const parts = /(?<=\w[_./:=,;&?()}\]-]+)(?=[{[]?\w{3})/;

/** Browsers break after the dashes of an option. */
const option = /(?<=^|\s)(-+\w+)/;

const textOf = (value: string) => ({ type: 'text' as const, value });
const element = (tagName: string, ...children: ReturnType<typeof textOf>[]) => ({
  type: 'element' as const,
  tagName,
  properties: {},
  children,
});

export const breakableCode = {
  name: 'breakable-code',
  element: {
    filter: ['code'],
    visit(code, context) {
      const parent = context.parent(code);
      if (parent?.type === 'element' && parent.tagName === 'pre') return;
      const [text, ...others] = code.children;
      if (text?.type !== 'text' || others.length > 0) return;
      const nodes = text.value
        .split(parts)
        .flatMap((part, index) => [
          ...(index > 0 ? [element('wbr')] : []),
          ...part.split(option).map((value, odd) => (odd % 2 === 0 ? textOf(value) : element('nobr', textOf(value)))),
        ]);
      if (nodes.length > 1) context.replaceNode(text, nodes);
    },
  },
} satisfies HtmlPlugin;

/** Characters of code in a line of the column. */
const lineWidth = 78;
/** Code, and a comment set apart from it. */
const commented = /^(\s*)(\S.*?) {2,}((?:\/\/|#) .*)$/;

/** In a block with a line that is too long, comments stand above their lines, and results (`// →`) below. */
export function raiseComments(block: string): string {
  const lines = block.split('\n');
  if (!lines.some((line) => line.length > lineWidth && commented.test(line))) return block;
  return lines
    .map((line) =>
      line.replace(commented, (_line, indent: string, ...[code, comment]: string[]) =>
        (comment?.startsWith('// →') ? [code, comment] : [comment, code]).map((part) => `${indent}${part}`).join('\n'),
      ),
    )
    .join('\n');
}

export const commentsAbove = {
  name: 'comments-above',
  code(node, context) {
    const raised = raiseComments(node.value);
    if (raised !== node.value) context.setProperty(node, 'value', raised);
  },
} satisfies MarkdownPlugin;
