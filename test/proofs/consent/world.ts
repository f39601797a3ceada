/**
 * The small world: two people, their two contacts, two publications. Its whole state is JSON, so that the explorer can
 * go back to any moment. Requests of our code are carried out and judged here.
 */
import { createClient, type Client } from '@newsletter-kit/core';
import { TransportError, type HostAnswer, type HostRequest } from '@newsletter-kit/core/engine';
import type { JournalRecord } from '@newsletter-kit/core/import';
import { startSync, type SyncState } from '@newsletter-kit/core/sync';
import type { SignupStore } from '@newsletter-kit/relay';
import type { MemoryStore, RelayRows } from './relay-store.ts';
import {
  answer,
  creationsIn,
  find,
  readCall,
  startService,
  type Call,
  type Creation,
  type ServiceState,
  type Status,
} from './service.ts';

/** `single` takes people at once; `double` asks them to confirm, at the relay and at the service. */
export const publications = {
  single: 'pub_00000000-0000-4000-8000-0000000000a1',
  double: 'pub_00000000-0000-4000-8000-0000000000b2',
} as const;
export type Publication = keyof typeof publications;
export const publicationNames = Object.keys(publications) as Publication[];
export const doubleOptIn = new Set<string>([publications.double]);

export const people = [0, 1] as const;
export type Person = (typeof people)[number];
export const emailOf = (person: Person): string => `person.${person}@example.com`;

export type Door = 'form' | 'import' | 'upsert' | 'sync';

/** A contact of the CRM; each sync has a field for its token and for the status. */
export type Contact = Record<string, unknown>;

/** An expression of a person's wish to be subscribed, or of its operator's: a post of a form, a click, a row. */
export interface Wish {
  /** Milliseconds since the Unix epoch. */
  at: number;
  /** Whether the service has carried it out. */
  used: boolean;
  /** False for a row or an item that does not ask to reactivate. */
  mayReactivate: boolean;
}

export interface WorldState {
  /** Milliseconds since the Unix epoch. Each action takes an hour. */
  now: number;
  service: ServiceState;
  relay: RelayRows;
  /** Whether a backup was restored and the relay does not reactivate until nothing waits, as the documentation says. */
  cautious: boolean;
  /** Whether a click brings back somebody who had left before it. */
  knowing?: true;
  contacts: Contact[];
  sync: Record<Publication, SyncState>;
  /** Imports that have not ended: their mark, and their journals. */
  imports: Record<string, { readonly mark: string; readonly records: JournalRecord[] }>;
  /** By the mark in `utm_content`. */
  wishes: Record<string, Wish>;
  /** The last post of each person to each publication, which may arrive again. */
  posted: Record<string, string>;
  /** By publication and person: when they left. */
  leftAt: Record<string, number>;
  /** By publication and person: whether the whole person was erased. */
  erased: Record<string, boolean>;
  /** Whether a person has been chosen: before, both are the same to a symmetric world. */
  chosen: boolean;
  made: number;
}

export const keyOf = (publication: Publication, person: Person): string => `${publication} ${person}`;

const noon = Date.UTC(2026, 10, 4, 12);
/** How long each action takes, in milliseconds: longer than every wait and window of the relay. */
export const hourMs = 3_600_000;

/** What a person is to a publication at the beginning. */
export type Standing = 'active' | 'left' | 'unknown';

/** A world in which no sync has run. @param standings - of each person, in both publications */
export function startWorld(standings: readonly Standing[]): WorldState {
  const state: WorldState = {
    now: noon,
    service: startService(),
    relay: { signup: [], batch: [], walk: [] },
    cautious: false,
    contacts: people.filter((person) => standings[person] !== 'unknown').map(newContact),
    sync: { single: startSync(), double: startSync() },
    imports: {},
    wishes: {},
    posted: {},
    leftAt: {},
    erased: {},
    chosen: standings[0] !== standings[1],
    made: 0,
  };
  for (const name of publicationNames)
    for (const person of people) {
      const standing = standings[person];
      if (standing === 'unknown') continue;
      const creation = { email: emailOf(person), double_opt_override: 'off' } as const;
      const body = { ...creation };
      const call = { method: 'POST', publication: publications[name], resource: 'subscriptions', query: noQuery, body };
      answer(state.service, call, noon / 1000 - 86_400 * (2 - person), doubleOptIn);
      if (standing === 'left') leave(state, name, person);
    }
  state.now += hourMs;
  return state;
}

