/**
 * The same histories planned in memory, in the smallest possible batches, and with contacts in PostgreSQL: all plans
 * are the same. Pairs that the database keeps back must be ones about which the planner has nothing to say.
 */
import {
  contactKeys,
  createReconciler,
  subscriptionKeys,
  type PlannedPart,
  type SyncCounts,
  type SyncMapping,
  type SyncPlan,
  type SyncProgress,
  type SyncSubscription,
} from '@newsletter-kit/core/sync';
import type { Client } from '@newsletter-kit/core';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { urgentOf } from '../../../packages/core/src/sync/decide/budget.ts';
import { tokenPath, type SyncConfig } from '../../../packages/cli/src/commands/sync/config.ts';
import { openDatabase } from '../../../packages/cli/src/commands/sync/database.ts';
import { planInBatches } from '../../../packages/cli/src/commands/sync/plan-in-batches.ts';
import { fieldIds, noOptOut, optOut, pick, unknownStatus, unordered, World, type FieldName } from './world.ts';

const emails = ['ada@example.com', 'Bob@Example.com', 'cy@example.com', 'dee@bücher.example', 'eve@example.com'];
const at = fc.nat({ max: 7 });
const kinds = [
  'edit person',
  'edit contact',
  'leave',
  'return',
  'set opt-out',
  'set foreign opt-out',
  'set usual value',
  'complain',
  'add further address',
  'merge contact',
  'subscribe',
  'add contact',
  'copy contact',
  'swap addresses',
  'swap tokens',
  'move contact',
  'move person',
  'delete contact',
  'delete person',
  'erase',
  'damage token',
  'spoil person',
  'restore person',
] as const;
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom(...kinds), at, value: fc.constantFrom('', 'Bonn', 'Ulm') }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('run'), at, value: fc.constant('') }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const settings = fc.constantFrom<Partial<SyncMapping>>(
  {},
  {},
  { subscribe: 'with_confirmation' },
  { breaker: { share: 0, atLeast: 0 } },
  { optOut: { contact: optOut } },
  { optOut: { contact: optOut }, subscribe: 'with_confirmation', breaker: {} },
);

export const history = fc.record({
  people: fc.constantFrom(1, 2, 3, 4, 5, 24),
  /** What contacts show of the opt-out from the start. */
  usual: fc.constantFrom(false, '', noOptOut),
  steps: fc.array(step, { minLength: 4, maxLength: 16, size: 'max' }),
  mapping: settings,
});
type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

/** The columns of a contact of {@link World}. */
export const table = `CREATE TABLE contacts (id text PRIMARY KEY, email text, more text, merged_into text, city text, score jsonb, topics text,
  source text, newsletter_status text, ${optOut} text)`;

/** Where the parts of a contact stand in its record. */
const paths = { id: 'id', email: 'email', token: tokenPath, furtherAddresses: 'more', mergedInto: 'merged_into' };

type Row = Readonly<Record<string, unknown>>;
/** A way to plan the run of a world. */
export type Way = (world: World, spoiled: ReadonlySet<string>, accept: boolean) => Promise<unknown>;

/** Plays a history, and plans each of its runs in all ways. */
export async function playInAllWays({ people, usual, steps, mapping }: History, ways: readonly Way[]): Promise<void> {
  const world = new World({ contact: paths, ...mapping }, { newsletter: 'as given', crm: 'as given' });
  const crowd = Array.from(
    { length: Math.max(0, people - emails.length) },
    (_, index) => `reader-${index}@example.com`,
  );
  for (const email of [...emails, ...crowd].slice(0, people)) {
    world.editPerson(world.subscribe(email), 'city', 'Bonn');
    world.addContact(email, { [tokenPath]: '', [optOut]: usual });
  }
  const spoiled = new Set<string>();
  for (const each of [...steps, { kind: 'run', at: 0, value: '' } as const]) {
    if (each.kind !== 'run') {
      take(world, each, spoiled);
      continue;
    }
    const accept = each.at % 2 === 0;
    const [expected, ...others] = await Promise.all(ways.map((way) => way(world, spoiled, accept)));
    for (const other of others) expect(other).toEqual(expected);
    run(world);
  }
}

