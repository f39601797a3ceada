/**
 * Runs a node as n8n's engine does under the settings *On Error* and *Retry On Fail*, by what n8n-core 2.41 does in
 * `execution-engine/workflow-execute.js`. test/n8n/actions.test.ts retries in a real n8n.
 */
import { type Item, toMessage } from './bundle.ts';
import { executeContext, type Run } from './context.ts';
import type { Workbench } from './workbench.ts';

export const onErrorSettings = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;

/** The settings of a node. */
export interface Settings {
  readonly onError: (typeof onErrorSettings)[number];
  readonly retryOnFail: boolean;
}

/** The result of a node in an execution. */
export interface NodeRun {
  /** With it, the execution has failed. */
  readonly error?: Error;
  /** The regular output. */
  readonly main: readonly Item[];
  /** The error output. */
  readonly failed: readonly Item[];
  readonly hints: readonly string[];
  readonly tries: number;
}

interface Call extends Partial<Omit<Run, 'parameters' | 'items' | 'onError' | 'continueOnFail'>> {
  readonly items: NonNullable<Run['items']>;
  /** The parameters of a try, counted from 1. */
  parametersOf(attempt: number): Run['parameters'];
}

/** Tries of a node with *Retry On Fail*, unless other settings are chosen. */
const mostTries = 3;

export async function runInEngine(
  bench: Workbench,
  { parametersOf, items, ...more }: Call,
  { onError, retryOnFail }: Settings,
): Promise<NodeRun> {
  // n8n creates a new context for each try; the items are the same objects in all of them.
  const input = items.map((json) => ({ json }));
  let tries = 0;
  let hints: { message: string }[] = [];
  const runNode = async (): Promise<Item[]> => {
    tries += 1;
    hints = [];
    const context = executeContext({
      sandbox: bench.prompt,
      ...more,
      items,
      input,
      hints,
      parameters: parametersOf(tries),
      node: { retryOnFail },
      ...(onError !== 'stopWorkflow' && { onError }),
    });
    return (await bench.bundle.newsletter.execute.call(context))[0] ?? [];
  };
  // Only the first item decides.
  const hasFailed = ([first]: readonly Item[]): boolean => ![undefined, null, false].includes(errorIn(first));

  const maxTries = retryOnFail ? mostTries : 1;
  for (let tryIndex = 0; ; tryIndex += 1) {
    try {
      let output = await runNode();
      while (hasFailed(output) && tryIndex < maxTries - 1) {
        output = await runNode();
        tryIndex += 1;
      }
      const { main, failed } = split(output, input, onError);
      return { main: main.map(toMessage), failed: failed.map(toMessage), hints: hints.map(textOf), tries };
    } catch (error) {
      if (tryIndex < maxTries - 1) continue;
      if (onError === 'stopWorkflow') return { error: error as Error, main: [], failed: [], hints: [], tries };
      // n8n passes the input on.
      return { main: input, failed: [], hints: [], tries };
    }
  }
}

const textOf = ({ message }: { message: string }): string => message;

const errorIn = (item: Item | undefined): false | null | undefined => item?.json['error'] as false | null | undefined;

/** Moves failed items to the error output, and adds their input. */
function split(
  output: readonly Item[],
  input: readonly Item[],
  onError: Settings['onError'],
): { main: readonly Item[]; failed: readonly Item[] } {
  if (onError !== 'continueErrorOutput') return { main: output, failed: [] };
  const isFailed = ({ error, json }: Item): boolean =>
    Boolean(error) ||
    (Boolean(json['error']) && Object.keys(json).every((key) => ['error', 'message', 'details'].includes(key)));
  return {
    main: output.filter((item) => !isFailed(item)),
    failed: output.filter(isFailed).map((item) => ({
      ...item,
      json: { ...input[item.pairedItem?.item ?? -1]?.json, ...item.json },
    })),
  };
}
