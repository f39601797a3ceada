/** The execution of one operation in n8n, and the checks of node output and sandbox afterwards. */
import type { Client } from '@newsletter-kit/core';
import type { SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import type { NodeOutput } from '../harness/rest.ts';

/** A fresh sandbox with the demo's records, and a client that reads it without n8n. */
export interface World {
  readonly api: Client;
  readonly sandbox: SandboxOnPort;
}

type Values = Readonly<Record<string, unknown>>;

export interface OperationExecution {
  /** Prepares the sandbox. @returns the parameters besides resource and operation */
  parameters(world: World): Values | Promise<Values>;
  /** The input items; one empty item where left out. */
  items?(world: World): Promise<readonly Values[]>;
  /** Checks the sandbox and the output of the node. */
  seen(world: World, output: NodeOutput): Promise<void>;
}

/** By operation, as a workflow names it. */
export type ResourceExecutions = Readonly<Record<string, OperationExecution>>;

/** All records of a list. */
export async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of list) items.push(item);
  return items;
}

/** The first record of a list. */
export async function first<T>(list: AsyncIterable<T>): Promise<T> {
  for await (const item of list) return item;
  throw new Error('The demo has none.');
}

/** The IDs of records, in order. */
export function ids(records: readonly object[]): readonly unknown[] {
  return records.map((record) => ('id' in record ? record.id : undefined));
}
