/**
 * Every operation of the action node, the trigger and the sync before a service that differs in one field: each field
 * of every answer that they read, left out, null, of another type, or wrapped. Only the fields of the table end a node.
 */
import { deviationsOf, type OperationDeviation } from '../support/answer-deviations.ts';
import { describe, expect, it } from 'vitest';
import { executeContext, itemlessContext, type Run } from './context.ts';
import { scenarios } from './scenarios.ts';
import { workbench } from './workbench.ts';

const bench = workbench();

/** Fields that a node cannot do without, each with what for. */
const needed: readonly (readonly [fields: RegExp, why: string])[] = [
  [/^\S+ data /, 'the answer itself'],
  [/^\S+ (limit|has_more|next_cursor|page|total_results|total_pages) /, 'they lead to the next page of a list'],
  [/^subscriptions\.bulkUpdate data\.subscription_update_id /, 'the job cannot be read without'],
  [/^bulkSubscriptionUpdates\.get data\.status /, 'the end of the job is not known without'],
  [/^bulkSubscriptionUpdates\.get data\.error_log retyped /, 'a log that names nobody may be about the item'],
  [/^subscriptions\.list data\[\](\.id)? /, 'the one subscription that is looked for'],
];

const textOf = ({ operation, field, change }: OperationDeviation): string => `${operation} ${field} ${change}`;

/** Runs `work` before each change of the answers that it reads. @returns the changes, and those that ended it */
async function walk(
  work: (newsletter: Run['sandbox']) => Promise<void>,
): Promise<{ readonly changes: number; readonly ended: string[] }> {
  const { sandbox } = bench;
  const { id } = sandbox.snapshots.take();
  const bodies = new Map<string, unknown>();
  /** Completes jobs at once. */
  const newsletter: Run['sandbox'] = {
    async fetch(input, init) {
      const answer = await sandbox.fetch(input, init);
      if (init?.method === 'PATCH') sandbox.clock.advance(5000);
      const { operation } = sandbox.requests().at(-1) ?? {};
      const text = await answer.clone().text();
      if (operation && answer.ok && text && !bodies.has(operation)) bodies.set(operation, JSON.parse(text));
      return answer;
    },
  };
  await work(newsletter);
  const changes = [...bodies].flatMap(([operation, body]) => deviationsOf(operation, body));
  const ended: string[] = [];
  for (const deviation of changes) {
    const { operation, field, change } = deviation;
    sandbox.snapshots.restore(id);
    sandbox.faults.clear();
    sandbox.faults.add({ match: operation, effect: { field, change } });
    try {
      await work(newsletter);
    } catch (error) {
      if (!needed.some(([fields]) => fields.test(`${textOf(deviation)} `)))
        ended.push(`${textOf(deviation)}: ${String(error)}`);
    }
  }
  sandbox.faults.clear();
  return { changes: changes.length, ended };
}

describe('every operation', () => {
  it.each(scenarios)(
    '$resource $operation ends over no field that it does not need',
    async ({ resource, operation, parameters, items }) => {
      const given = { ...(await parameters?.(bench)), timeout: 1 };
      const { changes, ended } = await walk(async (sandbox) => {
        const output = await bench.run(resource, operation, given, { sandbox, ...(items && { items }) });
        const failed = output.find(({ error }) => error);
        if (failed?.error) throw failed.error;
      });
      if (operation !== 'delete') expect(changes).toBeGreaterThan(0); // its answer has no body
      expect(ended).toEqual([]);
    },
  );
});

it.each(['subscriptionCreated', 'subscriptionStatusChanged'])(
  'the trigger of %s ends over no field that it does not need',
  async (event) => {
    const { changes, ended } = await walk(async (sandbox) => {
      const staticData = {};
      for (let poll = 0; poll < 2; poll += 1)
        await bench.bundle.trigger.poll.call(itemlessContext({ sandbox, staticData, parameters: { events: [event] } }));
    });
    expect(changes).toBeGreaterThan(0);
    expect(ended).toEqual([]);
  },
);

it('the sync ends over no field that it does not need', async () => {
  const run: Omit<Run, 'sandbox'> = {
    staticData: {},
    items: [{ id: '1', email: 'ada.lovelace@example.com', token: null, status: null }],
    parameters: {
      mode: 'preview',
      contacts: 'everything',
      idField: 'id',
      addressField: 'email',
      tokenField: 'token',
      fields: { field: [{ newsletter: 'status', contact: 'status', direction: 'to_contact' }] },
    },
  };
  const { changes, ended } = await walk(async (sandbox) => {
    await bench.bundle.sync.execute.call(executeContext({ ...run, sandbox }));
  });
  expect(changes).toBeGreaterThan(0);
  expect(ended).toEqual([]);
});
