/** Findings: situations that a sync reports to a person, each with a message and a remedy. Pure. */
import type { Pair, ReadyField } from '../mapping/prepare-mapping.ts';
import type { Side } from '../mapping/token.ts';

/** Every finding there is. None of the texts holds an address or a value. */
export const findingTexts = {
  active_while_opted_out: {
    message: 'The person subscribed again while the contact is opted out.',
    remedy: 'Clear the opt-out of the contact, or unsubscribe the person.',
  },
  address_changed_in_crm: {
    message: 'The contact has another address than its subscription.',
    remedy: 'Set the address back, or ask the person to sign up with the new address.',
  },
  address_changed_in_newsletter: {
    message: 'The subscription has another address than its contact.',
    remedy: 'Change the address of the contact, or let the sync write it (addressChangedInNewsletter: write).',
  },
  address_changed_on_both_sides: {
    message: 'Contact and subscription were both given another address.',
    remedy: 'Give both the same address.',
  },
  address_malformed: {
    message: 'The address of the contact is empty or no e-mail address.',
    remedy: 'Correct the address. Until then the contact is left alone.',
  },
  ambiguous: {
    message: 'Several contacts belong to one subscription: opt-outs count for all of them, values wait.',
    remedy: 'Merge the contacts, or correct the address of one.',
  },
  conflict: {
    message: 'Both sides changed the field, and its rule is review.',
    remedy: 'Give the field the same value on both sides.',
  },
  contact_creation_failed: {
    message: 'The contact of a new subscription was handed over several times, and the CRM does not show it.',
    remedy: 'Look at what the CRM answers to it. Every run tries again.',
  },
  contact_update_failed: {
    message: 'The change of the contact was handed over several times, and the contact does not show it.',
    remedy: 'Look at what the CRM answers to it. Every run tries again.',
  },
  contact_missing: {
    message: 'The subscription has no contact any more: it was deleted in the CRM, or merged into another one.',
    remedy:
      'Unsubscribe the person, or create the contact again. Of a merged contact, add the address to the further addresses of the other.',
  },
  contact_repeated: {
    message: 'The contact came in twice; the first one counts.',
    remedy: 'Pass each contact once.',
  },
  contact_without_id: {
    message: 'The contact has no id.',
    remedy: 'Check the path of the id.',
  },
  crm_outage: {
    message: 'The CRM has taken none of the changes that were handed over in the last runs.',
    remedy:
      'Look at what the CRM answers, and that it keeps the sync token. Every run hands over all of them; nothing is lost.',
  },
  erased: {
    message: 'The person was erased from the newsletter.',
    remedy: 'Erase the contact as well.',
  },
  field_missing: {
    message: 'A mapped field was not delivered by any record.',
    remedy: 'Check the name of the field, and that the records include it.',
  },
  further_address: {
    message:
      'A contact has the addresses of two subscriptions. Its opt-out counts for both, its values for the other one.',
    remedy: 'Unsubscribe the address that the person does not use, or give it a contact of its own.',
  },
  not_accepted: {
    message:
      'The side shows another value than the sync wrote: it stores a form of its own, such as a cut one, or somebody changed it within the same run. Of a contact that belongs to somebody else now it may be the value of the person before.',
    remedy:
      'Where the value is right, change it on the other side, too. Otherwise change it back, or give the field room for what is written.',
  },
  subscription_creation_failed: {
    message: 'The newsletter was asked to subscribe the contact, and does not list the person.',
    remedy: 'Nobody is asked twice. If the person does not come, subscribe the person by hand.',
  },
  subscription_gone: {
    message: 'The subscription of the contact no longer exists.',
    remedy: 'Nothing has to be done: the contact is not subscribed again.',
  },
  subscription_unreadable: {
    message: 'The newsletter listed a subscription without id, address, status or time of creation; it was left alone.',
    remedy:
      'Ask the service why. Where id or address is missing, contacts without a subscription wait, for it may be theirs.',
  },
  token_damaged: {
    message: 'The sync token of the contact was changed or cut; it counts as missing.',
    remedy: 'Keep the token field free for the sync, with room for 255 characters.',
  },
  token_of_another: {
    message: 'The sync token of the contact is that of another contact, and nobody has its address: it is left alone.',
    remedy:
      'If the address is right, clear the sync token of the contact; otherwise set the address back, or delete the contact.',
  },
  token_of_another_newsletter: {
    message: 'The sync token of the contact belongs to another newsletter: values and opt-outs of the contact wait.',
    remedy:
      'Give each newsletter a token field of its own. If the contacts have only this newsletter, clear the field.',
  },
  twin: {
    message: 'The contact is the copy of an older one. Its opt-out counts, its values do not.',
    remedy: 'Delete this contact.',
  },
  write_failed: {
    message: 'The newsletter did not take the change.',
    remedy: 'The next run tries again. See the message of the service.',
  },
  wrong_kind: {
    message: 'The value does not fit the kind of the field.',
    remedy: 'Correct the value. Until then the field is left alone.',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<'message' | 'remedy', string>>>>;

export type FindingCode = keyof typeof findingTexts;

const look = 'Look at the changes that the plan lists.';

/** Why a plan is held back, and what to look at before it is accepted. */
export const heldRemedies = {
  too_many_changes: look,
  too_many_overwrites: look,
  too_many_creations: look,
  too_many_contacts: 'Remove an address that stands for nobody from its contacts.',
  contacts_missing: 'Hand over all contacts in one run.',
  opt_out_unclear: 'Name words that are no opt-outs in the setting for those.',
  status_unknown: 'Look whether people with such a status get the newsletter; the answer is remembered.',
  field_missing: 'Correct the mapping, or create the field again.',
  state_full: 'Look whether both sides are complete.',
} as const;

export type HeldReason = keyof typeof heldRemedies;

/** A situation that a person has to know of or to decide. Holds no address and no value. */
export interface Finding {
  readonly code: FindingCode;
  /** What happened. */
  readonly message: string;
  /** What to do about it. */
  readonly remedy: string;
  /** Whether no earlier run has reported it. */
  readonly isNew: boolean;
  /** Number of the contact's row, counted from 1. */
  readonly row?: number;
  readonly contactId?: string;
  readonly subscriptionId?: string;
  /** The mapped field: its path in the contact. */
  readonly field?: string;
  readonly side?: Side;
  /** What the service said, addresses removed. */
  readonly detail?: string;
}

/** The contact, subscription and field that a finding is about. */
export type FindingContext = Omit<Finding, 'code' | 'message' | 'remedy' | 'isNew'>;

export function finding(code: FindingCode, isNew: boolean, context: FindingContext): Finding {
  return { code, ...findingTexts[code], isNew, ...context };
}

/** Findings about a pair: each has a bit among the reported ones in a token, which has room for 24. */
const pairFindings = [
  'active_while_opted_out',
  'address_changed_in_crm',
  'address_changed_in_newsletter',
  'address_changed_on_both_sides',
  'ambiguous',
  'erased',
  'subscription_gone',
  'write_failed',
] as const satisfies readonly FindingCode[];

export type PairFindingCode = (typeof pairFindings)[number];

/** Collects the findings of a pair, and the bits of those it reports. */
export class PairFindings {
  list: readonly Finding[] = [];
  reported = 0;
  readonly #pair: Pair;

  constructor(pair: Pair) {
    this.#pair = pair;
  }

  /** Adds a finding about the pair. */
  add(code: PairFindingCode): void;
  /** Adds a finding about one of its fields. */
  add(code: Exclude<FindingCode, PairFindingCode>, field: ReadyField, side?: Side): void;
  add(code: FindingCode, field?: ReadyField, side?: Side): void {
    const { subscription, contact, base } = this.#pair;
    // What was reported of a field stands with the field.
    const bit = field ? 0 : 1 << pairFindings.findIndex((each) => each === code);
    this.reported |= bit;
    const isNew = field ? !base?.fields[field.index]?.reported : ((base?.reported ?? 0) & bit) === 0;
    const context = {
      row: contact.row,
      contactId: contact.id,
      subscriptionId: subscription.id,
      ...(field && { field: field.contact }),
      ...(side && { side }),
    };
    this.list = [...this.list, finding(code, isNew, context)];
  }
}

/** The findings of a run, and which of them no earlier run has reported. */
export class FindingLog {
  /** A short text that stands for another one. */
  readonly fingerprint: (text: string) => string;
  readonly #before: ReadonlySet<string>;
  readonly #reported = new Set<string>();
  #findings: Finding[] = [];

  /** @param reportedBefore - fingerprints of the run before */
  constructor(reportedBefore: readonly string[], fingerprint: (text: string) => string) {
    this.fingerprint = fingerprint;
    this.#before = new Set(reportedBefore);
  }

  /** The findings since they were last taken. */
  take(): readonly Finding[] {
    const taken = this.#findings;
    this.#findings = [];
    return taken;
  }

  /** Adds findings of a pair, whose token remembers what was reported. */
  add(findings: readonly Finding[]): void {
    this.#findings.push(...findings);
  }

  /** Adds a finding that belongs to no pair's token. */
  report(code: FindingCode, context: FindingContext): void {
    // Rows change from run to run.
    const { row, ...stable } = context;
    const key = this.fingerprint(JSON.stringify([code, stable.contactId === undefined ? row : null, stable]));
    this.#reported.add(key);
    this.#findings.push(finding(code, !this.#before.has(key), context));
  }

  /** Fingerprints of the findings that belong to no pair, for the state. */
  get reported(): readonly string[] {
    return [...this.#reported];
  }
}
