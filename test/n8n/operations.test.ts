/**
 * Every operation of the action node in n8n: the same requests and the same items as in the fake of n8n with which
 * test/nodes proves what each operation does.
 */
import type { SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import { expect } from 'vitest';
import type { Found } from '../nodes/bundle.ts';
import { type Scenario, scenarios } from '../nodes/scenarios.ts';
import { workbench } from '../nodes/workbench.ts';
import { editorRequest } from './harness/nodes.ts';
import { n8n, test, underTest } from './harness/test.ts';

const fake = workbench();

/** Two sandboxes of the same moment have the same records, and give the same ids to new ones. */
const noon = Date.UTC(2026, 0, 15, 12);
test.override({ sandboxOptions: { seed: 'demo', now: () => noon } });

type Values = Readonly<Record<string, unknown>>;

/** Where a scenario is carried out. */
interface Place {
  /** The list of a resource locator. */
  search(method: string, parameters: Values): Promise<Found>;
  run(parameters: Values, items?: readonly Values[]): Promise<readonly Values[]>;
}

/** @returns the items of the node */
async function carryOut({ resource, operation, parameters, items }: Scenario, { search, run }: Place) {
  const chosen = await parameters?.({
    ...fake,
    first: async (method, more) =>
      (await search(method, { resource, operation, ...more })).results[0]?.value ?? 'the list is empty',
    run: async (of, what, more) => (await run({ resource: of, operation: what, ...more })).map((json) => ({ json })),
  });
  return run({ resource, operation, ...chosen }, items);
}

/** Resource locators as the editor saves them. */
const saved = (parameters: Values): Values =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null && 'mode' in value ? { __rl: true, ...value } : value,
    ]),
  );

const requestsOf = ({ requests }: Pick<SandboxOnPort, 'requests'>) =>
  requests().map(({ operation, path, query, status }) => ({ operation, path, query, status }));

test.for(scenarios)(
  '$resource $operation does in n8n what it does in the fake',
  async (scenario, { sandbox, sandboxOnPort, credentials, runNode }) => {
    // Jobs are completed at once.
    for (const { subscribe, clock } of [sandbox, sandboxOnPort])
      subscribe((event) => {
        if (event.type === 'request' && event.request.method === 'PATCH') clock.advance(5000);
      });
    const expected = await carryOut(scenario, {
      search: (method, parameters) => fake.search(method, '', '', { sandbox, parameters }),
      async run({ resource, operation, ...parameters }, items) {
        const ran = await fake.run(String(resource), String(operation), parameters, {
          sandbox,
          ...(items && { items }),
        });
        return ran.map(({ json }) => json);
      },
    });
    const output = await carryOut(scenario, {
      search: (method, parameters) => n8n.locatorPage(editorRequest(method, credentials, saved(parameters))),
      async run(parameters, items) {
        const ran = await runNode({ parameters: saved(parameters), ...(items && { items }) });
        expect(ran.error).toBeUndefined();
        return ran.output(underTest);
      },
    });
    expect(output).toEqual(expected);
    expect(requestsOf(sandboxOnPort)).toEqual(requestsOf(sandbox));
  },
);
