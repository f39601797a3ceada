/** The settings of a sync – mapped fields, opt-out, and what happens in each situation – and their validation. Pure. */
import { isRecord } from '../../is-record.ts';
import type { ValueKind } from './canonical-value.ts';
import type { ContactPaths } from './contact.ts';
import { fixedLength, maxFieldLength, maxToContactLength, tokenLimit } from './token.ts';

/** Which side's value goes to the other. */
export type Direction = 'to_contact' | 'to_subscription' | 'both';

/** Whose value wins where both sides changed a field; `review` leaves both and reports it. */
export type ConflictRule = 'newsletter' | 'crm' | 'review';

/** A pair of fields that hold the same value. */
export interface FieldMapping {
  /**
   * The newsletter's field: the **id** of a custom field (names change, ids don't), or one of
   * {@link subscriptionProperties}, which only go `to_contact`.
   */
  readonly newsletter: string;
  /** The contact's field: its name, or dotted names (`properties.city`). */
  readonly contact: string;
  readonly direction: Direction;
  /** Only for `both`. Default `review`. */
  readonly conflict?: ConflictRule | undefined;
  /** Only for lists that the CRM keeps as one text: what stands between the members. Default: an array is written. */
  readonly separator?: string | undefined;
}

/**
 * The contact's veto: a field that says "send no newsletter", by yes, a time, a reason or a word of its own. Not the
 * mirror of the subscription's status.
 */
export interface OptOutMapping {
  /** The contact's field. */
  readonly contact: string;
  /** Whether leaving the newsletter sets the opt-out. Default true. */
  readonly setOnUnsubscribe?: boolean | undefined;
  /**
   * Values that are no opt-out, beside an empty field and no; every other one is. A yes, a time, a number, or a reason
   * such as `unsubscribed` is one in any case. Default: what most contacts of active subscribers show, once there are
   * 20 of them. Until then a value that is neither yes nor no holds the plan.
   */
  readonly notOptedOut?: readonly string[] | undefined;
}

/** What happens in situations where there is a choice; the first of each is the default. */
export interface SituationActions {
  /** A subscription without contact that is new, or whose contact could not be created before. */
  readonly newSubscription?: 'create_contact' | 'leave' | undefined;
  readonly addressChangedInNewsletter?: 'write' | 'report' | undefined;
}

/** The settings of a sync. */
export interface SyncMapping {
  readonly fields: readonly FieldMapping[];
  /** Where id, address and token of a contact stand. */
  readonly contact?: ContactPaths | undefined;
  readonly optOut?: OptOutMapping | undefined;
  /**
   * Whether contacts that the newsletter does not know are subscribed. `with_confirmation` asks each by double opt-in;
   * `on_consent` takes those whose {@link consent} field is true. Default `never`.
   */
  readonly subscribe?: 'never' | 'with_confirmation' | 'on_consent' | undefined;
  /** The contact's yes/no field that `on_consent` reads. */
  readonly consent?: string | undefined;
  readonly situations?: SituationActions | undefined;
  /** What a contact's field without a value is written as. Default null. */
  readonly emptyValue?: null | '' | undefined;
  /**
   * A plan that unsubscribes, clears or removes for more than this share of the pairs, and for more than `atLeast`, is
   * held back; so is one that overwrites so many values of a field. Default 0.05 and 20.
   */
  readonly breaker?: { readonly share?: number | undefined; readonly atLeast?: number | undefined } | undefined;
  /**
   * Most contacts that a run creates and changes, for CRMs with a budget of calls: the oldest subscriptions come first,
   * the others wait. Opt-outs and unsubscribes always go. Default: no limit.
   */
  readonly mostWrites?: number | undefined;
}

/** Properties of a subscription that a mapping can name, with their kinds. The API changes them alone. */
export const subscriptionProperties = {
  status: 'string',
  id: 'string',
  created: 'datetime',
  subscription_tier: 'string',
  subscription_premium_tier_names: 'list',
  utm_source: 'string',
  utm_medium: 'string',
  utm_channel: 'string',
  utm_campaign: 'string',
  utm_term: 'string',
  utm_content: 'string',
  referring_site: 'string',
  referral_code: 'string',
} as const satisfies Readonly<Record<string, ValueKind>>;

export type SubscriptionProperty = keyof typeof subscriptionProperties;

