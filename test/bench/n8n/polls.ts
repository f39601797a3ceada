/**
 * Counts the requests of a poll of the trigger: idle, in publications of two sizes, and with many new subscriptions.
 */
import { triggerType } from '../../n8n/harness/nodes.ts';
import { reportFigures } from '../figure.ts';
import { withN8n, type ServedSandbox, type Started } from './started.ts';

const sizes = [300, 100_000] as const;
const fresh = 1_000;

/** Has the trigger poll once, which it does when its workflow is published. @returns how many requests it made */
async function poll({ n8n }: Started, workflow: string, sandbox: ServedSandbox): Promise<number> {
  await n8n.deactivate(workflow);
  const before = (await sandbox.listRequests()).at(-1) ?? 0;
  await n8n.activate(workflow);
  return (await sandbox.listRequests(before)).length;
}

/** A published workflow that has noted where the list stands. */
async function watch(started: Started, sandbox: ServedSandbox): Promise<string> {
  const credentials = await started.credentials(sandbox);
  const workflow = await started.n8n.createWorkflow([
    {
      name: 'Subscribed',
      type: triggerType,
      parameters: { event: 'subscriptionCreated', pollTimes: { item: [{ mode: 'everyX', unit: 'hours', value: 5 }] } },
      credentials,
    },
    { name: 'End', type: 'n8n-nodes-base.noOp' },
  ]);
  await started.n8n.activate(workflow);
  return workflow;
}

await withN8n(async (started) => {
  const idle: number[] = [];
  let withNew = 0;
  for (const size of sizes) {
    const sandbox = await started.sandbox(['--seed', 'demo', '--seed-size', String(size)]);
    const workflow = await watch(started, sandbox);
    idle.push(await poll(started, workflow, sandbox));
    if (size !== sizes[0]) continue;
    for (let index = 0; index < fresh; index += 1) await sandbox.subscribe(`new.${index}@example.com`);
    withNew = await poll(started, workflow, sandbox);
    const [id = ''] = await started.n8n.executionIds(workflow);
    const { output } = await started.n8n.ended(id);
    if (output('End').length !== fresh) throw new Error(`The poll brought ${output('End').length} of ${fresh}.`);
    await started.n8n.deactivate(workflow);
  }
  const [small = Number.NaN, large = Number.NaN] = idle;
  reportFigures({
    idle: {
      value: Math.max(small, large),
      detail: `${small} with ${sizes[0]} subscriptions, ${large} with ${sizes[1].toLocaleString('en')}`,
    },
    fresh: { value: withNew, detail: `${fresh.toLocaleString('en')} new subscriptions, each brought once` },
  });
});
