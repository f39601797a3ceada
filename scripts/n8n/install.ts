/**
 * Installs an n8n by its committed lockfile, once: two gigabytes and one to four minutes, reused until the lockfile
 * changes.
 */
import { join } from 'node:path';
import { root } from '../chain/root.ts';
import { installLocked } from './locked.ts';

/** An n8n, and what it runs with. */
export interface N8nProgram {
  readonly node: string;
  /** Variables that this n8n needs on this Node. */
  readonly env: Readonly<Record<string, string>>;
  /** The path of the n8n command. */
  readonly command: string;
}

/** Node 24, which runs this, suits the newest n8n. The oldest supported one brings the oldest Node that it runs on. */
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
    needs: 'the npm registry, about 2 GB of disk, and python3, make and g++ to build its sqlite3',
  });
  const modules = join(host, 'node_modules');
  return { node: node(modules), env, command: join(modules, 'n8n', 'bin', 'n8n') };
}
