/**
 * The signup trigger node: receives the form's post, answers it as the relay does, and starts the workflow with a
 * SubscriptionRequest.
 */
import {
  type IHookFunctions,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeConnectionTypes,
  NodeOperationError,
} from 'n8n-workflow';
import { signupBuilderHint } from './hints.ts';
import { getCustomFieldNames, publicationSearch } from './methods.ts';
import { credentials } from './parameters/connection.ts';
import { ParameterMismatch } from './parameters/read.ts';
import { properties, readForm } from './signup/form.ts';
import { receive } from './signup/receive.ts';

export class NewsletterSignupTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Newsletter Signup Trigger',
    name: 'newsletterSignupTrigger',
    icon: { light: 'file:newsletter.svg', dark: 'file:newsletter.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{$parameter["path"]}}',
    description: 'Starts the workflow when somebody signs up for your newsletter on your website',
    builderHint: signupBuilderHint,
    eventTriggerDescription: 'Waiting for a signup at the test URL',
    activationMessage: 'Your form can post to the production URL now.',
    defaults: { name: 'Newsletter Signup Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    // Only the list of custom fields needs one.
    credentials: credentials.map((credential) => ({ ...credential, required: false })),
    webhooks: [
      {
        name: 'default',
        httpMethod: 'POST',
        path: '={{$parameter["path"]}}',
        isFullPath: true,
        // n8n answers after it has saved the execution (in queue mode: and queued it). Body and status come from
        // `receive`: n8n sets its own values unless these expressions are undefined.
        responseMode: 'onReceived',
        responseData: '={{ undefined }}',
        responseCode: '={{ undefined }}',
      },
    ],
    triggerPanel: {
      header: 'Receive a signup',
      executionsHelp: {
        inactive:
          '<b>To try it out</b>, set the test URL as the <code>endpoint</code> of your form, press <i>Execute step</i>, and sign up.<br /><br /><b>When it works</b>, set the production URL instead and publish the workflow. Signups then show up in the executions.',
        active:
          '<b>To try it out</b>, set the test URL as the <code>endpoint</code> of your form, press <i>Execute step</i>, and sign up.<br /><br /><b>The production URL is live</b>: signups through it show up in the executions.',
      },
      activationHint: 'Publish the workflow to receive signups without listening for them here.',
    },
    properties,
  };

  methods = { listSearch: publicationSearch, loadOptions: { getCustomFieldNames } };

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        return false;
      },
      /**
       * Nothing is registered anywhere. Invalid parameters fail here, when the workflow is published, and not at the
       * first signup.
       */
      async create(this: IHookFunctions): Promise<boolean> {
        try {
          readForm(this);
          return true;
        } catch (error) {
          const mismatch = error instanceof ParameterMismatch ? error.message : 'The parameters could not be read';
          throw new NodeOperationError(this.getNode(), mismatch);
        }
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        return true;
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    return receive(this);
  }
}