/** The mapping can't be used. The message lists every reason. */
export class MappingError extends Error {
  override readonly name = 'MappingError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The mapping can't be used:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** Validates a setting. @returns the problem, a text that follows the setting's name; null where it is valid */
type SettingCheck = (value: unknown) => string | null;

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';
const anything: SettingCheck = () => null;
const name: SettingCheck = (value) => (isName(value) ? null : 'must be a name.');
const text: SettingCheck = (value) => (isName(value) ? null : 'must be a text that is not empty.');
const yesOrNo: SettingCheck = (value) => (typeof value === 'boolean' ? null : 'must be true or false.');
const list: SettingCheck = (value) => (Array.isArray(value) ? null : 'must be a list.');
const oneOf =
  (...choices: readonly unknown[]): SettingCheck =>
  (value) =>
    choices.includes(value)
      ? null
      : `is one of: ${choices.map((choice) => (isName(choice) ? choice : JSON.stringify(choice))).join(', ')}.`;
const numberFrom =
  (min: number, max = Infinity): SettingCheck =>
  (value) =>
    typeof value === 'number' && value >= min && value <= max
      ? null
      : `is a number from ${min}${max === Infinity ? '' : ` to ${max}`}.`;

/** The settings of each object; what one setting says about another is checked by {@link checkMapping}. */
const settings = {
  mapping: {
    fields: list,
    contact: anything,
    optOut: anything,
    subscribe: oneOf('never', 'with_confirmation', 'on_consent'),
    consent: name,
    situations: anything,
    emptyValue: oneOf(null, ''),
    breaker: anything,
    mostWrites: numberFrom(1),
  },
  field: {
    newsletter: name,
    contact: name,
    direction: oneOf('to_contact', 'to_subscription', 'both'),
    conflict: oneOf('newsletter', 'crm', 'review'),
    separator: text,
  },
  contact: { id: name, email: name, token: name, furtherAddresses: name, mergedInto: name },
  optOut: { contact: name, setOnUnsubscribe: yesOrNo, notOptedOut: list },
  situations: {
    newSubscription: oneOf('create_contact', 'leave'),
    addressChangedInNewsletter: oneOf('write', 'report'),
  },
  breaker: { share: numberFrom(0, 1), atLeast: numberFrom(0) },
} as const satisfies {
  readonly mapping: Checks<SyncMapping>;
  readonly field: Checks<FieldMapping>;
  readonly contact: Checks<ContactPaths>;
  readonly optOut: Checks<OptOutMapping>;
  readonly situations: Checks<SituationActions>;
  readonly breaker: Checks<NonNullable<SyncMapping['breaker']>>;
};

/** The settings that each object must have. */
const required: { readonly [Part in keyof typeof settings]?: readonly string[] } = {
  mapping: ['fields'],
  field: ['newsletter', 'contact', 'direction'],
  optOut: ['contact'],
};

type Checks<Settings> = { readonly [Key in keyof Settings]-?: SettingCheck };

/**
 * Checks settings that come from a file or a form.
 *
 * @throws MappingError with every reason
 */
export function checkMapping(mapping: unknown): asserts mapping is SyncMapping {
  const problems: string[] = [];
  const known = checkSettings('mapping', '', mapping, problems);
  if (!known) throw new MappingError(['It must be an object.']);
  const { fields, optOut, subscribe, consent } = known;
  if (Array.isArray(fields)) checkFields(fields, problems);
  for (const part of ['contact', 'optOut', 'situations', 'breaker'] as const)
    if (known[part] !== undefined) checkSettings(part, part, known[part], problems);
  if (subscribe === 'on_consent' && consent === undefined)
    problems.push('"subscribe" is on_consent: name the contact’s consent field in "consent".');
  const veto = isRecord(optOut) ? optOut['contact'] : undefined;
  if (isName(veto) && Array.isArray(fields) && fields.some((field) => isRecord(field) && field['contact'] === veto))
    problems.push(
      `"${veto}" is the opt-out and a mapped field. The status of the subscription belongs into a field of its own.`,
    );
  if (problems.length > 0) throw new MappingError(problems);
}

/**
 * Checks every setting of an object. A setting that is undefined counts as left out.
 *
 * @param prefix - its path in the mapping; empty for the mapping itself
 * @returns undefined for anything but an object
 */
function checkSettings(
  part: keyof typeof settings,
  prefix: string,
  value: unknown,
  problems: string[],
): Readonly<Record<string, unknown>> | undefined {
  const checks: Readonly<Record<string, SettingCheck>> = settings[part];
  if (!isRecord(value)) {
    problems.push(`"${prefix}" must be an object.`);
    return undefined;
  }
  const path = (key: string): string => `"${prefix}${prefix && '.'}${key}"`;
  for (const [key, entry] of Object.entries(value)) {
    const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
    if (!check) problems.push(`${path(key)} is no setting. There are: ${Object.keys(checks).join(', ')}.`);
    const problem = entry === undefined ? null : (check?.(entry) ?? null);
    if (problem !== null) problems.push(`${path(key)} ${problem}`);
  }
  for (const key of required[part] ?? []) {
    if (value[key] === undefined) problems.push(`${path(key)} ${checks[key]?.(undefined) ?? 'is missing.'}`);
  }
  return value;
}

function checkFields(fields: readonly unknown[], problems: string[]): void {
  const targets = new Set<string>();
  let length = fixedLength;
  for (const [index, entry] of fields.entries()) {
    const at = `fields[${index}]`;
    const field = checkSettings('field', at, entry, problems);
    if (!field) continue;
    const { newsletter, contact, direction } = field;
    if (Object.hasOwn(subscriptionProperties, String(newsletter)) && direction !== 'to_contact')
      problems.push(`${at}: the API does not change "${String(newsletter)}"; its direction can only be to_contact.`);
    length += direction === 'to_contact' ? maxToContactLength : maxFieldLength;
    // Two fields that are written to one target would overwrite each other in every run.
    const written = [
      ...(direction === 'to_subscription' ? [] : [`the contact’s "${String(contact)}"`]),
      ...(direction === 'to_contact' ? [] : [`the newsletter’s "${String(newsletter)}"`]),
    ];
    for (const target of written) {
      if (targets.has(target)) problems.push(`${at}: ${target} is written by another field already.`);
      targets.add(target);
    }
  }
  if (length > tokenLimit)
    problems.push(
      `The fields need a token of ${length} characters, and it has ${tokenLimit}: ${fixedLength} without fields, ${maxToContactLength} for a field that only goes to the contact, ${maxFieldLength} for any other. Map fewer fields.`,
    );
}
