/**
 * Installs n8n from its committed lockfile (two gigabytes, one to four minutes), and again only after the lockfile
 * changed.
 */
import { join } from 'node:path';
import { root } from '../root.ts';
import { installLocked } from './locked.ts';

/** An installed n8n and the Node that runs it. */
export interface N8nProgram {
  readonly node: string;
  /** Variables that this n8n needs on this Node. */
  readonly env: Readonly<Record<string, string>>;
  /** The path of the n8n command. */
  readonly command: string;
}

/** The newest n8n runs on Node 24, which runs this; the oldest supported one on the oldest Node it supports. */
const hosts = {
  newest: { folder: 'host', node: () => process.execPath, env: {} },
  oldest: {
    folder: 'host-oldest',
    node: (modules: string) => join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node'),
    // The isolated-vm of n8n 1.123 has no binary for Node 20.
    env: { N8N_EXPRESSION_ENGINE: 'legacy' },
  },
};

/** The newest n8n, or the oldest that the nodes support. */
export type N8nAge = keyof typeof hosts;

export async function installN8n({
  age = 'newest',
  signal,
}: { readonly age?: N8nAge; readonly signal?: AbortSignal } = {}): Promise<N8nProgram> {
  const { folder, node, env } = hosts[age];
  const host = join(root, 'test', 'n8n', folder);
  await installLocked({
    folder: host,
    title: `${age === 'newest' ? 'n8n' : 'the oldest supported n8n'} (2 GB; two to four minutes the first time)`,
    signal,
    compiles: 'sqlite3',
    needs:
      "the npm registry and about 2 GB of disk; and for its sqlite3 either github.com, which has it built, or nodejs.org, which has Node's headers, with python3, make and g++ to build it",
  });
  const modules = join(host, 'node_modules');
  return { node: node(modules), env, command: join(modules, 'n8n', 'bin', 'n8n') };
}
