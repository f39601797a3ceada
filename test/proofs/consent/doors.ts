/** The doors to a publication, each with our real code behind it, and what people and operators do. */
import { importSubscriptions, type Journal, type JournalRecord } from '@newsletter-kit/core/import';
import { applySync, planSync, recordOf, type SyncMapping, type SyncState } from '@newsletter-kit/core/sync';
import { click, deliver, form, postAgain, withRelay, type Restoring } from './relay-door.ts';
import { answer, find, redact, type Creation } from './service.ts';
import {
  contactOf,
  done,
  doubleOptIn,
  emailOf,
  keyOf,
  leave,
  newContact,
  people,
  publicationNames,
  publications,
  hourMs,
  Visit,
  wish,
  type Action,
  type Contact,
  type Ending,
  type Person,
  type Publication,
  type WorldState,
} from './world.ts';

/** Imports a file with both people, or resumes it. */
function importing(name: Publication, kind: 'file' | 'returning', ending: Ending, restoring: Restoring = 'no'): Action {
  const key = `${name} ${kind}`;
  return {
    name: [
      `${kind === 'file' ? 'an import' : 'an import with reactivate_existing in its rows'} to ${name}`,
      ...(ending === 'ok' ? [] : [ending]),
      ...(restoring === 'no' ? [] : [restoring]),
    ].join(', '),
    publication: name,
    async run(state, guardOff) {
      const { mark, records } = state.imports[key] ?? { mark: wish(state, kind === 'returning'), records: [] };
      const before = [...records];
      const visit = new Visit(state, { door: 'import', publication: name, ending, guardOff });
      const journal: Journal = {
        read: () => [...records],
        append: (record) => {
          if (visit.isDead) return new Promise(() => {});
          records.push(record);
          return Promise.resolve();
        },
      };
      const source = people.map((person) => ({
        email: emailOf(person),
        utm_content: mark,
        ...(kind === 'returning' && { reactivate_existing: true }),
      }));
      const run = importSubscriptions({
        engine: visit.client.engine,
        publicationId: publications[name],
        source,
        journal,
      });
      const ended = await Promise.race([run, visit.death]);
      if (restoring !== 'no') state.imports[key] = { mark, records: before };
      else if (ended !== 'dead' && ended.outcome === 'complete') delete state.imports[key];
      else state.imports[key] = { mark, records: records satisfies JournalRecord[] };
      return visit;
    },
  };
}

const mappingOf = (name: Publication): SyncMapping => ({
  fields: [{ newsletter: 'status', contact: `status_${name}`, direction: 'to_contact' }],
  contact: { token: `token_${name}` },
  optOut: { contact: 'do_not_mail' },
  ...(name === 'single' ? { subscribe: 'on_consent', consent: 'consent' } : { subscribe: 'with_confirmation' }),
  breaker: { share: 1, atLeast: 1_000_000 },
});

type SyncTrouble = 'no' | 'restored state' | 'restored CRM' | Person;

function sync(name: Publication, ending: Ending, trouble: SyncTrouble = 'no'): Action {
  const meanwhile = trouble === 0 || trouble === 1;
  return {
    name: [
      `a sync of ${name}`,
      ...(ending === 'ok' ? [] : [ending]),
      ...(meanwhile
        ? [`while person ${trouble} signs up at the service and leaves`]
        : trouble === 'no'
          ? []
          : [trouble]),
    ].join(', '),
    publication: name,
    ...(meanwhile && { person: trouble }),
    async run(state, guardOff) {
      const visit = new Visit(state, { door: 'sync', publication: name, ending, guardOff });
      if (meanwhile) visit.beforeWrite = () => signUpAndLeave(state, name, trouble);
      const before = structuredClone(state.contacts);
      const { engine } = visit.client;
      const common = { engine, publicationId: publications[name] };
      const running = (async () => {
        const contacts = guardOff?.contacts?.(state.contacts) ?? state.contacts;
        const planned = await planSync({ ...common, mapping: mappingOf(name), contacts, state: state.sync[name] });
        return { planned, applied: await applySync({ ...common, plan: planned }) };
      })();
      const ended = await Promise.race([running, visit.death]);
      if (ended === 'dead') return visit;
      const { planned, applied } = ended;
      const { sync: states } = state;
      visit.wrote ||= applied.contactUpdates.length > 0 || isNews(states[name], planned.state);
      for (const { id, changes, token } of applied.contactUpdates) {
        const contact = state.contacts.find((each) => each['id'] === id);
        if (contact) write(contact, { ...changes, [`token_${name}`]: token });
      }
      if (trouble === 'restored CRM') state.contacts = before;
      if (trouble !== 'restored state') state.sync[name] = planned.state;
      return visit;
    },
  };
}

/** Whether a state says more than another, times apart. */
function isNews(before: SyncState, after: SyncState): boolean {
  const told = ({ missing, erased, attempts, reported }: SyncState): string =>
    JSON.stringify([missing, erased, attempts, reported]);
  return told(before) !== told(after);
}

function write(contact: Contact, changes: Readonly<Record<string, unknown>>): void {
  Object.assign(contact, recordOf(Object.entries(changes)));
}

function signUpAndLeave(state: WorldState, name: Publication, person: Person): void {
  const call = { email: emailOf(person), double_opt_override: 'off' } as const;
  subscribeDirectly(state, name, call);
  leave(state, name, person);
}

/** The person signs up on the service's own page. */
function subscribeDirectly(state: WorldState, name: Publication, creation: Creation): void {
  const body = { ...creation };
  const call = { method: 'POST', publication: publications[name], resource: 'subscriptions', query, body };
  answer(state.service, call, Math.floor(state.now / 1000), doubleOptIn);
}
const query = new URLSearchParams();

