/** Journeys: a subscriber passes through an automation, one e-mail at a time, by the clock. */
import type { AutomationRow, JourneyRow } from '../store/automations.ts';
import { sendMail } from './mail.ts';
import { identify } from './new-record.ts';
import { validationTime } from './status.ts';
import type { Emit, World } from './world.ts';

/** Whether subscribers can be added by the API: the automation runs and has the trigger for it. */
export function takesApiEnrollment({ status, trigger_events }: AutomationRow): boolean {
  const triggers: unknown = JSON.parse(trigger_events);
  return (status === 'running' || status === 'live') && Array.isArray(triggers) && triggers.includes('api');
}

/** Starts a journey; null where the subscription is on one through this automation already. */
export function enroll(world: World, automation: AutomationRow, subscription: number): JourneyRow | null {
  const { store, clock } = world;
  if (store.automations.running(subscription, automation.seq)) return null;
  const journey: JourneyRow = {
    ...identify(world, 'aj'),
    automation: automation.seq,
    subscription,
    status: 'in_progress',
    step: 0,
    waited: 0,
    created: clock.seconds(),
    completed: null,
  };
  store.insert('journeys', journey);
  scheduleStep(world, journey);
  return journey;
}

/** Schedules the next e-mail of a journey after its wait, or the end of the journey. */
export function scheduleStep(world: World, { seq, automation, step: done }: JourneyRow): void {
  const next = activeEmails(world, automation)[done];
  world.store.due.schedule(world.clock.now() + (next?.wait ?? 0) * 1000, 'journey.step', seq);
}

/**
 * Sends the due e-mail of a journey. For a subscriber who is not active yet it waits a day at a time, at most a
 * month; it exits early for one who has left or whose address is invalid.
 */
export function sendNextEmail(world: World, seq: number, emit: Emit): void {
  const { store, clock } = world;
  const { automations } = store;
  const journey = automations.journey(seq);
  const subscriber = journey && store.subscriptions.bySeq(journey.subscription);
  if (!journey || !subscriber || journey.status !== 'in_progress') return;

  const email = activeEmails(world, journey.automation)[journey.step];
  if (!email) return automations.ended(seq, 'completed', clock.seconds());
  if (subscriber.status === 'validating') return store.due.schedule(clock.now() + validationTime, 'journey.step', seq);
  if (subscriber.status !== 'active') {
    const gone = subscriber.status === 'inactive' || subscriber.status === 'invalid';
    if (gone || journey.waited >= longestWait) return automations.ended(seq, 'exited_early', clock.seconds());
    automations.moved(seq, journey.step, journey.waited + 1);
    return store.due.schedule(clock.now() + day, 'journey.step', seq);
  }
  automations.sent(email.seq, clock.seconds());
  sendMail(world, subscriber.seq, 'automation', emit, email.subject_line);
  store.subscriptions.received(subscriber.seq);
  automations.moved(seq, journey.step + 1, 0);
  scheduleStep(world, { ...journey, step: journey.step + 1 });
  emit({ type: 'subscription', change: 'updated', seq: subscriber.seq });
}

/** Ends every journey of a subscription. */
export function exitJourneys(world: World, subscription: number): void {
  const { automations } = world.store;
  for (const journey of automations.runningOf(subscription))
    automations.ended(journey.seq, 'exited_early', world.clock.seconds());
}

const day = 86_400_000;
/** Days a journey waits for its subscriber to confirm. */
const longestWait = 30;

const activeEmails = (world: World, automation: number) =>
  world.store.automations.emails(automation).filter((email) => email.status === 'active');
