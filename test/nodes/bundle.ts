/** The nodes as n8n gets them: built by the package's own configuration, required as CommonJS. */
import { mkdtemp, mkdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createBuilder } from 'vite';
import { root } from '../../scripts/chain/root.ts';

/** One item as n8n passes it on. */
export interface Item {
  readonly json: Readonly<Record<string, unknown>>;
  readonly pairedItem?: { readonly item: number };
  readonly error?: Error;
}

/** The parts of a parameter's description that tests read. */
export interface Property {
  readonly name: string;
  readonly displayName: string;
  readonly type: string;
  readonly default: unknown;
  readonly description?: string;
  readonly options?: readonly (Property & { readonly value?: string; readonly action?: string })[];
  readonly typeOptions?: Readonly<Record<string, unknown>>;
  readonly displayOptions?: { readonly show?: Readonly<Record<string, readonly unknown[]>> };
}

interface NodeType {
  readonly description: Readonly<Record<string, unknown>> & { readonly properties: readonly Property[] };
  execute(this: unknown): Promise<Item[][]>;
  poll(this: unknown): Promise<Item[][] | null>;
  readonly methods: { readonly resourceMapping: { getCustomFields(this: unknown): Promise<{ fields: readonly unknown[] }> } };
}

export interface Bundle {
  readonly folder: string;
  readonly newsletter: NodeType;
  readonly trigger: NodeType;
  readonly credential: { readonly name: string; readonly properties: readonly Property[] };
  remove(): Promise<void>;
}

/** n8n-workflow as the bundle requires it: an error's class is only equal to itself. */
export const { NodeApiError } = createRequire(join(root, 'package.json'))('n8n-workflow') as {
  NodeApiError: new (node: unknown, error: unknown) => Error;
};

/** Builds into a folder of its own below the repository, where `n8n-workflow` resolves. */
export async function buildBundle(): Promise<Bundle> {
  const cache = join(root, '.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'nodes-'));
  const builder = await createBuilder({ configFile: join(root, 'vite.config.mts'), logLevel: 'error', build: { outDir: folder } });
  await builder.buildApp();
  const load = createRequire(join(folder, 'loader.cjs'));
  const make = <T>(path: string, name: string): T => new (load(join(folder, path)) as Record<string, new () => T>)[name]!();
  return {
    folder,
    newsletter: make('nodes/Newsletter/Newsletter.node.js', 'Newsletter'),
    trigger: make('nodes/Newsletter/NewsletterTrigger.node.js', 'NewsletterTrigger'),
    credential: make('credentials/NewsletterApi.credentials.js', 'NewsletterApi'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