const tokenOf = ({ values }: World['contacts'][number]): unknown => values[tokenPath];

/** Carries a plan out. {@link World} has the token under another name. */
function run(world: World): void {
  for (const contact of world.contacts) contact.values['sync_token'] = tokenOf(contact);
  world.run();
  for (const contact of world.contacts)
    contact.values[tokenPath] = contact.values['sync_token'] || tokenOf(contact) || '';
}

function take(world: World, { kind, at: index, value }: Step, spoiled: Set<string>): void {
  const person = pick(world.persons, index);
  const contact = pick(world.contacts, index);
  const next = pick(world.contacts, index + 1);
  const email = emails[index % emails.length] ?? '';
  switch (kind) {
    case 'edit person':
      if (person) world.editPerson(person, 'city', value);
      break;
    case 'edit contact':
      if (contact) world.editContact(contact, 'city', value);
      break;
    case 'leave':
      if (person) person.status = 'inactive';
      break;
    case 'return':
      if (person && !person.email.endsWith('.invalid')) person.status = 'active';
      break;
    case 'set opt-out':
      if (contact) contact.values[optOut] = true;
      break;
    case 'set foreign opt-out':
      if (contact) contact.values[optOut] = 'Abgemeldet';
      break;
    case 'set usual value':
      if (contact) contact.values[optOut] = noOptOut;
      break;
    case 'complain':
      if (person && !person.email.endsWith('.invalid')) person.status = unknownStatus;
      break;
    case 'add further address':
      if (contact) contact.further = [...(contact.further ?? []), emails[(index + value.length) % emails.length] ?? ''];
      break;
    case 'merge contact':
      if (contact && next && contact !== next) contact.mergedInto = next.id;
      break;
    case 'subscribe':
      if (!world.persons.some((one) => one.email === email)) world.subscribe(email);
      break;
    case 'add contact':
      world.addContact(email.toUpperCase(), { [tokenPath]: '' });
      break;
    case 'copy contact':
      if (contact && next) world.addContact(index % 2 === 0 ? contact.email : next.email, contact.values);
      break;
    case 'swap addresses':
      if (contact && next) [contact.email, next.email] = [next.email, contact.email];
      break;
    case 'swap tokens':
      if (contact && next)
        [contact.values[tokenPath], next.values[tokenPath]] = [next.values[tokenPath], contact.values[tokenPath]];
      break;
    case 'move contact':
      if (contact) contact.email = `new-${email}`;
      break;
    case 'move person':
      if (person && !world.persons.some((one) => one.email === `moved-${email}`)) person.email = `moved-${email}`;
      break;
    case 'delete contact':
      if (contact) world.contacts.splice(world.contacts.indexOf(contact), 1);
      break;
    case 'delete person':
      if (person) world.persons.splice(world.persons.indexOf(person), 1);
      break;
    case 'erase':
      if (person) world.erase(person);
      break;
    case 'damage token':
      if (contact) contact.values[tokenPath] = String(tokenOf(contact) ?? '').slice(1);
      break;
    case 'spoil person':
      if (person) spoiled.add(person.id);
      break;
    case 'restore person':
      spoiled.clear();
      break;
    case 'run':
  }
}

function listed({ id, email, status, created, fields }: World['persons'][number], world: World): SyncSubscription {
  const custom_fields = Object.entries(fieldIds).flatMap(([name, { id: field }]) =>
    fields.has(field) ? [{ name: world.names[name as FieldName], value: fields.get(field) }] : [],
  );
  return { id, email, status, created, custom_fields };
}

