/** Receives a signup post in n8n: admits it, answers it, and returns the item that starts the workflow. */
import {
  acceptedAnswer,
  acceptedBody,
  admitPost,
  type Answer,
  collectBody,
  type KeptSubmission,
  originCheck,
  type Post,
  refusalAnswer,
  refused,
  type Refused,
  unavailable,
  withAudit,
} from '@newsletter-kit/core/endpoint';
import type { IDataObject, INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { keeps } from '../execution.ts';
import { deduplicatorOf, marksOf, parseStarted } from './deduplication.ts';
import { type Form, readForm } from './form.ts';

/** The part of Node's request, and of n8n's additions to it, that is used here. */
interface WebhookRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body, where n8n has already read it. */
  readonly rawBody?: Uint8Array;
  iterator(options: { readonly destroyOnReturn: boolean }): AsyncIterable<Uint8Array>;
}

/** The part of Node's response that is used here. */
interface WebhookResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  removeHeader(name: string): void;
  end(body: string | null): unknown;
}

/** An admitted signup. */
interface ReceivedSignup {
  readonly submission: KeptSubmission;
  /** Whether its person has agreed; null where the text says neither yes nor no. */
  readonly consentGiven: boolean | null;
  /** True where the honeypot was filled in. */
  readonly suspected: boolean;
  readonly origin: string;
  readonly idempotencyKey: string | null;
}

/** Tells n8n that the node has answered; no execution starts. */
const answered: IWebhookResponseData = { noWebhookResponse: true };

/** Tells n8n to answer as after every accepted signup; no execution starts. */
const acceptedSilently: IWebhookResponseData = { webhookResponse: acceptedBody };

/**
 * Answers a post. n8n starts an execution where the result has `workflowData`; it saves the execution first and answers
 * then.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
  const response = context.getResponseObject();
  const post = postOf(context.getRequestObject());
  let form: Form | null = null;
  const refuse = (why: Refused): IWebhookResponseData => {
    sendRefusal(response, refusalAnswer(post.header, form?.origins ?? null, why));
    return answered;
  };
  try {
    form = readForm(context);
    const admission = await admitPost(post, {
      checkOrigin: originCheck(form.origins, 'Allowed Origins of the Newsletter Signup Trigger'),
      allowedFields: form.allowedFields,
      consent: form.consent,
    });
    if ('refused' in admission) return refuse(admission.refused);
    const { kept, consent, suspected } = admission.admitted;
    const origin = post.header('origin') ?? '';
    const signup: ReceivedSignup = {
      submission: withAudit(kept, origin, post.header('referer')),
      consentGiven: consent.given,
      suspected,
      origin,
      idempotencyKey: post.header('idempotency-key')?.trim() || null,
    };

    const now = Math.floor(Date.now() / 1000);
    // In the editor's test mode every post starts an execution.
    const isTest = context.getMode() === 'manual';
    const wait = isTest ? 0 : deduplicatorOf(scopeOf(context)).waitSeconds(now, form.signupsPerMinute);
    if (wait > 0) return refuse(tooManySignups(wait));
    prepareAccepted(response, acceptedAnswer(post.header, form.origins, form.thanksUrl ?? `${signup.origin}/`));
    if (suspected && !form.passSuspected) return acceptedSilently;
    const store = isTest ? () => undefined : await claimExecution(context, form, signup, now);
    if (store === null) return acceptedSilently;
    return {
      // n8n 2 reads the answer between the start of the execution and saving the static data. What it is given before,
      // it does not save: its WorkflowRunner builds a second Workflow on the same static data, and
      // `ObservableObject.create` marks them as unchanged there (`establishContextForPersistence`).
      get webhookResponse() {
        store();
        return acceptedBody;
      },
      workflowData: [[toItem(signup, now)]],
    };
  } catch (error) {
    // Only the error's name: its message may contain an e-mail address.
    const reason = error instanceof Error ? error.name : typeof error;
    context.logger.error(`Newsletter Signup Trigger: a signup was refused with 503 (${reason})`);
    return refuse(unavailable());
  }
}

function postOf(request: WebhookRequest): Post {
  return {
    header(name) {
      const value = request.headers[name];
      return (Array.isArray(value) ? value[0] : value) ?? null;
    },
    // The stream stays open where the body is too large, since the answer goes out over the same connection.
    body: (limit) =>
      collectBody(
        request.rawBody === undefined ? request.iterator({ destroyOnReturn: false }) : [request.rawBody],
        limit,
      ),
  };
}

/**
 * Claims an execution.
 *
 * @returns what writes the claim into the static data; null where the same attempt has started an execution, or the
 *   mailbox as many as it may
 */
