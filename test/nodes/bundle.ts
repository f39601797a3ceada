/** The nodes as n8n gets them: built by the package's own configuration, required as CommonJS. */
import { createRequire } from 'node:module';
import { join, sep } from 'node:path';
import { buildIfStale } from '../../scripts/build.ts';
import { root } from '../../scripts/root.ts';

/** An output item. */
export interface Item {
  readonly json: Readonly<Record<string, unknown>>;
  readonly pairedItem?: { readonly item: number };
  readonly error?: Error;
  readonly binary?: Readonly<Record<string, unknown>>;
}

/** An item as n8n passes it on: with an error, it keeps nothing but the message. */
export const toMessage = (item: Item): Item => (item.error ? { ...item, json: { error: item.error.message } } : item);

/** The parts of a parameter's description that tests read. */
export interface Property {
  readonly name: string;
  readonly displayName: string;
  readonly type: string;
  readonly default: unknown;
  readonly description?: string;
  readonly options?: readonly (Property & { readonly value?: string; readonly action?: string })[];
  readonly typeOptions?: Readonly<Record<string, unknown>>;
  readonly displayOptions?: Readonly<Partial<Record<'show' | 'hide', Readonly<Record<string, readonly unknown[]>>>>>;
  readonly required?: boolean;
  readonly placeholder?: string;
  /** The parameters of a group of a fixed collection. */
  readonly values?: readonly Property[];
  readonly modes?: readonly {
    readonly name: string;
    readonly placeholder?: string;
    readonly typeOptions?: { readonly searchListMethod?: string };
  }[];
}

interface NodeType {
  readonly description: Readonly<Record<string, unknown>> & { readonly properties: readonly Property[] };
  execute(this: unknown): Promise<Item[][]>;
  poll(this: unknown): Promise<Item[][] | null>;
  readonly methods: {
    readonly resourceMapping: { getCustomFields(this: unknown): Promise<{ fields: readonly unknown[] }> };
    readonly listSearch: Readonly<
      Record<string, (this: unknown, filter?: string, paginationToken?: string) => Promise<Found>>
    >;
    readonly loadOptions: {
      getSyncFields(this: unknown): Promise<readonly { readonly name: string; readonly value: string }[]>;
    };
  };
}

/** A page of a resource locator's list. */
export interface Found {
  readonly results: readonly { readonly name: string; readonly value: string }[];
  readonly paginationToken?: string;
}

interface Credential {
  readonly name: string;
  readonly properties: readonly Property[];
}

export interface Bundle {
  readonly folder: string;
  readonly newsletter: NodeType;
  readonly trigger: NodeType;
  readonly sync: NodeType;
  readonly credential: Credential;
  readonly oAuth2: Credential;
}

/** The error class of the copy of n8n-workflow that the bundle requires, for `instanceof`. */
export const { NodeApiError } = createRequire(join(root, 'package.json'))('n8n-workflow') as {
  NodeApiError: new (node: unknown, error: unknown) => Error;
};

const folder = join(root, 'dist');

/** Loads the built nodes anew: with the state of a process that has just started. */
export async function loadBundle(): Promise<Bundle> {
  await buildIfStale('nodes');
  const load = createRequire(join(folder, 'loader.cjs'));
  for (const path of Object.keys(load.cache)) if (path.startsWith(folder + sep)) delete load.cache[path];
  const make = <T>(path: string, name: string): T =>
    new (load(join(folder, path)) as Record<string, new () => T>)[name]!();
  return {
    folder,
    newsletter: make('nodes/Newsletter/Newsletter.node.js', 'Newsletter'),
    trigger: make('nodes/Newsletter/NewsletterTrigger.node.js', 'NewsletterTrigger'),
    sync: make('nodes/Newsletter/NewsletterSync.node.js', 'NewsletterSync'),
    credential: make('credentials/NewsletterApi.credentials.js', 'NewsletterApi'),
    oAuth2: make('credentials/NewsletterOAuth2Api.credentials.js', 'NewsletterOAuth2Api'),
  };
}
