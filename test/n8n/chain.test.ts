/**
 * The main use: a signup on a web page arrives in an n8n workflow, with attribution and custom fields.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { notice, openBrowser, subscribe, visit, type BrowserSession, type Entries } from '../e2e/visitor.ts';
import type { Execution } from './harness/rest.ts';
import { n8n } from './harness/test.ts';

const { demoUrl } = inject('newsletter');
const workflow = 'newSubscriptions';

const longCampaign = `${'From the harbour wall to the outer mole – '.repeat(8).slice(0, 298)}🌊`;

const visitors: readonly { came: Readonly<Record<string, string>>; entries: Entries; stored: string }[] = [
  {
    came: { utm_source: 'Küstenblatt am Sonntag', utm_medium: 'print', utm_campaign: 'Frühjahr & Flut 🌊' },
    entries: { email: 'ada+letters@example.com', topics: ['boats', 'food'], birthday: '1990-12-10' },
    stored: 'ada+letters@example.com',
  },
  {
    came: { utm_source: 'long names', utm_medium: 'web', utm_campaign: longCampaign },
    entries: { email: 'jörg@bücher.example', topics: ['history'], birthday: '1984-02-29' },
    stored: 'jörg@bücher.example',
  },
  {
    came: {},
    entries: { email: 'Grace.HOPPER@Example.ORG', topics: ['boats'], birthday: '1986-12-09' },
    stored: 'Grace.HOPPER@example.org',
  },
];

let session: BrowserSession;
beforeAll(async () => {
  session = await openBrowser();
});
afterAll(() => session?.close());

it('does not report existing subscriptions to a new workflow', async () => {
  await n8n.activate(workflow);
  expect((await n8n.workflow(workflow)).active).toBe(true);
  await sleep(2_000);
  expect(await n8n.executionIds(workflow)).toEqual([]);
});

it('reports every signup of the real tag, with attribution and custom fields', async () => {
  for (const { came, entries } of visitors) {
    const { page } = await visit(session.browser, `${demoUrl}/?${new URLSearchParams(came).toString()}`);
    await subscribe(page, entries);
    expect(await notice(page, 'success')).toContain('Thank you');
  }

  const executions = await executionsWith(visitors.map(({ stored }) => stored));
  const triggered = executions.flatMap((execution) => execution.output('New subscription'));
  const results = executions.flatMap((execution) => execution.output('Who came from where'));
  expect(executions.map(({ status }) => status)).toEqual(executions.map(() => 'success'));
  expect(triggered.map(({ email }) => email).toSorted()).toEqual(visitors.map(({ stored }) => stored).toSorted());
  expect(results).toHaveLength(visitors.length);

  for (const { came, entries, stored } of visitors) {
    expect(triggered.find(({ email }) => email === stored)).toMatchObject({
      email: stored,
      utm_source: '',
      utm_medium: '',
      utm_campaign: '',
      ...came,
      custom_fields: { Topics: entries.topics, Birthday: entries.birthday },
    });
    expect(results.find(({ email }) => email === stored)).toEqual({
      email: stored,
      source: came['utm_source'] ?? '',
      medium: came['utm_medium'] ?? '',
      campaign: came['utm_campaign'] ?? '',
      topics: entries.topics,
      birthday: entries.birthday,
      subscribedAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*Z$/),
    });
  }
});

it('returns the latest subscription in a manual run, and does not report it a second time', async () => {
  const before = (await n8n.workflow(workflow)).staticData;
  const id = await n8n.runManually(workflow, 'New subscription');
  const execution = await expect
    .poll(() => n8n.execution(id))
    .toBeDefined()
    .then(() => n8n.execution(id));
  expect(execution?.status).toBe('success');
  expect(execution?.output('New subscription')).toHaveLength(1);
  // The last two may be of the same second, in which the API has no order.
  expect(visitors.slice(-2).map(({ stored }) => stored)).toContain(execution?.output('New subscription')[0]?.['email']);
  expect((await n8n.workflow(workflow)).staticData).toEqual(before);
});

/** Waits until scheduled polls, one a minute, have reported all addresses. */
async function executionsWith(addresses: readonly string[]): Promise<Execution[]> {
  const ended = new Map<string, Execution>();
  for (const deadline = Date.now() + 150_000; Date.now() < deadline; await sleep(1_000)) {
    for (const id of await n8n.executionIds(workflow)) {
      const execution = ended.has(id) ? undefined : await n8n.execution(id);
      if (execution) ended.set(id, execution);
    }
    const executions = [...ended.values()];
    const arrived = new Set(
      executions.flatMap((execution) => execution.output('Who came from where')).map(({ email }) => email),
    );
    const broken = executions.find(({ status }) => status !== 'success');
    if (broken)
      throw new Error(
        `Execution ${broken.id} ended with ${broken.status}: ${broken.error?.message} ${broken.error?.description ?? ''}`,
      );
    if (addresses.every((address) => arrived.has(address))) return executions;
  }
  throw new Error(`Not every address arrived in n8n: ${addresses.join(', ')}`);
}
