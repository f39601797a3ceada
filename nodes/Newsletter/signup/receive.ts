/** One post, from its arrival to the item that starts the workflow. */
import { refused, unavailable } from '@newsletter-kit/core/endpoint';
import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { admit, type Signup } from './admit.ts';
import { acceptedBody, prepareAccepted, refuse } from './answers.ts';
import { gateOf, type Pass } from './gate.ts';
import { toItem } from './item.ts';
import { fromKept, marksOf, toKept } from './passedOn.ts';
import { toPosted } from './posted.ts';
import { readForm, type Form } from './settings.ts';

/** Answered by us; nothing is started. */
const answered: IWebhookResponseData = { noWebhookResponse: true };

/** Answered as every success is; nothing is started. */
const silent: IWebhookResponseData = { webhookResponse: acceptedBody };

/**
 * Answers a post. What it gives back tells n8n whether to start an execution; if so, n8n saves that first, and answers
 * then.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
  const response = context.getResponseObject();
  const posted = toPosted(context.getRequestObject());
  let form: Form | null = null;
  try {
    form = readForm((name, fallback) => context.getNodeParameter(name, fallback));
    const admission = await admit(posted, form);
    if ('refused' in admission) {
      refuse(response, posted, form, admission.refused);
      return answered;
    }
    const { signup } = admission;
    const now = Math.floor(Date.now() / 1000);
    // A person who tries out the form in the editor wants to see every attempt.
    const manual = context.getMode() === 'manual';
    const gate = gateOf(scopeOf(context));
    const wait = manual ? 0 : gate.waitSeconds(now, form.signupsPerMinute);
    if (wait > 0) {
      refuse(
        response,
        posted,
        form,
        refused(429, 'TOO_MANY_SIGNUPS', 'Many people are signing up right now. Please try again in a moment.', wait),
      );
      return answered;
    }
    prepareAccepted(response, posted, signup.origin, form);
    if (signup.suspected && !form.passSuspected) return silent;
    if (!manual && !(await passes(context, form, signup, now))) return silent;
    return { webhookResponse: acceptedBody, workflowData: [[toItem(signup, now)]] };
  } catch (error) {
    context.logger.error(`Newsletter Signup Trigger: a signup was turned away with 503 (${reason(error)})`);
    refuse(response, posted, form, unavailable());
    return answered;
  }
}

/** Whether this signup is the first of its kind; notes it where it is. */
async function passes(
  context: IWebhookFunctions,
  { quietSeconds }: Form,
  signup: Signup,
  now: number,
): Promise<boolean> {
  const scope = scopeOf(context);
  const kept = context.getWorkflowStaticData('node');
  const marks = await marksOf(signup, quietSeconds, scope);
  const pass = await gateOf(scope).claim({ marks, quietSeconds, now, kept: fromKept(kept['passedOn']) });
  if (pass === null) return false;
  keep(kept, pass);
  const response = context.getResponseObject();
  // n8n answers when it has saved the execution; with an error where it could not. n8n 1 answers before it saves.
  response.once('finish', () => pass.settle(response.statusCode < 400));
  // Closed without an answer: the visitor left. What n8n kept then tells the next attempt.
  response.once('close', () => pass.settle(false));
  return true;
}

/** n8n saves this after the execution, and only if it could save that. */
function keep(kept: IDataObject, { kept: passedOn }: Pass): void {
  kept['passedOn'] = toKept(passedOn);
}

function scopeOf(context: IWebhookFunctions): string {
  return `${context.getWorkflow().id}/${context.getNode().id}`;
}

/** What the log may say of a failure: addresses and values stay out. */
function reason(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