const noQuery = new URLSearchParams();

/** A contact that may be subscribed, as far as the CRM knows. */
export const newContact = (person: Person): Contact => ({
  id: `contact-${person}`,
  email: emailOf(person),
  do_not_mail: false,
  consent: true,
  token_single: '',
  token_double: '',
  status_single: '',
  status_double: '',
});

export function contactOf({ contacts }: WorldState, person: Person): Contact | undefined {
  return contacts.find(({ email }) => email === emailOf(person));
}

/** The person leaves a publication by themself. @returns false where they are not in it */
export function leave(state: WorldState, publication: Publication, person: Person): boolean {
  const subscriber = find(state.service, publications[publication], emailOf(person));
  if (!subscriber || subscriber.status === 'inactive') return false;
  subscriber.status = 'inactive';
  state.leftAt[keyOf(publication, person)] = state.now;
  return true;
}

/** A rule, and what happens without it. */
export interface Guard {
  readonly name: string;
  /** Where the exploration meets the counterexample: the fewest actions, and how the person stands before them. */
  readonly depth: number;
  readonly publication: Publication;
  readonly from: Standing;
  /** The actions that a long counterexample needs; left out where all are offered. */
  readonly needs?: RegExp;
  /** What does not hold without the rule. */
  readonly problem: string;
  /** Changes a creation on its way to the service. */
  readonly creation?: (creation: Creation, door: Door) => Creation;
  /** Changes the relay's store. */
  readonly store?: (store: SignupStore, memory: MemoryStore) => SignupStore;
  /** Changes the contacts that the sync is given. */
  readonly contacts?: (contacts: readonly Contact[]) => readonly Contact[];
  /** Repeats a call whose answer was lost. */
  readonly repeatsLostCalls?: true;
  /** Leaves out the steps that follow a restored backup. */
  readonly ignoresRestoring?: true;
}

/** How the first write of an action ends. */
export type Ending =
  | 'ok'
  /** It is carried out, and its answer is lost. */
  | 'lost answer'
  /** Also, the person leaves before anything is sent again. */
  | 'lost answer, then left'
  /** It is carried out, and the process dies. */
  | 'crash';

/** One action of our code in a world: makes its client, carries out its requests, judges them. */
export class Visit {
  readonly problems: string[] = [];
  readonly client: Client;
  /** Resolves when the process dies. */
  readonly death: Promise<'dead'>;
  readonly state: WorldState;
  readonly #door: Door;
  readonly #guardOff: Guard | undefined;
  #ending: Ending;
  #die: (value: 'dead') => void = () => {};
  isDead = false;
  wrote = false;
  /** Called before the first write. */
  beforeWrite: (() => void) | undefined;

