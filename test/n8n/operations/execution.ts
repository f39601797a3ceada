/** How one operation is executed in n8n, and what must be true in the sandbox afterwards. */
import type { Client } from '@newsletter-kit/core';
import type { SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import type { NodeOutput } from '../harness/rest.ts';

/** A sandbox of its own with the demo's records, and a client that reads it without n8n. */
export interface World {
  readonly api: Client;
  readonly sandbox: SandboxOnPort;
}

type Values = Readonly<Record<string, unknown>>;

export interface OperationExecution {
  /** What the node is set to, besides resource and operation. Brings about what must be there before. */
  parameters(world: World): Values | Promise<Values>;
  /** The input items; one empty item where left out. */
  items?(world: World): Promise<readonly Values[]>;
  /** Fails unless the sandbox is as it must be, and the node gave what it must. */
  seen(world: World, output: NodeOutput): Promise<void>;
}

/** By operation, as a workflow names it. */
export type ResourceExecutions = Readonly<Record<string, OperationExecution>>;

/** Everything of a list. */
export async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of list) items.push(item);
  return items;
}

/** The first of a list. */
export async function first<T>(list: AsyncIterable<T>): Promise<T> {
  for await (const item of list) return item;
  throw new Error('The demo has none.');
}

/** What tells records apart, in their order. */
export function ids(records: readonly object[]): readonly unknown[] {
  return records.map((record) => ('id' in record ? record.id : undefined));
}
