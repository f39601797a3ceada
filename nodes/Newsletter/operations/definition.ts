/**
 * Defines an operation of the node. The parameters in the editor and the dispatch are both built from these records.
 */
import type { CallOptions, Engine, Item, ServiceMessage } from '@newsletter-kit/core/engine';
import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import type { ItemParameters } from '../parameters/read.ts';
import type { RecordShape } from '../records.ts';

type Subscription = Item<'subscriptions.list'>;

/** The answer to the search for an address. */
export interface Before {
  /** The subscription; null where there was none. */
  readonly found: Subscription | null;
  /** The `Date` of the answer, in milliseconds since 1970; NaN where it had none. */
  readonly at: number;
}

/** The answer to the creation of a subscription. */
export interface Saved {
  /** The address of the request. */
  readonly email: string;
  readonly answered: Subscription;
  /** Whether the subscription is new; null where the service does not tell. */
  readonly isNew: boolean | null;
  readonly warnings: readonly ServiceMessage[];
}

/**
 * What earlier tries of the same run of the node have done for an item. With *Retry On Fail*, n8n runs the whole node
 * again where it failed.
 */
export interface EarlierTries {
  /** The result of an item that succeeded. */
  done?: { readonly records: readonly IDataObject[]; readonly notices: readonly string[] };
  /** The subscription that had the address before the item was first worked on. */
  before?: { readonly email: string } & Before;
  /** The answer to the creation after that. */
  saved?: Saved;
  /** How often the node has run. */
  tries?: number;
  /** The ID of a job that was still at work when the wait for it ended. */
  job?: string;
}

/** The context of an operation for one input item. */
export interface OperationContext extends ItemParameters {
  readonly node: IExecuteFunctions;
  readonly engine: Engine;
  /** Passed to every call, so that stopping the execution stops it. */
  readonly call: CallOptions;
  readonly earlier: EarlierTries;
  /** Shows a notice above the node's output; equal notices of several items are shown once. */
  notice(message: string): void;
}

/** The result of one input item in a batch operation. */
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
  /** Its own parameters; the registry adds when they are shown. */
  readonly properties: readonly INodeProperties[];
  /** The shape of the records it returns, for the parameter Output; left out where there is nothing to choose. */
  readonly record?: RecordShape;
}

/** Runs for one input item and returns its records. */
export interface ItemOperation extends Described {
  /**
   * The parameter that names the record to work on. With it, several items run at a time, and items of the same record
   * in their order; without it, each item waits for the one before.
   */
  readonly recordParameter?: INodeProperties;
  execute(context: OperationContext): Promise<readonly IDataObject[]>;
}

/** Runs for all input items together, and returns a result for each of them. */
export interface BatchOperation extends Described {
  /** True where no item depends on another: then a second try leaves out those that have succeeded. */
  readonly independent?: true;
  /**
   * @param items - the contexts of the input items whose context could be created
   * @param continueOnFail - whether the other items are still worked on after one has failed
   */
  executeAll(items: readonly OperationContext[], continueOnFail: boolean): Promise<readonly ItemOutcome[]>;
}

/** One operation. */
export type OperationDefinition = ItemOperation | BatchOperation;

/** A resource and its operations. The key of each operation is its value in a workflow. */
export interface ResourceDefinition {
  /** Its name in the contract: `automations`. */
  readonly contract: string;
  readonly name: string;
  /** True where its operations take no publication. */
  readonly workspace?: true;
  readonly operations: Readonly<Record<string, OperationDefinition>>;
}
