/** Runs of a reconciler over contacts and subscriptions that tests make. */
import {
  createReconciler,
  prepareMapping,
  startSync,
  type ReadyMapping,
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
    email: address(number),
    status: 'active',
    created: 1_700_000_000 + number,
    custom_fields: [{ name: 'City', value: 'Bonn' }],
    ...over,
  };
}

export function contactOf(number: number, over: Contact = {}): Contact {
  const email = address(number);
  return { id: `c${number}`, email, city: 'Bonn', newsletter_status: 'active', do_not_mail: false, token: '', ...over };
}

/** The defaults and what a test changes, with the custom fields of the publication. */
export function readyMapping(mapping: Partial<SyncMapping> = {}, key = 'pub_1'): ReadyMapping {
  const custom = furtherFields.map((id) => ({ id, display: id, kind: 'string' }));
  return prepareMapping({ ...defaults, ...mapping }, [{ id: city, display: 'City', kind: 'string' }, ...custom], key);
}

export function plan(
  contacts: readonly Contact[],
  subscriptions: readonly SyncSubscription[],
  state: SyncState = startSync(),
  { mapping, accept, scope, key }: Options = {},
): SyncPlan {
  const reconciler = createReconciler({ mapping: readyMapping(mapping, key), state, now, accept, scope });
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

/** The subscriptions that a plan unsubscribes. */
export const unsubscribed = ({ pairs }: SyncPlan): readonly string[] =>
  pairs.flatMap(({ subscriptionWrites }) =>
    subscriptionWrites.flatMap(({ unsubscribe, subscription_id }) => (unsubscribe ? [subscription_id] : [])),
  );

/** The address of {@link subscription} and {@link contactOf}. */
export const address = (number: number): string => `reader-${number}@example.com`;
