/** Plants an automation of a seed with its e-mails and journeys. */
import { addDuration } from '../duration.ts';
import { scheduleStep } from '../journeys.ts';
import type { World } from '../world.ts';
import type { SeedAutomation } from './automation-seed.ts';
import { planted } from './plant-subscriptions.ts';

export function plantAutomation(world: World, publication_id: string, given: SeedAutomation, place: string): void {
  const { store, clock, ids } = world;
  const { emails, journeys, trigger_events, created = clock.seconds(), ...rest } = given;
  const automation = store.next('aut');
  store.automations.insert({
    ...rest,
    seq: automation,
    id: `aut_${ids.uuid('aut', automation)}`,
    publication_id,
    trigger_events: JSON.stringify(trigger_events),
    created,
  });
  for (const { wait, links, first_sent_at, last_sent_at, ...email } of emails) {
    const seq = store.next('automation_email');
    store.automations.insertEmail({
      ...email,
      seq,
      id: ids.uuid('automation_email', seq),
      step_id: ids.uuid('automation_step', seq),
      automation,
      wait: Math.round(addDuration(0, wait) / 1000),
      created: email.created ?? created,
      first_sent_at: first_sent_at ?? null,
      last_sent_at: last_sent_at ?? null,
      links: JSON.stringify(links),
    });
  }
  for (const [index, { email, status, started, completed, step }] of journeys.entries()) {
    const seq = store.next('aj');
    const journey = {
      seq,
      id: `aj_${ids.uuid('aj', seq)}`,
      automation,
      subscription: planted(world, publication_id, email, `${place}.journeys[${index}].email`),
      status,
      step,
      waited: 0,
      created: started ?? clock.seconds(),
      completed: completed ?? null,
    };
    store.automations.insertJourney(journey);
    if (status === 'in_progress') scheduleStep(world, journey);
  }
}