  constructor(
    state: WorldState,
    {
      door,
      publication,
      ending = 'ok',
      guardOff,
    }: {
      readonly door: Door;
      readonly publication: Publication;
      readonly ending?: Ending | undefined;
      readonly guardOff: Guard | undefined;
    },
  ) {
    this.state = state;
    this.#door = door;
    this.#guardOff = guardOff;
    this.#ending = ending;
    this.death = new Promise((resolve) => (this.#die = resolve));
    this.client = clients[publication];
    beginVisit(this);
  }

  async send(request: HostRequest): Promise<HostAnswer> {
    if (this.isDead) return never;
    const call = this.#changed(readCall(request));
    if (call.method === 'GET') return this.#carryOut(call);
    this.wrote = true;
    this.beforeWrite?.();
    this.beforeWrite = undefined;
    const ending = this.#ending;
    const publication = nameOf(call.publication);
    this.#ending = 'ok';
    const answered = this.#carryOut(call);
    if (ending === 'ok') return answered;
    if (ending === 'crash') {
      this.isDead = true;
      // The dead process took a turn of the client's pacer with it.
      clients[publication] = newClient(call.publication);
      this.#die('dead');
      return never;
    }
    if (ending === 'lost answer, then left') {
      for (const { email } of creationsIn(call))
        for (const person of people) if (emailOf(person) === email) leave(this.state, publication, person);
      if (this.#guardOff?.repeatsLostCalls) return this.#carryOut(call);
    }
    throw new TransportError('network', { code: 'ECONNRESET' });
  }

  #changed(call: Call): Call {
    const change = this.#guardOff?.creation;
    if (!change) return call;
    const creations = creationsIn(call).map((creation) => change(creation, this.#door));
    if (creations.length === 0) return call;
    return { ...call, body: call.resource === 'subscriptions' ? { ...creations[0] } : { subscriptions: creations } };
  }

  #carryOut(call: Call): HostAnswer {
    const { state } = this;
    const publication = nameOf(call.publication);
    const creations = creationsIn(call);
    const before = this.#statuses(publication);
    const body = answer(state.service, call, Math.floor(state.now / 1000), doubleOptIn);
    const after = this.#statuses(publication);
    for (const person of people) {
      const [was, is] = [before[person], after[person]];
      const creation = creations.find(({ email }) => email === emailOf(person));
      if (was !== is) this.#judge(publication, person, was, is, creation);
      const wish = creation && this.#wishOf(creation);
      if (wish) wish.used = true;
    }
    return { status: 200, headers: {}, body: JSON.stringify(body) };
  }

  #statuses(publication: Publication): readonly (Status | undefined)[] {
    return people.map((person) => find(this.state.service, publications[publication], emailOf(person))?.status);
  }

  #wishOf({ utm_content: mark }: Creation): Wish | undefined {
    return mark === undefined ? undefined : this.state.wishes[mark];
  }

  /**
   * Nobody who has left becomes active, or is asked to confirm, unless they returned: by a wish from after they left,
   * or by one that was never carried out. Nobody who was asked to confirm becomes active without having done so.
   */
  #judge(
    publication: Publication,
    person: Person,
    was: Status | undefined,
    is: Status | undefined,
    creation: Creation | undefined,
  ): void {
    const { state } = this;
    const key = keyOf(publication, person);
    if (is === 'inactive') {
      state.leftAt[key] = state.now;
      return;
    }
    const wish = creation && this.#wishOf(creation);
    const leftAt = state.leftAt[key] ?? 0;
    const contact = contactOf(state, person);
    if (was === undefined) {
      // The operator names people anew at the other doors, and a contact that was never linked knows of no erasure.
      const isKnownToBeErased =
        state.erased[key] && (this.#door === 'form' || (contact?.[`token_${publication}`] ?? '') !== '');
      const hasMemory = this.#door === 'form' || this.#door === 'sync';
      if (hasMemory && isKnownToBeErased && !(wish && wish.at > leftAt))
        this.problems.push('an erased person was subscribed');
    } else if (was === 'inactive') {
      if (!wish?.mayReactivate) this.problems.push('somebody who had left was reactivated, and nobody asked for it');
      else if (wish.used && wish.at <= leftAt)
        this.problems.push('somebody who had left was reactivated by what they wished before');
    } else if (was === 'pending' && !wish?.mayReactivate)
      this.problems.push('somebody who was asked to confirm became active without it');
    if (this.#door === 'sync' && contact?.['do_not_mail'] === true)
      this.problems.push('somebody who is opted out in the CRM was subscribed');
  }
}

const never = new Promise<never>(() => {});

/** One action happens at a time, so that one client of each publication serves all of them. */
let visiting: Visit;
const beginVisit = (visit: Visit): void => void (visiting = visit);
/** Milliseconds of waiting in all actions. */
let elapsedMs = 0;

const newClient = (publicationId: string): Client =>
  createClient({
    baseUrl: 'http://service.test/v2',
    token: 'key',
    publicationId,
    validate: false,
    host: {
      send: (request) => visiting.send(request),
      sleep(ms) {
        elapsedMs += ms;
        return Promise.resolve();
      },
      now: () => visiting.state.now,
      monotonic: () => elapsedMs,
      random: () => 0.5,
    },
  });

const clients: Record<Publication, Client> = {
  single: newClient(publications.single),
  double: newClient(publications.double),
};

function nameOf(publication: string): Publication {
  return publication === publications.single ? 'single' : 'double';
}

/** Takes the next mark and remembers the wish. */
export function wish(state: WorldState, mayReactivate: boolean): string {
  const mark = `mark-${(state.made += 1)}`;
  state.wishes[mark] = { at: state.now, used: false, mayReactivate };
  return mark;
}

/** What did not hold in an action, and whether it wrote anything; null where there was nothing to do. */
export type Done = { readonly problems: readonly string[]; readonly wrote: boolean } | null;

/** Of an action that is no code of ours. */
export const done: Done = { problems: [], wrote: true };

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
