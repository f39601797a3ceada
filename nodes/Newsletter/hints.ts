/**
 * Hints about the nodes: for n8n's workflow builder and other agents (`builderHint`, which older versions ignore), and
 * for people, beside a node's data (`hints`).
 */
import type { IBuilderHint, NodeHint } from 'n8n-workflow';

const service = 'a newsletter on beehiiv, or on another service that speaks the Newsletter Publishing API, version 2';

/** The types of the nodes as workflows name them. */
const types = {
  newsletter: 'n8n-nodes-newsletter-kit.newsletter',
  trigger: 'n8n-nodes-newsletter-kit.newsletterTrigger',
  signup: 'n8n-nodes-newsletter-kit.newsletterSignupTrigger',
  sync: 'n8n-nodes-newsletter-kit.newsletterSync',
} as const;

/** The description of the action node as a tool of an agent. */
export const toolDescription =
  'Find, create and update the subscriptions of a newsletter on beehiiv or a compatible service';

export const newsletterBuilderHint: IBuilderHint = {
  searchHint: `Works with the subscriptions, automations and custom fields of ${service}. It is not for sending single emails. Subscribe or change one person per item with resource subscription, operation createOrUpdate. The node handles all input items by itself: do not put it into a loop. For hundreds of rows use operation bulkImport, for changes of many known subscriptions bulkUpdate. To react to new subscriptions use the Newsletter Trigger, not a Schedule Trigger with getMany. Resource dataDeletion erases a person from every publication and cannot be undone: use it only where the user asks for erasure.`,
  relatedNodes: [
    { nodeType: types.trigger, relationHint: 'Starts a workflow for each new or changed subscription' },
    { nodeType: types.signup, relationHint: 'Receives the signup form of a website; put this node behind it' },
    {
      nodeType: types.sync,
      relationHint: 'Use this instead to keep the contacts of a CRM and the subscriptions the same',
    },
  ],
  extraTypeDefContent: [
    {
      displayOptions: { show: { resource: ['subscription'], operation: ['createOrUpdate'] } },
      content: `<patterns>
<pattern title="Subscribe, or update, one person per item">
const subscribe = node({
  type: '${types.newsletter}',
  config: {
    name: 'Subscribe',
    parameters: {
      resource: 'subscription',
      operation: 'createOrUpdate',
      email: expr('{{ $json.email }}'),
      customFields: {
        mappingMode: 'defineBelow',
        value: { 'First Name': expr('{{ $json.first_name }}') },
        // Only these fields are shown; without a schema, all of the publication are.
        schema: [{ id: 'First Name', displayName: 'First Name', type: 'string', required: false, display: true }]
      },
      additionalFields: { utm_source: expr('{{ $json.utm_source }}') }
    }
  }
});
</pattern>
</patterns>`,
    },
    {
      displayOptions: { show: { resource: ['subscription'], operation: ['get'] } },
      content: `<patterns>
<pattern title="Look a person up by email address, custom fields included">
const find = node({
  type: '${types.newsletter}',
  config: {
    name: 'Find subscription',
    parameters: {
      resource: 'subscription',
      operation: 'get',
      subscription: { __rl: true, mode: 'email', value: expr('{{ $json.email }}') }
    }
  }
});
</pattern>
</patterns>`,
    },
  ],
};

export const triggerBuilderHint: IBuilderHint = {
  searchHint: `Polls ${service}. The subscriptions found by one poll come as several items of one execution. The parameter events takes a list, and each item names its event under event. The event subscriptionCreated alone costs one request a poll; every other reads the whole publication again and again, so choose it only where a change, and not a new subscription, is what matters. Custom fields are in each item under custom_fields, by their names.`,
  relatedNodes: [
    { nodeType: types.newsletter, relationHint: 'Reads or changes the subscription that started the workflow' },
    { nodeType: types.signup, relationHint: 'Use this instead where the form of a website shall post to n8n itself' },
  ],
};

export const signupBuilderHint: IBuilderHint = {
  searchHint: `Receives the posts of a newsletter signup form, checks them and answers the page by itself: use it instead of a Webhook node, and add no Respond to Webhook node. It does not subscribe anybody: put the Newsletter node behind it, with resource subscription, operation createOrUpdate and the email of the item. Path and Allowed Origins are required; ask the user for the address of the website.`,
  relatedNodes: [
    { nodeType: types.newsletter, relationHint: 'Subscribes the person who signed up' },
    {
      nodeType: types.trigger,
      relationHint: 'Use this instead to learn of new subscriptions, wherever they came from',
    },
  ],
};

export const syncBuilderHint: IBuilderHint = {
  searchHint: `Keeps the contacts of a CRM and the subscriptions of ${service} the same, in both directions. All contacts of the CRM have to come in together, in one run and not in a loop. Outputs by index: 0 findings for a person, 1 the report, 2 the changes that a preview plans, 3 contacts to create, 4 contacts to update, 5 the report of a plan that is held back, for Stop and Error; place their nodes in this order from top to bottom, and connect 3 and 4 to nodes of the CRM that write every field of an item, and their answers, through a Merge node that appends, to a second node of this type with operation checkAnswers; connect its output 0, what was refused, to Stop and Error. Start with mode preview. For one direction only use the Newsletter Trigger and a node of the CRM.`,
  relatedNodes: [
    { nodeType: types.trigger, relationHint: 'Use this instead where changes only go from the newsletter to the CRM' },
    { nodeType: 'n8n-nodes-base.scheduleTrigger', relationHint: 'Starts the sync, for example every hour' },
  ],
};

/** A hint at the output of a node. */
const hint = (
  message: string,
  whenToDisplay: NonNullable<NodeHint['whenToDisplay']>,
  displayCondition?: string,
): NodeHint => ({
  message,
  ...(displayCondition && { displayCondition: `={{ ${displayCondition} }}` }),
  whenToDisplay,
  location: 'outputPane',
  type: 'info',
});

/** Whether more items come in than the operations of single items are for. */
const hasMany = (operations: string): string =>
  `$parameter["resource"] === "subscription" && ${operations}.includes($parameter["operation"]) && $input.all().length > 50`;

export const newsletterHints: NodeHint[] = [
  hint(
    '<b>Bulk Import</b> sends all of these items in a few requests, and returns the outcome of each row. <b>Create</b> and <b>Create or Update</b> send each item by itself.',
    'always',
    hasMany('["create", "createOrUpdate"]'),
  ),
  hint(
    '<b>Bulk Update</b> sends all of these items in jobs of up to a thousand. <b>Update</b> waits for one job per item.',
    'always',
    hasMany('["update"]'),
  ),
];

export const triggerHints: NodeHint[] = [
  hint(
    'The subscriptions that one poll finds come as several items of one execution. Make sure that the workflow handles more than one item.',
    'beforeExecution',
  ),
];

export const syncHints: NodeHint[] = [
  hint(
    'This was a preview: nothing was written. The output <b>Planned</b> lists each change that Apply would make.',
    'afterExecution',
    '$parameter["operation"] !== "checkAnswers" && $parameter["mode"] === "preview"',
  ),
];