/** The subscriptions, and those among them that cannot be read. */
function newsletter(world: World, spoiled: ReadonlySet<string>) {
  const items = world.persons.filter(({ id }) => !spoiled.has(id)).map((person) => listed(person, world));
  const leftOut = world.persons
    .filter(({ id }) => spoiled.has(id))
    // Every other one does not even say whose it is.
    .map(({ id, email }) => ({ id, ...(Number(id.at(-1)) % 2 === 0 && { email }) }));
  return { items, leftOut };
}

const columns = ['city', 'score', 'topics', 'source', 'newsletter_status', optOut] as const;

function contacts(world: World): readonly Row[] {
  return world.contacts.map(({ id, email, values, further, mergedInto }) => ({
    id,
    email,
    more: further?.join('; ') ?? null,
    merged_into: mergedInto ?? null,
    ...Object.fromEntries(columns.map((column) => [column, values[column] ?? null])),
    // As the column of the database has it.
    [optOut]: String(values[optOut]),
    [tokenPath]: values[tokenPath] || null,
  }));
}

/** As long after the newest subscription as `World.run` is. */
const timeOf = (world: World): number => (world.now + 1000) * 1000;

function reconcilerOf(world: World, accept: boolean, onAtRest?: (contactId: string) => void) {
  const mapping = world.ready;
  // The contacts come from where they are written, as in the database.
  const mayBeLate = false;
  const reconciler = createReconciler({ mapping, state: world.state, now: timeOf(world), accept, mayBeLate, onAtRest });
  return { mapping, reconciler };
}

export const inMemory: Way = async (world, spoiled, accept) => {
  const { reconciler } = reconcilerOf(world, accept);
  for (const record of contacts(world)) reconciler.addContact(record);
  const { items, leftOut } = newsletter(world, spoiled);
  reconciler.addSubscriptions(items);
  reconciler.leaveOut(leftOut);
  const plan = reconciler.finish();
  return comparable(plan, [plan]);
};

/** All that is connected is a batch of its own, the last first. */
export const inBatches: Way = async (world, spoiled, accept) => {
  const { mapping, reconciler } = reconcilerOf(world, accept);
  const { items, leftOut } = newsletter(world, spoiled);
  const none: { readonly contacts: readonly Row[]; readonly subscriptions: readonly SyncSubscription[] } = {
    contacts: [],
    subscriptions: [],
  };
  const nodes = [
    ...contacts(world).map((record) => ({
      ...none,
      contacts: [record],
      keys: contactKeys(record, mapping),
      add: (): unknown => reconciler.addContact(record),
    })),
    ...items.map((item) => ({
      ...none,
      subscriptions: [item],
      keys: subscriptionKeys(item),
      add: () => reconciler.addSubscriptions([item]),
    })),
    ...leftOut.map((record) => ({
      ...none,
      keys: subscriptionKeys(record),
      add: () => reconciler.leaveOut([record]),
    })),
  ];
  const groups: { keys: Set<string>; nodes: typeof nodes }[] = [];
  for (const node of nodes) {
    if (!node.keys) {
      node.add();
      continue;
    }
    const group = { keys: new Set(node.keys), nodes: [node] };
    for (const other of groups.filter(({ keys }) => node.keys?.some((key) => keys.has(key)))) {
      for (const key of other.keys) group.keys.add(key);
      group.nodes = [...other.nodes, ...group.nodes];
      groups.splice(groups.indexOf(other), 1);
    }
    groups.push(group);
  }
  if (reconciler.needsSurvey)
    for (const group of groups)
      reconciler.survey(
        group.nodes.flatMap((node) => node.contacts),
        group.nodes.flatMap((node) => node.subscriptions),
      );
  reconciler.endSurvey();
  const batches = groups.toReversed().map((group) => {
    for (const { add } of group.nodes) add();
    return reconciler.takeBatch();
  });
  const plan = reconciler.finish();
  const held = plan.held && { contactCreates: [], subscriptionCreates: [] };
  return comparable(plan, [
    plan,
    ...batches.map((batch) => ({ ...batch, ...held, ...(held && { pairs: urgentOf(batch.urgent, plan.counts) }) })),
  ]);
};

