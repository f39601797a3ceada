/** What an operation of the node is. The editor's options and the dispatch are both made from these records. */
import type { CallOptions, Engine } from '@newsletter-kit/core/engine';
import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import type { ItemParameters } from '../parameters/read.ts';
import type { RecordShape } from '../records/shapes.ts';

/** What an operation works with, for one input item. */
export interface OperationContext extends ItemParameters {
  readonly node: IExecuteFunctions;
  readonly engine: Engine;
  /** Passed to every call, so that stopping the execution stops it. */
  readonly call: CallOptions;
  /** Shows a notice above the node's output; the same notice once, however many items give it. */
  notice(message: string): void;
}

/** What became of one input item in an operation that takes all of them together. */
export type ItemOutcome = { readonly itemIndex: number } & (
  | { readonly json: IDataObject }
  | { readonly error: unknown }
);

interface Described {
  /** As the editor's list shows it, for example "Get Many". */
  readonly name: string;
  readonly description: string;
  /** As the node picker shows it, for example "Get many subscriptions". */
  readonly action: string;
  /** Its own parameters; when they show is added by the registry. */
  readonly properties: readonly INodeProperties[];
  /** The shape of the records it gives, for the parameter Output; left out where there is nothing to choose. */
  readonly record?: RecordShape;
  /** The operation in nodes of version 1, where its parameters or its output differ. */
  readonly version1?: Pick<ItemOperation, 'about' | 'properties' | 'record' | 'execute'>;
}

/** Works on one input item and gives the records that came of it. */
export interface ItemOperation extends Described {
  /**
   * The parameter that names the record an item is about. Where it is given, several items are worked on at a time, but
   * those about the same record in their order; where it is left out, each item waits for the one before.
   */
  readonly about?: INodeProperties;
  execute(context: OperationContext): Promise<readonly IDataObject[]>;
}

/** Works on all input items together, and says for each of them what became of it. */
export interface BatchOperation extends Described {
  /**
   * @param items - a context for each input item that could be opened
   * @param goOn - whether an item that fails must not keep the others from being worked on
   */
  executeAll(items: readonly OperationContext[], goOn: boolean): Promise<readonly ItemOutcome[]>;
}

/** One operation. */
export type OperationDefinition = ItemOperation | BatchOperation;

/** A kind of record and what can be done with it. The key of each operation is its value in a workflow. */
export interface ResourceDefinition {
  /** Its name in the contract: `automations`. */
  readonly contract: string;
  readonly name: string;
  /** True where its operations name no publication. */
  readonly workspace?: true;
  readonly operations: Readonly<Record<string, OperationDefinition>>;
}
