/**
 * Twenty thousand subscriptions by Bulk Import, against one by one with Create or Update in the same n8n; and what that
 * adds to the memory of n8n's process at most.
 */
import { writeFile } from 'node:fs/promises';
import { items, newsletterType, start } from '../../n8n/harness/nodes.ts';
import { reportFigures } from '../figure.ts';
import { memory, withN8n } from './started.ts';

const count = 20_000;
/** As many are created one by one; the time of each is what is compared. */
const sample = 1_000;
const warmed = 500;

await withN8n(async ({ n8n, pid, sandbox: startSandbox, credentials: credentialsFor }) => {
  const sandbox = await startSandbox();
  const credentials = await credentialsFor(sandbox);

  /** Milliseconds that the node worked on so many rows, one after the other or together. */
  const measure = async (
    prefix: string,
    length: number,
    parameters: Readonly<Record<string, unknown>>,
  ): Promise<number> => {
    const rows = `Array.from({ length: ${length} }, (_, index) => ({ email: '${prefix}.' + index + '@example.com', utm_source: 'fair ' + index % 7 }))`;
    const node = {
      name: 'Measured',
      type: newsletterType,
      parameters: { resource: 'subscription', ...parameters },
      credentials,
    };
    const run = await n8n.run(await n8n.createWorkflow([start, ...items(rows), node]), start.name, 400_000);
    if (run.status !== 'success' || run.output(node.name).length !== length) {
      throw new Error(`${run.output(node.name).length} of ${length} results; ${run.status}: ${run.error?.message}`);
    }
    return run.took(node.name);
  };

  const bulk = { operation: 'bulkImport' };
  /** The same columns as with Map Automatically: two expressions a row. */
  const mapped = {
    ...bulk,
    mapping: 'defineBelow',
    email: '={{ $json.email }}',
    additionalFields: { utm_source: '={{ $json.utm_source }}' },
  };
  const create = {
    operation: 'createOrUpdate',
    email: '={{ $json.email }}',
    additionalFields: { utm_source: '={{ $json.utm_source }}' },
  };
  await measure('warm.bulk', warmed, bulk);
  await measure('warm.create', warmed, create);
  const each = (await measure('create', sample, create)) / sample;

  const before = await memory(pid, 'VmRSS');
  await writeFile(`/proc/${pid}/clear_refs`, '5'); // the peak is counted from here
  const took = await measure('bulk', count, bulk);
  const peak = await memory(pid, 'VmHWM');
  const mappedTook = await measure('mapped', count, mapped);

  await sandbox.control('POST', '/clock', { advance: 'PT1H' });
  const { total } = await sandbox.control<{ total: number }>('GET', '/subscriptions?limit=1');
  const expected = 2 * warmed + sample + 2 * count;
  if (total !== expected) throw new Error(`The service has ${total} of ${expected} subscriptions.`);

  reportFigures({
    speed: {
      value: (each * count) / took,
      detail: `Bulk Import ${Math.round(took)} ms for ${count.toLocaleString('en')}; Create or Update ${each.toFixed(2)} ms each, by ${sample.toLocaleString('en')}`,
    },
    mapped: {
      value: (each * count) / mappedTook,
      detail: `Bulk Import with two expressions a row ${Math.round(mappedTook)} ms for ${count.toLocaleString('en')}`,
    },
    memory: {
      value: peak - before,
      detail: `${Math.round(before)} MB before, ${Math.round(peak)} MB at most, with the whole workflow and its 20,000 items`,
    },
  });
});
