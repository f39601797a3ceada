/**
 * Prepares what the style sheet needs so that pages hide nothing: the name of its column in each cell, which is shown
 * where a phone stacks the cells of a row, and places inside of code in a line at which it may break.
 */
import type { SatteriProcessorOptions } from '@astrojs/markdown-satteri';

type HtmlPlugin = Exclude<
  NonNullable<SatteriProcessorOptions['hastPlugins']>[number],
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

/** Code breaks after these signs only, never inside of a word. */
const parts = /(?<=[_./:=,;&?(){}[\]-])(?=\w)/;

export const readableTables = {
  name: 'readable-tables',
  element: [
    {
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
    {
      filter: ['code'],
      visit(code, context) {
        const parent = context.parent(code);
        if (parent?.type === 'element' && parent.tagName === 'pre') return;
        const [text, ...others] = code.children;
        if (text?.type !== 'text' || others.length > 0) return;
        const [first = '', ...rest] = text.value.split(parts);
        if (rest.length === 0) return;
        const broken = rest.flatMap((value) => [
          { type: 'element' as const, tagName: 'wbr', properties: {}, children: [] },
          { type: 'text' as const, value },
        ]);
        context.replaceNode(text, [{ type: 'text', value: first }, ...broken]);
      },
    },
  ],
} satisfies HtmlPlugin;
