/** The form of the signup trigger: its parameters, and the rules that they set. */
import type { ConsentRules } from '@newsletter-kit/core/endpoint';
import { isRecord } from '@newsletter-kit/core/engine';
import type { INodeProperties } from 'n8n-workflow';
import { authentication, publication } from '../parameters/connection.ts';
import { collection, customFieldNames, notice, number, select, text, texts } from '../parameters/properties.ts';
import {
  ParameterMismatch,
  readCollection,
  readParameter,
  readValue,
  type WithoutItems,
  withoutItems,
} from '../parameters/read.ts';

const path = text({
  displayName: 'Path',
  name: 'path',
  required: true,
  placeholder: 'e.g. signup',
  description: 'Where n8n listens; the last part of the address that the form posts to',
});

const allowedOrigins = text({
  displayName: 'Allowed Origins',
  name: 'allowedOrigins',
  required: true,
  placeholder: 'e.g. https://www.example.com, https://example.com',
  description:
    'Websites with the form, separated by commas: scheme and host, with a port where it has one, without a path. Posts from other websites are refused.',
});

const allowedFields = customFieldNames({
  displayName: 'Accepted Custom Field Names or IDs',
  name: 'allowedFields',
  hint: 'Custom fields that the form may set; others are dropped. None for every one. The list needs a credential; an expression with the names does not.',
});

const signupsPerAddress = number({
  displayName: 'Signups per Address and Hour',
  name: 'signupsPerAddress',
  typeOptions: { minValue: 0, maxValue: 100, numberPrecision: 0 },
  default: 3,
  description:
    'Maximum number of executions that one mailbox starts within an hour, in whatever spelling: a visitor can try again, and nobody can use your form to mail a stranger repeatedly. Further signups are answered as usual but start no execution. 0 removes the limit.',
});

const thanksUrl = text({
  displayName: 'Redirect Without JavaScript',
  name: 'thanksUrl',
  placeholder: 'e.g. https://www.example.com/thank-you',
  description:
    'Page for visitors without JavaScript after signing up. Leave empty for the front page of their website.',
});

const honeypot = select({
  displayName: 'Suspected Robots',
  name: 'honeypot',
  default: 'drop',
  description: 'What to do with a signup that has a value in the honeypot, a field hidden from people',
  options: [
    { name: 'Leave Out', value: 'drop', description: 'Answer as usual, and start no execution' },
    { name: 'Pass On', value: 'pass', description: 'Start an execution with "suspected" set to true' },
  ],
});

const signupsPerMinute = number({
  displayName: 'Signups per Minute',
  name: 'signupsPerMinute',
  typeOptions: { minValue: 1, numberPrecision: 0 },
  default: 300,
  description:
    'Maximum number of executions to start in a minute. Further signups are refused with 429 and Retry-After.',
});

const consentSentences = texts('Add Sentence', {
  displayName: 'Consent Sentences',
  name: 'consentSentences',
  placeholder: 'e.g. I agree to receive the newsletter.',
  description:
    'Sentences that the form asks people to agree to, as it shows them; keep earlier ones. They make "consent_given" true, and any other text is refused. Without them a text leaves it null: neither yes nor no.',
});

const promise = notice({
  displayName:
    'Set the <b>Production URL</b> above as the <code>endpoint</code> of your form. A signup is answered once n8n has saved its execution (n8n 1 answers just before); check the failed executions regularly, because n8n does not repeat them.',
  name: 'promise',
});

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
  authentication,
  publication,
  allowedFields,
  signupsPerAddress,
  thanksUrl,
  ...collection('settings', 'Options', 'Add option', [consentSentences, signupsPerMinute, honeypot]),
  bodyUnread,
];

/** The rules of a form. */
export interface Form {
  /** Allowed origins of the pages with the form, in the spelling of browsers. */
  readonly origins: ReadonlySet<string>;
  /** Names of the custom fields a page may set; null accepts all. */
  readonly allowedFields: ReadonlySet<string> | null;
  readonly consent: ConsentRules;
  /** Maximum number of executions that one mailbox starts within an hour; 0 for no limit. */
  readonly signupsPerAddress: number;
  /** Redirect for visitors without JavaScript; null for the front page of the website. */
  readonly thanksUrl: string | null;
  /** Whether a signup with a filled honeypot starts an execution. */
  readonly passSuspected: boolean;
  /** Maximum number of executions started in a minute. */
  readonly signupsPerMinute: number;
}

/**
 * Reads the form.
 *
 * @throws ParameterMismatch which names the parameter and the remedy
 */
export function readForm(node: WithoutItems): Form {
  const item = withoutItems(node);
  const entered = { ...allowedOrigins, required: false, typeOptions: { multipleValues: true } };
  const origins = textsOf(readParameter(item, entered)).map(readOrigin);
  if (origins.length === 0) {
    throw new ParameterMismatch(
      '"Allowed Origins" is empty, so every signup would be refused. Add the website of the form, for example https://www.example.com',
    );
  }
  const fields = textsOf(readParameter(item, allowedFields));
  const options = node.getNodeParameter('settings', {});
  const chosen = readCollection([honeypot, signupsPerMinute], options);
  // A text of an expression is one sentence, whose commas separate nothing.
  const sentences = readValue(
    consentSentences,
    [isRecord(options) && options[consentSentences.name]].flat().filter(Boolean),
  );
  return {
    origins: new Set(origins),
    allowedFields: fields.length > 0 ? new Set(fields) : null,
    consent: {
      sentences: textsOf(sentences),
      setting: 'Consent Sentences of the Newsletter Signup Trigger',
    },
    signupsPerAddress: Number(readParameter(item, signupsPerAddress) ?? signupsPerAddress.default),
    thanksUrl: readPage(readParameter(item, thanksUrl)),
    passSuspected: chosen[honeypot.name] === 'pass',
    signupsPerMinute: Number(chosen[signupsPerMinute.name] ?? signupsPerMinute.default),
  };
}

const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/**
 * Normalizes an origin to the spelling of browsers, so that origins can be compared as texts. A host alone is one with
 * https, unless it is a machine's own; the dot at its end means nothing.
 */
function readOrigin(entered: string): string {
  if (entered.includes('*'))
    throw new ParameterMismatch(
      `"Allowed Origins" has "${entered}", and a browser sends no origin with a *. Enter each website of the form, for example https://www.example.com`,
    );
  const host = /^(?:localhost|[\w-]+(?:\.[\w-]+)+\.?)(?::\d+)?(?=\/?$)/i.exec(entered)?.[0];
  const scheme = host !== undefined && /^(?:localhost|\d+(?:\.\d+){3})(?::|$)/.test(host) ? 'http' : 'https';
  const url = webAddress(host === undefined ? entered : `${scheme}://${entered}`);
  if (url !== null && url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '')
    return url.origin.replace(/\.(?=(?::\d+)?$)/, '');
  throw new ParameterMismatch(
    `"Allowed Origins" has "${entered}", which is no origin. Enter scheme and host alone, for example https://www.example.com`,
  );
}

function readPage(entered: unknown): string | null {
  if (entered === undefined) return null;
  const url = webAddress(String(entered));
  if (url !== null) return url.href;
  throw new ParameterMismatch(
    '"Redirect Without JavaScript" must be a whole address such as https://www.example.com/thank-you',
  );
}

function webAddress(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
}
