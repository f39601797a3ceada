/**
 * Prepares what the style sheet needs so that pages hide nothing: the name of its column in each cell, which is shown
 * where a phone stacks the cells of a row, and places inside of code at which a line may break.
 */
import type { SatteriProcessorOptions } from '@astrojs/markdown-satteri';

type HtmlPlugin = Exclude<
  NonNullable<SatteriProcessorOptions['hastPlugins']>[number],
  readonly unknown[] | ((...of: never) => unknown) | null | undefined | false
>;

/** Of the tree of a page, what is used here. */
interface Node {
  readonly type: string;
  readonly tagName?: string;
  readonly children?: readonly Node[];
}

/** The elements of a name below a node. */
function within(node: Node, ...names: readonly string[]): readonly Node[] {
  return (node.children ?? []).flatMap((child) =>
    names.includes(child.tagName ?? '') ? child : within(child, ...names),
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
