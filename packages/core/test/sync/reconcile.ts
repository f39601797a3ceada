/** Runs of a reconciler over contacts and subscriptions that tests make. */
import {
  createReconciler,
  prepareMapping,
  startSync,
  type SyncMapping,
  type SyncPlan,
  type SyncState,
  type SyncSubscription,
} from '@newsletter-kit/core/sync';

export const city = 'c0000000-0000-4000-8000-000000000001';
/** Ids and names of further custom fields. */
export const furtherFields = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
export const defaults: SyncMapping = {
  fields: [
    { newsletter: city, contact: 'city', direction: 'both', conflict: 'crm' },
    { newsletter: 'status', contact: 'newsletter_status', direction: 'to_contact' },
  ],
  contact: { token: 'token' },
  optOut: { contact: 'do_not_mail' },
};
export const now = 1_800_000_000_000;

export type Contact = Record<string, unknown>;
export type Options = {
  readonly mapping?: Partial<SyncMapping>;
  readonly accept?: boolean;
  readonly scope?: 'incoming';
  /** The publication. Default `pub_1`. */
  readonly key?: string;
};

export function subscription(number: number, over: Partial<SyncSubscription> = {}): SyncSubscription {
  return {
    id: `sub_00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    email: `reader-${number}@example.com`,
    status: 'active',
    created: 1_700_000_000 + number,
    custom_fields: [{ name: 'City', value: 'Bonn' }],
    ...over,
  };
}

export function contactOf(number: number, over: Contact = {}): Contact {
  const email = `reader-${number}@example.com`;
  return { id: `c${number}`, email, city: 'Bonn', newsletter_status: 'active', do_not_mail: false, token: '', ...over };
}

export function plan(
  contacts: readonly Contact[],
  subscriptions: readonly SyncSubscription[],
  state: SyncState = startSync(),
  { mapping, accept, scope, key = 'pub_1' }: Options = {},
): SyncPlan {
  const custom = furtherFields.map((id) => ({ id, display: id, kind: 'string' }));
  const ready = prepareMapping(
    { ...defaults, ...mapping },
    [{ id: city, display: 'City', kind: 'string' }, ...custom],
    key,
  );
  const reconciler = createReconciler({ mapping: ready, state, now, accept, scope });
  for (const contact of contacts) reconciler.addContact(contact);
  reconciler.addSubscriptions(subscriptions);
  return reconciler.finish();
}

/** Makes the contacts' writes of a plan. */
export function written(contacts: readonly Contact[], { pairs }: SyncPlan): Contact[] {
  const writes = new Map(pairs.flatMap(({ contactWrites }) => contactWrites.map((write) => [write.id, write])));
  return contacts.map((contact) => {
    const write = writes.get(String(contact['id']));
    return write ? { ...contact, ...write.changes, token: write.token } : contact;
  });
}

/** Contacts that are linked to their subscriptions and agree with them, and the state after that run. */
export function agreed(
  count: number,
  options: Options = {},
): { contacts: Contact[]; subscriptions: SyncSubscription[]; state: SyncState } {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const subscriptions = numbers.map((number) => subscription(number));
  const contacts = numbers.map((number) => contactOf(number));
  const first = plan(contacts, subscriptions, startSync(), options);
  return { contacts: written(contacts, first), subscriptions, state: first.state };
}

export const codes = ({ findings }: SyncPlan): readonly string[] => findings.map(({ code }) => code);
