/** What an operation of the node is. The editor's options and the dispatch are both made from these records. */
import type { Engine } from '@newsletter-kit/core/engine';
import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

/** What an operation works with, for one input item. */
export interface OperationContext {
  readonly node: IExecuteFunctions;
  readonly itemIndex: number;
  readonly engine: Engine;
  /** Shows a notice above the node's output; the same notice once, however many items give it. */
  notice(message: string): void;
}

/** One operation. */
export interface OperationDefinition {
  /** As the editor's list shows it, for example "Get Many". */
  readonly name: string;
  readonly description: string;
  /** As the node picker shows it, for example "Get many subscriptions". */
  readonly action: string;
  /** Its own parameters; when they show is added by the registry. */
  readonly properties: readonly INodeProperties[];
  /** Works on one input item and gives the records that came of it. */
  execute(context: OperationContext): Promise<readonly IDataObject[]>;
}

/** A kind of record and what can be done with it. The key of each operation is its value in a workflow. */
export interface ResourceDefinition {
  readonly name: string;
  readonly operations: Readonly<Record<string, OperationDefinition>>;
}