async function claimExecution(
  context: IWebhookFunctions,
  { signupsPerAddress }: Form,
  signup: ReceivedSignup,
  now: number,
): Promise<(() => void) | null> {
  const scope = scopeOf(context);
  const staticData = context.getWorkflowStaticData('node');
  const claim = await deduplicatorOf(scope).claim({
    marks: await marksOf({ ...signup, email: signup.submission.email }, signupsPerAddress, scope),
    now,
    stored: parseStarted(staticData['passedOn']),
  });
  if (claim === null) return null;
  const response = context.getResponseObject();
  // n8n answers after saving the execution, with an error where saving failed. n8n 1 answers before it saves.
  response.once('finish', () => claim.settle(response.statusCode < 400));
  // Closed without an answer: the visitor left. The static data then decide about the next attempt.
  response.once('close', () => claim.settle(false));
  return () => {
    if (keeps(staticData, 'passedOn', Object.fromEntries(claim.toStore()))) return;
    context.logger.error(
      'Newsletter Signup Trigger: the static data of the workflow cannot be changed, so its limits hold only until n8n restarts',
    );
  };
}

/**
 * Builds the output item of a signup: the API's SubscriptionRequest without privileged fields. `signup` repeats the
 * custom fields by name, for expressions, and holds the evidence of consent and of the attribution.
 *
 * @param now - seconds since 1970
 */
function toItem({ submission, consentGiven, suspected, origin }: ReceivedSignup, now: number): INodeExecutionData {
  const { consent, audit, custom_fields: fields = [], ...request } = submission;
  return {
    json: {
      ...request,
      custom_fields: fields.map(({ name, value }) => ({ name, value: toJson(value) })),
      signup: {
        fields: Object.fromEntries(fields.map(({ name, value }) => [name, toJson(value)])),
        consent: consent ?? null,
        consent_given: consentGiven,
        origin,
        ...audit,
        received_at: new Date(now * 1000).toISOString(),
        suspected,
      },
    } satisfies IDataObject,
  };
}

type CustomFieldValue = NonNullable<KeptSubmission['custom_fields']>[number]['value'];

/** Copies a list, since n8n's type of JSON has no read-only arrays. */
function toJson(value: CustomFieldValue): string | number | boolean | string[] {
  return typeof value === 'object' ? [...value] : value;
}

/** Identifies the node among all nodes of this n8n. */
function scopeOf(context: IWebhookFunctions): string {
  return `${context.getWorkflow().id}/${context.getNode().id}`;
}

function tooManySignups(retryAfterSeconds: number): Refused {
  return refused(
    429,
    'TOO_MANY_SIGNUPS',
    'Many people are signing up right now. Please try again in a moment.',
    retryAfterSeconds,
  );
}

/**
 * n8n adds this header where it starts an execution and omits it elsewhere; its value differs between versions. With
 * this constant value in every answer, a repeated signup gets the same answer as the first.
 */
const sandbox =
  'sandbox allow-downloads allow-forms allow-modals allow-orientation-lock allow-pointer-lock allow-popups allow-popups-to-escape-sandbox allow-presentation allow-scripts allow-top-navigation-by-user-activation allow-top-navigation-to-custom-protocols';

/** Sets status and headers of a success; n8n sends it with the body. */
function prepareAccepted(response: WebhookResponse, { status, headers }: Answer): void {
  const csp = 'content-security-policy';
  setHeaders(response, { ...headers, [csp]: sandbox });
  response.statusCode = status;
  // Ignores the value that n8n sets later.
  const setHeader = response.setHeader.bind(response);
  response.setHeader = (name, value) => (name.toLowerCase() === csp ? response : setHeader(name, value));
}

function sendRefusal(response: WebhookResponse, { status, headers, body }: Answer): void {
  // n8n has already set it to the origin of the request, whichever that is.
  response.removeHeader('access-control-allow-origin');
  // The rest of a body that is too large stays unread, so the connection cannot be reused.
  setHeaders(response, { ...headers, ...(status === 413 && { connection: 'close' }) });
  response.statusCode = status;
  response.end(body);
}

function setHeaders(response: WebhookResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}
