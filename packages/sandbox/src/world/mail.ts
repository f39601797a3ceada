/** Sends e-mails to the inbox, and follows the confirm and unsubscribe links in them. */
import type { MessageKind, MessageRow } from '../store/inbox.ts';
import type { SubscriptionRow } from '../store/subscriptions.ts';
import { identify } from './new-record.ts';
import type { Emit, World } from './world.ts';

const subjects: Readonly<Record<Exclude<MessageKind, 'automation'>, (publication: string) => string>> = {
  confirmation: (publication) => `Please confirm your subscription to ${publication}`,
  welcome: (publication) => `Welcome to ${publication}`,
};

/** Requests the welcome e-mail for when the subscription becomes active. */
export function requestWelcome(world: World, subscription: number): void {
  const state = world.store.inbox.state(subscription);
  if (state) world.store.inbox.setState(subscription, { asked: state.asked, welcome: 1 });
}

/**
 * Sends the e-mails that a change of status triggers: a confirmation each time it becomes pending, the requested
 * welcome once it is active.
 */
export function sendAwaitedMail(world: World, subscription: number, emit: Emit): void {
  const { inbox } = world.store;
  const state = inbox.state(subscription);
  if (!state) return;
  const sendConfirmation = state.status === 'pending' && !state.asked;
  const sendWelcome = state.status === 'active' && state.welcome === 1;
  const asked = state.status === 'pending' ? 1 : 0;
  const welcome = sendWelcome ? 0 : state.welcome;
  if (asked !== state.asked || welcome !== state.welcome) inbox.setState(subscription, { asked, welcome });
  if (sendConfirmation) sendMail(world, subscription, 'confirmation', emit);
  if (sendWelcome) sendMail(world, subscription, 'welcome', emit);
}

/** Puts an e-mail to a subscriber into the inbox. */
export function sendMail(world: World, subscription: number, kind: MessageKind, emit: Emit, subject?: string): void {
  const { store, clock } = world;
  const row = store.subscriptions.bySeq(subscription);
  const publication = row && store.workspace.publication(row.publication_id);
  if (!publication) return;
  const identity = identify(world, 'message');
  store.insert('inbox', {
    ...identity,
    subscription,
    publication_id: publication.id,
    recipient: row.email,
    kind,
    subject: subject ?? (kind === 'automation' ? publication.name : subjects[kind](publication.name)),
    sent: clock.now(),
  });
  emit({ type: 'message', seq: identity.seq });
}

/** Each click with the statuses it moves, and to which. */
const clicks = {
  confirm: { from: ['pending'], to: 'active' },
  unsubscribe: { from: ['validating', 'pending', 'active', 'needs_attention', 'paused'], to: 'inactive' },
} as const satisfies Record<string, { readonly from: readonly string[]; readonly to: string }>;

export type Click = keyof typeof clicks;
export const isClick = (text: string): text is Click => Object.hasOwn(clicks, text);

/** Whether the link of this e-mail would do something now, has done it already, or is no longer good. */
export function linkState(world: World, message: MessageRow, click: Click): 'open' | 'done' | 'gone' {
  const row = subscriber(world, message);
  if (!row || (click === 'confirm' && message.kind !== 'confirmation')) return 'gone';
  if (row.status === clicks[click].to) return 'done';
  const from: readonly string[] = clicks[click].from;
  return from.includes(row.status) ? 'open' : 'gone';
}

/** Applies the link that the subscriber followed. */
export function followLink(world: World, message: MessageRow, click: Click): void {
  if (linkState(world, message, click) !== 'open') return;
  world.write((emit) => {
    world.store.subscriptions.setStatus(message.subscription, clicks[click].to);
    emit({ type: 'subscription', change: 'updated', seq: message.subscription });
  });
}

/** The subscription, as long as it still has the address the e-mail went to. */
function subscriber(world: World, { subscription, recipient }: MessageRow): SubscriptionRow | undefined {
  const row = world.store.subscriptions.bySeq(subscription);
  return row?.email === recipient ? row : undefined;
}
