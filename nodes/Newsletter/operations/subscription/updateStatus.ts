/**
 * Subscription: Update Status. Every input item is one subscription; they go to the service in jobs of up to a
 * thousand, and are read again afterwards. The service does not answer the ID of the job, so the job is looked up in
 * its list.
 */
import { consentOf, getsMail, hasLeft } from '@newsletter-kit/core/facts';
import { refusalIn } from '@newsletter-kit/core/import';
import { words } from '@newsletter-kit/core/contract';
import { agentPermission } from '../../parameters/agents.ts';
import { describe, select } from '../../parameters/properties.ts';
import { readParameter } from '../../parameters/read.ts';
import { type OutputForm, present, readOutputForm, toRecord, updatedSubscription } from '../../records.ts';
import type { BatchOperation, ItemOutcome, OperationContext } from '../definition.ts';
import {
  beginStatusUpdate,
  type Found,
  inputSubscription,
  type JobResult,
  type Planned,
  readWaiting,
  runInJobs,
  waiting,
} from './jobs.ts';
import { notReadAgain, readAgain } from './read.ts';

const newStatus = select({
  displayName: 'New Status',
  name: 'new_status',
  required: true,
  default: 'inactive',
  description: describe(words['subscriptions.updateStatus'].parameters.new_status),
  options: [
    { name: 'Active', value: 'active' },
    { name: 'Inactive', value: 'inactive', description: 'No longer receives the newsletter' },
  ],
});

const agents = agentPermission(
  'allowAgentsToUpdateStatus',
  'Allow Agents to Update the Status',
  'update the status of subscriptions',
);

type Status = 'active' | 'inactive';

interface PlannedStatus extends Planned {
  readonly status: Status;
  readonly form: OutputForm;
}

/** A subscription whose job has not failed, as far as the node knows. */
interface Ended extends Found<PlannedStatus> {
  readonly job: JobResult;
}

export const updateStatus: BatchOperation = {
  independent: true,
  name: 'Update Status',
  description: 'Set the status of many subscriptions, one for each input item, in jobs of up to 1000',
  action: 'Update the status of subscriptions',
  record: updatedSubscription,
  properties: [inputSubscription, newStatus, ...waiting, agents.property],
  async executeAll(items, continueOnFail) {
    const ended = new Map<number, Ended>();
    const outcomes = await runInJobs<PlannedStatus>(items, continueOnFail, {
      agents,
      plan: async (context) => ({
        context,
        status: readStatus(context),
        seconds: readWaiting(context),
        form: readOutputForm(context, updatedSubscription),
      }),
      key: ({ status }) => status,
      changes: ({ status }) => ({ unsubscribe: hasLeft(status) }),
      submit: (batch) =>
        beginStatusUpdate(
          batch[0].context,
          [...new Set(batch.map(({ subscriptionId }) => subscriptionId))],
          batch[0].status,
          batch[0].seconds !== null,
        ),
      ended: (plan, job) => void ended.set(plan.context.itemIndex, { ...plan, job }),
    });
    return withRecords(outcomes, ended);
  },
};

/** A word that refuses mails sets `inactive`; only the word itself sets `active`. @throws ParameterMismatch */
function readStatus(context: OperationContext): Status {
  const { node, itemIndex, notice } = context;
  const word = String(node.getNodeParameter(newStatus.name, itemIndex, newStatus.default) ?? '').trim();
  const refuses = word !== '' && (consentOf(word, []).given === false || refusalIn(word) !== undefined);
  if (!refuses) return getsMail(readParameter(context, newStatus)) ? 'active' : 'inactive';
  if (word.toLowerCase() !== 'inactive')
    notice(`"${newStatus.displayName}" took "${word}" for "inactive", which was set.`);
  return 'inactive';
}

/** Adds each subscription as it is read after the job. Without a wait for it, there is nothing to read. */
async function withRecords(
  outcomes: readonly ItemOutcome[],
  ended: ReadonlyMap<number, Ended>,
): Promise<readonly ItemOutcome[]> {
  const waited = [...ended.values()].filter(({ seconds }) => seconds !== null);
  const records = await readAgain(waited.map(({ subscriptionId, ...plan }) => ({ ...plan, id: subscriptionId })));
  return outcomes.map((outcome) => {
    const plan = ended.get(outcome.itemIndex);
    if (plan === undefined || plan.seconds === null || 'error' in outcome) return outcome;
    const { context, subscriptionId, status, job, form } = plan;
    const record = records.get(subscriptionId);
    tell(context, job, status, record?.status);
    if (record === undefined) return outcome;
    return { ...outcome, json: present(toRecord({ ...record, ...job }), updatedSubscription, form) };
  });
}

/** Shows a notice where the job or the person could not be followed, and where the status is not the one set. */
function tell({ notice }: OperationContext, job: JobResult, set: Status, status: unknown): void {
  if (job.subscription_update_id === null)
    notice(
      'The service accepted the new status, but its job could not be identified, so the node did not wait for it, and "status" may still change. Bulk Update Job: Get Many lists the jobs.',
    );
  else if (status === undefined) notice(`The status was set${notReadAgain}`);
  else if (set === 'active' ? !getsMail(status) : !hasLeft(status))
    notice(
      `The job has ended, but a subscription is not "${set}": "status" of each item has what was read. An address that is invalid or still being checked is not activated.`,
    );
}
