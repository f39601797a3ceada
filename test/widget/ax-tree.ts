/** The accessibility tree of a page in Chromium, as text. */
import type { CDPSession, Protocol } from 'puppeteer-core';

type Node = Protocol.Accessibility.AXNode;

/** Roles that group others and are not announced. */
const silent = new Set([
  'generic',
  'none',
  'LabelText',
  'RootWebArea',
  'InlineTextBox',
  'paragraph',
  'GenericContainer',
  'Legend',
]);

/** States that are written only if true, in this order. */
const flags = ['required', 'disabled', 'focused', 'modal'];

/** States that are written with their value, unless it is the default given here. */
const values: Readonly<Record<string, unknown>> = { invalid: 'false', checked: undefined, live: undefined };

/** One line for each announced node: role, name, states and description. */
export async function readTree(devtools: CDPSession): Promise<string> {
  const { nodes } = await devtools.send('Accessibility.getFullAXTree');
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const lines: string[] = [];
  const visit = (node: Node, depth: number, around: string): void => {
    const line = lineOf(node, around);
    if (line) lines.push('  '.repeat(depth) + line);
    const name = line
      ? ['dialog', 'main'].includes(String(node.role?.value))
        ? ''
        : `${text(node.name)} ${text(node.value)}`
      : around;
    for (const id of node.childIds ?? []) {
      const child = byId.get(id);
      if (child) visit(child, line ? depth + 1 : depth, name);
    }
  };
  const [root] = nodes;
  if (root) visit(root, 0, '');
  return lines.join('\n');
}

/** @param around - name and value of the parent: text that they contain is left out */
function lineOf(node: Node, around: string): string | undefined {
  const role = String(node.role?.value);
  const name = text(node.name);
  if (node.ignored || silent.has(role)) return undefined;
  if (role === 'StaticText') return name && !around.includes(name) ? `“${name}”` : undefined;
  const states = new Map(
    (node.properties ?? []).map(({ name: property, value }) => [String(property), value.value as unknown]),
  );
  const said = [
    ...flags.filter((flag) => states.get(flag) === true),
    ...Object.entries(values).flatMap(([property, usual]) =>
      states.has(property) && states.get(property) !== usual ? [`${property}: ${String(states.get(property))}`] : [],
    ),
  ];
  const entered = text(node.value);
  const description = text(node.description);
  return [
    role,
    name && `“${name}”`,
    entered && `= ${entered}`,
    said.length > 0 && `(${said.join(', ')})`,
    description && `– ${description}`,
  ]
    .filter(Boolean)
    .join(' ');
}

function text(value: Protocol.Accessibility.AXValue | undefined): string {
  return String(value?.value ?? '')
    .replace(/\s+/g, ' ')
    .trim();
}