/**
 * @param address - of the database
 * @param sql - runs statements there
 */
export function inPostgres(address: string, sql: (text: string) => Promise<unknown>): Way {
  const scopes = new WeakMap<World, string>();
  let histories = 0;
  return async (world, spoiled, accept) => {
    const name = scopes.get(world) ?? `history ${(histories += 1)}`;
    scopes.set(world, name);
    const config: SyncConfig = {
      name,
      schema: 'public',
      mapping: world.mapping,
      contacts: { table: 'contacts', id: 'id', email: 'email' },
    };
    const scope = `pub_1 ${name}`;
    const database = await openDatabase(address, config, scope);
    try {
      await database.prepare();
      await sql(mirror(contacts(world), scope));
      const { items, leftOut } = newsletter(world, spoiled);
      let last: SyncProgress | undefined;
      const planned = await planInBatches(database, {
        engine: engineOf(world, items, leftOut),
        publicationId: 'pub_1',
        mapping: config.mapping,
        state: world.state,
        accept,
        call: { signal: new AbortController().signal },
        onProgress: (progress) => (last = progress),
      });
      const of = world.contacts.length;
      expect(last).toEqual({ phase: 'comparing', done: of, of });
      await database.finish({ state: planned.state, lastRun: null });
      const parts: PlannedPart[] = [];
      for await (const part of planned.parts()) parts.push(part);
      for await (const findings of planned.findings())
        parts.push({ pairs: [], contactCreates: [], subscriptionCreates: [], findings });
      return comparable(planned, parts);
    } finally {
      await database.close();
    }
  };
}

/** Statements that make a table of these contacts, and their tokens. */
function mirror(records: readonly Row[], scope: string): string {
  const literal = (value: unknown): string => (value === null ? 'NULL' : `'${String(value).replaceAll("'", "''")}'`);
  const rows = records.map(
    (record) =>
      `INSERT INTO contacts VALUES (${[record['id'], record['email'], record['more'], record['merged_into'], record['city'], record['score'] === null ? null : JSON.stringify(record['score']), record['topics'], record['source'], record['newsletter_status'], record[optOut]].map(literal).join(', ')});`,
  );
  const tokens = records.flatMap(({ id, [tokenPath]: token }) =>
    token === null
      ? []
      : [`INSERT INTO newsletter_sync_tokens VALUES (${[scope, id, token].map(literal).join(', ')});`],
  );
  return [
    'TRUNCATE contacts;',
    `DELETE FROM newsletter_sync_tokens WHERE scope = '${scope}';`,
    ...rows,
    ...tokens,
  ].join('\n');
}

function engineOf(world: World, items: readonly SyncSubscription[], leftOut: readonly unknown[]): Client['engine'] {
  async function* pages() {
    for (let start = 0; start < items.length; start += 3) yield { items: items.slice(start, start + 3), leftOut: [] };
    yield { items: [], leftOut };
  }
  const list = (operation: string) => (operation === 'customFields.list' ? world.customFields : { pages });
  return { list, host: { now: () => timeOf(world) } } as unknown as Client['engine'];
}

function comparable(
  { held, counts, state }: Pick<SyncPlan, 'held' | 'counts' | 'state'>,
  parts: readonly PlannedPart[],
) {
  return {
    held,
    counts: counts satisfies SyncCounts,
    state: {
      ...state,
      missing: [...state.missing].sort(),
      erased: [...state.erased].sort(),
      reported: [...state.reported].sort(),
      asked: [...state.asked].sort(),
      created: state.created.map((tokens) => [...tokens].sort()),
    },
    ...unordered(parts),
  };
}
