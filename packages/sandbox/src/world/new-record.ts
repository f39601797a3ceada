/** New records: their numbers and ids, and what every new subscription has. */
import { addressKey } from '@newsletter-kit/core/signup';
import type { SubscriptionRow } from '../store/subscriptions.ts';
import type { World } from './world.ts';

/** Kinds with which their ids begin. */
const prefixes: ReadonlySet<string> = new Set(['sub', 'aj', 'aut', 'tier', 'nl_list', 'comp_access', 'pub_field']);

/** The number and the id of a new record of this kind. */
export function identify({ store, ids }: World, kind: string): { readonly seq: number; readonly id: string } {
  const seq = store.next(kind);
  const uuid = ids.uuid(kind, seq);
  return { seq, id: prefixes.has(kind) ? `${kind}_${uuid}` : uuid };
}

/** What a new subscription has where nothing else is said. */
const blank = {
  utm_source: '',
  utm_medium: '',
  utm_channel: '',
  utm_campaign: '',
  utm_term: '',
  utm_content: '',
  referring_site: '',
  referred_by: null,
  payments_customer_id: '',
  double_opt_in: 0,
  tags: '[]',
  emails_received: 0,
  open_rate: 0,
  click_through_rate: 0,
} satisfies Partial<SubscriptionRow>;

type Made = 'seq' | 'id' | 'email_key' | 'referral_code';
export type NewSubscription = Omit<SubscriptionRow, Made | keyof typeof blank> &
  Partial<Pick<SubscriptionRow, keyof typeof blank>>;

/** Stores a new subscription and returns its number. */
export function addSubscription(world: World, fields: NewSubscription, identity = identify(world, 'sub')): number {
  const { seq } = identity;
  const made = { ...identity, email_key: addressKey(fields.email), referral_code: world.ids.code('sub', seq) };
  world.store.subscriptions.insert({ ...blank, ...fields, ...made });
  return seq;
}
