/** The doors to a publication, each with our real code behind it, and what people and operators do. */
import { createLog, type Form, type NewSignup, type SignupStore } from '@newsletter-kit/relay';
import { importSubscriptions, type Journal, type JournalRecord } from '@newsletter-kit/core/import';
import { applySync, planSync, recordOf, type SyncMapping, type SyncState } from '@newsletter-kit/core/sync';
import { confirmationPages } from '../../../packages/relay/src/confirmation/pages.ts';
import { signLink } from '../../../packages/relay/src/confirmation/mail.ts';
import { Dispatcher } from '../../../packages/relay/src/delivery/dispatcher.ts';
import { LoopGroup } from '../../../packages/relay/src/delivery/loop.ts';
import { StoreHealth } from '../../../packages/relay/src/ops/health.ts';
import { createMemoryStore } from './relay-store.ts';
import { answer, find, redact, type Creation } from './service.ts';
import {
  contactOf,
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
  type Contact,
  type Ending,
  type Guard,
  type Person,
  type Publication,
  type WorldState,
} from './world.ts';

/** What did not hold in an action, and whether it wrote anything; null where there was nothing to do. */
export type Done = { readonly problems: readonly string[]; readonly wrote: boolean } | null;

/** Of an action that is no code of ours. */
const done: Done = { problems: [], wrote: true };

/** An action in a copy of a world. */
export interface Action {
  readonly name: string;
  /** The person it is about; left out where it is about both. */
  readonly person?: Person;
  /** The publication it is about; left out where it is about both. */
  readonly publication?: Publication;
  /** The same with a disturbance: the same end where the action writes nothing. */
  readonly variants?: readonly Action[];
  readonly run: (state: WorldState, guardOff: Guard | undefined) => Promise<Done> | Done;
}

const memory = createMemoryStore();
const log = createLog({ level: 'silent' });
const linkKey = Buffer.alloc(32, 1);

function formOf(name: Publication): Form {
  return {
    name,
    publicationId: publications[name],
    apiKey: 'key',
    origins: new Set(),
    allowedFields: null,
    pinned: { reactivate_existing: true },
    thanksUrl: null,
    protection: { token: false, proof: 'off', turnstile: null, mx: 'off' },
    consent: { version: null, required: false, field: null, address: 'none' },
    confirmation:
      name === 'single'
        ? null
        : {
            from: { name: '', address: 'news@example.com' },
            subject: 'Please confirm',
            text: '{link}',
            button: 'Confirm',
            lang: 'en',
            confirmedUrl: null,
          },
  };
}

/** Opens the relay's store, works with it, and keeps its rows. */
async function withRelay<T>(
  state: WorldState,
  guardOff: Guard | undefined,
  work: (store: SignupStore, health: StoreHealth) => Promise<T>,
): Promise<T> {
  const opened = memory.open(state.relay);
  const store = guardOff?.store?.(opened, memory) ?? opened;
  const health = new StoreHealth({ store, log, onEvent: () => {}, now: () => state.now });
  const result = await work(store, health);
  state.relay = memory.rows();
  return result;
}

/** A backlog of others: the relay delivers fewer than ten one by one. They are forgotten after the delivery. */
const crowd = Array.from({ length: 10 }, (_, number) => `crowd.${number}@example.com`);

function forgetCrowd({ service }: WorldState): void {
  memory.exec(`DELETE FROM signup WHERE submission LIKE '%"crowd.%'`);
  service.subscribers = service.subscribers.filter(({ email }) => !crowd.includes(email));
  for (const key of Object.keys(service.made)) if (key.includes(' crowd.')) delete service.made[key];
}

const signupOf = (state: WorldState, name: Publication, email: string, mark: string): NewSignup => ({
  form: name,
  submission: { email, utm_content: mark },
  suspected: false,
  needsConfirmation: formOf(name).confirmation !== null,
  origin: null,
  idempotencyKey: mark || null,
  consent: null,
  receivedAt: state.now,
});

/** A person posts the form, or their browser posts it again. */
async function post(state: WorldState, guardOff: Guard | undefined, name: Publication, person: Person, mark: string) {
  await withRelay(state, guardOff, (store) => store.accept(signupOf(state, name, emailOf(person), mark)));
  return done;
}