/** What n8n's Create or Update does: the function behind the operation. */
type Upsert = (context: unknown, request: Creation, parameters: readonly unknown[]) => Promise<unknown>;
const upsertFile = '../../../nodes/Newsletter/operations/subscription/upsert.ts';
let upserting: Promise<Upsert> | undefined;
const loadUpsert = (): Promise<Upsert> =>
  (upserting ??= import(/* @vite-ignore */ upsertFile).then((module: { upsert: Upsert }) => module.upsert));

function upsert(name: Publication, person: Person, reactivates: boolean, ending: Ending): Action {
  return {
    name: [
      `n8n upserts person ${person} in ${name}${reactivates ? ' with Reactivate Existing' : ', double opt-in off'}`,
      ...(ending === 'ok' ? [] : [ending]),
    ].join(', '),
    person,
    publication: name,
    async run(state, guardOff) {
      const visit = new Visit(state, { door: 'upsert', publication: name, ending, guardOff });
      const node = {
        id: '1',
        name: 'Newsletter',
        type: 'newsletter',
        typeVersion: 1,
        position: [0, 0],
        parameters: {},
      };
      const context = {
        node: { getNode: () => node },
        itemIndex: 0,
        engine: visit.client.engine,
        call: {},
        earlier: {},
        notice: () => {},
      };
      const request: Creation = {
        email: emailOf(person),
        utm_content: wish(state, reactivates),
        ...(reactivates ? { reactivate_existing: true } : { double_opt_override: 'off' }),
      };
      const run = loadUpsert().then((work) => work(context, request, []));
      await Promise.race([run, visit.death]);
      return visit;
    },
  };
}

function leaving(name: Publication, person: Person): Action {
  return {
    name: `person ${person} leaves ${name}`,
    person,
    publication: name,
    run: (state) => (leave(state, name, person) ? done : null),
  };
}

/** The person confirms in the mail of the service. */
function confirming(person: Person): Action {
  return {
    name: `person ${person} confirms to the service`,
    person,
    publication: 'double',
    run(state) {
      const subscriber = find(state.service, publications.double, emailOf(person));
      if (subscriber?.status !== 'pending') return null;
      subscriber.status = 'active';
      return done;
    },
  };
}

function optingOut(person: Person): Action {
  return {
    name: `person ${person} is opted out in the CRM`,
    person,
    run(state) {
      const contact = contactOf(state, person);
      if (!contact || contact['do_not_mail'] === true) return null;
      contact['do_not_mail'] = true;
      return done;
    },
  };
}

function addingContact(person: Person): Action {
  return {
    name: `person ${person} becomes a contact of the CRM`,
    person,
    run(state) {
      if (contactOf(state, person)) return null;
      state.contacts = [...state.contacts, newContact(person)].toSorted((a, b) =>
        String(a['id']) < String(b['id']) ? -1 : 1,
      );
      return done;
    },
  };
}

/** The relay first, then the service; the contact stays. */
function erasing(person: Person): Action {
  return {
    name: `person ${person} is erased`,
    person,
    async run(state, guardOff) {
      const known = publicationNames.filter((name) => find(state.service, publications[name], emailOf(person)));
      if (known.length === 0) return null;
      await withRelay(state, guardOff, (store) => store.erase(emailOf(person)));
      redact(state.service, emailOf(person));
      for (const name of publicationNames) {
        delete state.posted[keyOf(name, person)];
        if (!known.includes(name)) continue;
        state.erased[keyOf(name, person)] = true;
        state.leftAt[keyOf(name, person)] = state.now;
      }
      return done;
    },
  };
}

/** Lets the syncs run until they write nothing. */
export async function settle(state: WorldState): Promise<void> {
  for (let round = 0; round < 2; round += 1)
    for (const name of publicationNames) {
      await sync(name, 'ok').run(state, undefined);
      state.now += hourMs;
    }
}

const troubled = (make: (ending: Ending) => Action): readonly Action[] => [make('lost answer'), make('crash')];

/** Every action. */
export const actions: readonly Action[] = [
  ...people.flatMap((person) => [
    ...publicationNames.flatMap((name) => [
      form(name, person),
      postAgain(name, person),
      leaving(name, person),
      upsert(name, person, false, 'ok'),
      { ...upsert(name, person, true, 'ok'), variants: [upsert(name, person, true, 'lost answer, then left')] },
    ]),
    click(person),
    confirming(person),
    addingContact(person),
    optingOut(person),
    erasing(person),
  ]),
  ...publicationNames.flatMap((name) => [
    {
      ...deliver(name, 'ok'),
      variants: [...troubled((ending) => deliver(name, ending)), deliver(name, 'ok', { restoring: 'restored backup' })],
    },
    { ...importing(name, 'file', 'ok'), variants: [importing(name, 'file', 'crash')] },
    {
      ...importing(name, 'returning', 'ok'),
      variants: [importing(name, 'returning', 'crash'), importing(name, 'returning', 'lost answer, then left')],
    },
    {
      ...sync(name, 'ok'),
      variants: [
        ...troubled((ending) => sync(name, ending)),
        sync(name, 'ok', 'restored state'),
        sync(name, 'ok', 'restored CRM'),
        ...people.map((person) => sync(name, 'ok', person)),
      ],
    },
  ]),
  {
    ...deliver('single', 'ok', { bulk: true }),
    variants: troubled((ending) => deliver('single', ending, { bulk: true })),
  },
];
