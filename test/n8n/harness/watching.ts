/** A workflow with the polling trigger, and its results. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import { chosen, newsletterType, triggerType } from './nodes.ts';
import type { Credentials, Execution, NodeOutput, Rest } from './rest.ts';

const trigger = 'Subscribed';
const reader = 'Read again';

/** Six schedules a minute, since n8n refuses one with a shorter interval. */
export const often = {
  pollTimes: {
    item: [0, 10, 20, 30, 40, 50].map((second) => ({ mode: 'custom', cronExpression: `${second} * * * * *` })),
  },
} as const;

/** Practically no schedule, for tests that poll themselves. */
export const unscheduled = { pollTimes: { item: [{ mode: 'everyX', unit: 'hours', value: 23 }] } } as const;

export interface WatchingWorkflow {
  readonly id: string;
  /** The credential of its nodes. */
  readonly credentials: Credentials;
  /** Publishes it; the trigger polls at once. */
  activate(): Promise<void>;
  /** Polls now, by publishing the workflow again. */
  poll(): Promise<void>;
  /**
   * Waits until this many subscriptions were reported, and a moment longer.
   *
   * @returns their addresses, in the order of the executions
   */
  arrived(count: number): Promise<readonly string[]>;
  /** The items of the trigger so far. */
  given(): Promise<NodeOutput>;
  /** The executions that have ended, oldest first. */
  executions(): Promise<readonly Execution[]>;
}

/**
 * Creates the workflow in this n8n: the items of the trigger go to a node that reads each subscription again.
 *
 * @param parameters - of the trigger
 */
export async function watchSubscriptions(
  n8n: Rest,
  sandbox: Pick<SandboxOnPort, 'clientOptions'>,
  parameters: Readonly<Record<string, unknown>> = { events: ['subscriptionCreated'] },
): Promise<WatchingWorkflow> {
  const credentials = await n8n.newsletterCredentials(sandbox);
  const id = await n8n.createWorkflow([
    {
      name: trigger,
      type: triggerType,
      parameters: { ...often, ...parameters },
      credentials,
    },
    {
      name: reader,
      type: newsletterType,
      parameters: { resource: 'subscription', operation: 'get', subscription: chosen('={{ $json.email }}', 'email') },
      credentials,
    },
  ]);
  const executions = async (): Promise<readonly Execution[]> => {
    const ended = await Promise.all((await n8n.executionIds(id)).map((each) => n8n.execution(each)));
    return ended.filter((each) => each !== undefined);
  };
  const addresses = async (): Promise<readonly string[]> =>
    (await executions()).flatMap((execution) => execution.output(reader).map(({ email }) => String(email)));
  return {
    id,
    credentials,
    executions,
    given: async () => (await executions()).flatMap((execution) => execution.given),
    activate: () => n8n.activate(id),
    async poll() {
      await n8n.deactivate(id);
      await n8n.activate(id);
    },
    async arrived(count) {
      for (const deadline = Date.now() + 120_000; Date.now() < deadline && (await addresses()).length < count;)
        await sleep(250);
      await sleep(1_000);
      return addresses();
    },
  };
}
