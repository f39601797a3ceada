/**
 * n8n with durable cursors: the state of the trigger is saved, reports together with their execution. `N8N_ENDS` sets
 * how often n8n is ended; the nightly run takes 20.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@newsletter-kit/core';
import { expect } from 'vitest';
import { seeded } from '../support/seeded.ts';
import { type OwnN8n, schedulers, startOwnN8n } from './harness/own.ts';
import { test } from './harness/test.ts';
import { unscheduled, watchSubscriptions } from './harness/watching.ts';

test.override({ sandboxOptions: { seed: 'demo', seedSize: 300, profile: 'unlimited' } });

const cursors = {
  ...schedulers['durable with cursors'],
  // After a crash, n8n resumes an interrupted activation only when its lease has expired.
  N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '15',
};

async function idOf(api: Client, email: string): Promise<string> {
  const { items } = await api.subscriptions.list({ email });
  return items[0]?.id ?? '';
}

/**
 * Starts n8n again, like a supervisor: n8n 2.41 does not survive its own recovery when it was killed between the
 * creation and the start of an execution, and the next start finds the execution marked as crashed.
 */
async function startAgain(own: OwnN8n): Promise<void> {
  await own.start().catch(() => own.start());
}

/** Each end takes a start of n8n, about ten seconds. */
const ends = Number(process.env['N8N_ENDS'] ?? 4);

/**
 * Waits until the executions of this workflow name every address; those of the last poll may still run. A failure also
 * shows the beginning of each execution, with its status.
 */
async function expectReports(own: OwnN8n, workflow: string, emails: readonly string[]): Promise<void> {
  await expect
    .poll(
      async () => {
        const ids = await own.rest.executionIds(workflow);
        const texts = await Promise.all(ids.map((id) => own.rest.executionText(id)));
        const missing = emails.filter((email) => !texts.some((text) => text.includes(email)));
        return missing.length > 0 ? { missing, executions: texts.map((text) => text.slice(0, 300)) } : 'all reported';
      },
      { interval: 1_000 },
    )
    .toBe('all reported');
}

test(
  `reports every event after n8n ended ${ends} times during activations and polls`,
  async ({ sandboxOnPort: sandbox, api }) => {
    const own = await startOwnN8n(cursors);
    const roll = seeded(17);
    const watch = (event: string) => watchSubscriptions(own.rest, sandbox, { ...unscheduled, events: [event] });
    const deactivate = async (email: string) => {
      await api.subscriptions.updateStatus({ subscription_ids: [await idOf(api, email)], new_status: 'inactive' });
      sandbox.clock.advance('PT1M');
    };
    try {
      const { items: active } = await api.subscriptions.list({ status: 'active', direction: 'asc', limit: 100 });
      const [ada = '', ...existing] = active.map(({ email }) => String(email));
      const created = await watch('subscriptionCreated');
      const unsubscribed = await watch('subscriptionUnsubscribed');
      const changed = await watch('subscriptionStatusChanged');
      const watching = [created, unsubscribed, changed];
      for (const workflow of watching) await workflow.activate();
      const emails: string[] = [];
      const learners = [];
      for (let count = 0; count < ends; count += 1) {
        const email = `ended.${count}@example.com`;
        emails.push(email);
        await api.subscriptions.create({ email, double_opt_override: 'off' });
        sandbox.clock.advance('PT1S');
        await deactivate(email);
        await deactivate(existing[count] ?? '');
        // Its activation is interrupted by the end of n8n.
        const learner = await watch('subscriptionStatusChanged');
        learners.push(learner);
        const polls = [...watching, learner].map((workflow) => workflow.poll().catch(() => undefined));
        await sleep(roll() * 1_500);
        await (count % 2 === 0 ? own.kill() : own.stop());
        await Promise.all(polls);
        await startAgain(own);
      }
      for (const workflow of [...watching, ...learners]) await workflow.poll();
      // A change while n8n is down, after the activations that had been interrupted.
      await own.kill();
      await deactivate(ada);
      await startAgain(own);
      // The first poll of a learner that finds something leaves it to the next.
      for (const workflow of [...watching, ...learners, ...learners]) await workflow.poll();
      await expectReports(own, created.id, emails);
      await expectReports(own, unsubscribed.id, [...emails, ...existing.slice(0, ends), ada]);
      await expectReports(own, changed.id, [...existing.slice(0, ends), ada]);
      for (const learner of learners) await expectReports(own, learner.id, [ada]);
    } finally {
      await own.close();
    }
  },
  (ends + 4) * 60_000,
);