function form(name: Publication, person: Person): Action {
  return {
    name: `person ${person} posts the form of ${name}`,
    person,
    publication: name,
    run(state, guardOff) {
      // Where the relay asks for a confirmation, the click is the wish.
      const mark = wish(state, name === 'single');
      state.posted[keyOf(name, person)] = mark;
      return post(state, guardOff, name, person, mark);
    },
  };
}

function postAgain(name: Publication, person: Person): Action {
  return {
    name: `the post of person ${person} to ${name} arrives again`,
    person,
    publication: name,
    run(state, guardOff) {
      const mark = state.posted[keyOf(name, person)];
      return mark === undefined ? null : post(state, guardOff, name, person, mark);
    },
  };
}

/** The person clicks the link of their last mail, for the first time or again. */
function click(person: Person): Action {
  return {
    name: `person ${person} clicks the confirmation link`,
    person,
    publication: 'double',
    run(state, guardOff) {
      const rows = state.relay.signup.filter(
        ({ form: of, submission }) => of === 'double' && markOf(submission, person) !== undefined,
      );
      const row = rows.at(-1);
      if (!row) return null;
      const mark = markOf(row['submission'], person);
      const wished = mark === undefined ? undefined : state.wishes[mark];
      if (row['state'] === 'unconfirmed' && wished && !wished.mayReactivate)
        Object.assign(wished, { mayReactivate: true, at: state.now });
      return withRelay(state, guardOff, async (store, health) => {
        const pages = confirmationPages({
          store,
          health,
          key: linkKey,
          forms: { double: formOf('double') },
          log,
          onEvent: () => {},
          visitor: () => null,
          confirmed: () => {},
          now: () => state.now,
        });
        const link = `http://relay.test/${signLink(linkKey, String(row['id']))}`;
        await pages.fetch(new Request(link, { method: 'POST' }), { peer: null });
        return done;
      });
    },
  };
}

function markOf(submission: unknown, person: Person): string | undefined {
  if (typeof submission !== 'string') return undefined;
  const { email, utm_content: mark } = JSON.parse(submission) as Record<string, string>;
  return email === emailOf(person) ? mark : undefined;
}

/** What happens to the door's memory after an action. */
type Restoring = 'no' | 'restored backup';

function deliver(name: Publication, ending: Ending, { bulk = false, restoring = 'no' as Restoring } = {}): Action {
  return {
    name: [
      `the relay delivers to ${name}${bulk ? ' in bulk' : ''}`,
      ...(ending === 'ok' ? [] : [ending]),
      ...(restoring === 'no' ? [] : [restoring]),
    ].join(', '),
    publication: name,
    async run(state, guardOff) {
      const isDue = state.relay.signup.some(
        ({ form: of, state: is }) => of === name && (is === 'waiting' || is === 'sent'),
      );
      if (!isDue) return null;
      const before = structuredClone(state.relay);
      const visit = new Visit(state, { door: 'form', publication: name, ending, guardOff });
      const pinned = { reactivate_existing: guardOff?.ignoresRestoring === true || !state.cautious };
      await withRelay(state, guardOff, async (store, health) => {
        if (bulk) for (const email of crowd) await store.accept(signupOf(state, name, email, ''));
        const dispatcher = new Dispatcher({
          store,
          health,
          clientOf: () => visit.client,
          forms: { [name]: { ...formOf(name), pinned } },
          log,
          secrets: [],
          concurrency: 1,
          bulk: bulk ? { above: 1 } : null,
          random: () => 0.5,
          now: () => state.now,
        });
        const ending = new AbortController();
        const done = dispatcher.deliver(ending.signal, new LoopGroup());
        if ((await Promise.race([done, visit.death])) === 'dead') ending.abort();
        if (bulk) forgetCrowd(state);
      });
      if (restoring !== 'no') {
        state.relay = before;
        state.cautious = true;
        // Step 5 of the documentation: erase again.
        for (const person of people)
          if (publicationNames.some((each) => state.erased[keyOf(each, person)]))
            await withRelay(state, guardOff, (store) => store.erase(emailOf(person)));
      } else if (!state.relay.signup.some(({ state: is }) => is === 'waiting' || is === 'sent')) state.cautious = false;
      return visit;
    },
  };
}

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
  ...(name === 'single'
    ? { subscribe: 'on_consent', consent: 'consent' }
    : { subscribe: 'with_confirmation', situations: { contactMissing: 'leave' } }),
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
