/** Parameters of the signup trigger: path, allowed origins and fields, quiet period, honeypot, rate limit. */
import type { INodeProperties } from 'n8n-workflow';
import { collection } from '../parameters/propertyBuilders.ts';

export const path: INodeProperties = {
  displayName: 'Path',
  name: 'path',
  type: 'string',
  required: true,
  placeholder: 'e.g. newsletter-signup',
  default: '',
  description: 'Where n8n listens; the last part of the address that the form posts to',
};

export const allowedOrigins: INodeProperties = {
  displayName: 'Allowed Origins',
  name: 'allowedOrigins',
  type: 'string',
  required: true,
  placeholder: 'e.g. https://www.example.com, https://example.com',
  default: '',
  description:
    'Websites with the form, separated by commas: scheme and host, without a path. Posts from other websites are refused.',
};

export const allowedFields: INodeProperties = {
  displayName: 'Custom Fields to Accept',
  name: 'allowedFields',
  type: 'string',
  placeholder: 'e.g. First Name, Topics',
  default: '',
  description:
    'Names of the custom fields the form may set, separated by commas; others are left out. Empty accepts every custom field.',
};

export const quietMinutes: INodeProperties = {
  displayName: 'Quiet Period (Minutes)',
  name: 'quietMinutes',
  type: 'number',
  typeOptions: { minValue: 0, maxValue: 10_080, numberPrecision: 0 },
  default: 60,
  description:
    'How long further signups with the same address are answered as usual but start no execution, so that nobody can make you mail a stranger over and over. 0 switches it off.',
};

export const thanksUrl: INodeProperties = {
  displayName: 'Redirect Without JavaScript',
  name: 'thanksUrl',
  type: 'string',
  placeholder: 'e.g. https://www.example.com/thank-you',
  default: '',
  description:
    'Where visitors without JavaScript are sent after signing up. Empty sends them to the front page of the website they came from.',
};

export const honeypot: INodeProperties = {
  displayName: 'Suspected Robots',
  name: 'honeypot',
  type: 'options',
  default: 'drop',
  description: 'What to do with a signup in which the honeypot, a field that people do not see, was filled in',
  options: [
    { name: 'Leave Out', value: 'drop', description: 'Answer as usual, and start no execution' },
    { name: 'Pass On', value: 'pass', description: 'Start an execution with "suspected" set to true' },
  ],
};

export const signupsPerMinute: INodeProperties = {
  displayName: 'Signups per Minute',
  name: 'signupsPerMinute',
  type: 'number',
  typeOptions: { minValue: 1, numberPrecision: 0 },
  default: 300,
  description:
    'Maximum number of executions to start in a minute. Further signups are refused with 429 and Retry-After.',
};

const promise: INodeProperties = {
  displayName:
    'Set the <b>Production URL</b> above as the <code>endpoint</code> of your form. A signup is answered once n8n has saved its execution (n8n 1 answers just before); look at the failed executions now and then, for n8n does not repeat them by itself.',
  name: 'promise',
  type: 'notice',
  default: '',
};

/**
 * Keeps n8n from reading the body, up to 16 MB, into memory before it calls the node. n8n looks for this option, which
 * comes from the first version of its Webhook node. With it the node reads the body itself and can stop at the limit.
 */
const bodyUnread: INodeProperties = {
  displayName: 'Body',
  name: 'options',
  type: 'hidden',
  default: { binaryData: true },
};

export const properties: INodeProperties[] = [
  promise,
  path,
  allowedOrigins,
  allowedFields,
  quietMinutes,
  thanksUrl,
  ...collection('settings', 'Options', 'Add option', [signupsPerMinute, honeypot]),
  bodyUnread,
];
