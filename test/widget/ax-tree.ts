/** The accessibility tree of a page as assistive technology gets it from Chromium, written out for people to read. */
import type { CDPSession, Protocol } from 'puppeteer-core';

type Node = Protocol.Accessibility.AXNode;

/** What holds others together and says nothing; engines differ in how much of it they keep. */
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

/** States that are said only where they are true, in the order in which they are written. */
const flags = ['required', 'disabled', 'focused', 'modal'];

/** States that are said with their value, unless it is the one that goes without saying. */
const values: Readonly<Record<string, unknown>> = { invalid: 'false', checked: undefined, live: undefined };

/** One line for each thing that says something: its role, its name, its states, and what describes it. */
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

/** @param around - name and value of what it stands in: what is a part of that is not said twice */
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
