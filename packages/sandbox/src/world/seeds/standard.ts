/**
 * The standard seeds, which are chosen by name: `empty`, and `demo`, a three-year-old publication with 300 subscribers.
 */
import { publicationId } from '../ids.ts';
import { readSeed, type ReadSeed, type Seed, type SeedContext, SeedError } from './seed.ts';
import { generatedSubscriber, type OriginName, origins } from './generated-subscribers.ts';
import { demoContent, demoPublicationFields } from './demo-content.ts';

/** 1 November 2023, 09:00 UTC. */
const founded = 1_698_829_200;

const empty: Seed = {
  publications: [{ id: publicationId, name: 'The Harbour Letter', created: founded }],
};

export const seedNames = ['demo', 'empty'] as const;
export type SeedName = (typeof seedNames)[number];

/** Makes a checked seed for the time and the id seed of a sandbox. */
export type SeedPlan = (context: SeedContext) => ReadSeed;

const readEmpty = readSeed(empty);
const seeds: Readonly<Record<SeedName, SeedPlan>> = {
  demo: (context) => readSeed(demo(context)),
  empty: () => readEmpty,
};

/** Whether this names a standard seed. */
export function isSeedName(name: unknown): name is SeedName {
  return seedNames.some((known) => known === name);
}

/**
 * The seed of this name, or the seed given as data, checked.
 *
 * @throws {@link SeedError} where there is no seed of this name or the data is not a seed
 */
export function findSeed(seed: unknown): SeedPlan {
  if (isSeedName(seed)) return seeds[seed];
  if (typeof seed === 'string') throw new SeedError(`There is no seed "${seed}". Use ${seedNames.join(' or ')}.`);
  const read = readSeed(seed);
  return () => read;
}

type SeedPublication = Seed['publications'][number];
type SeedSubscription = NonNullable<SeedPublication['subscriptions']>[number];

type Person = readonly [
  email: string,
  name: string,
  status: SeedSubscription['status'],
  origin: OriginName,
  topics: readonly string[],
  birthday?: string,
];

/** From the oldest to the newest. */
const people: readonly Person[] = [
  ['ada.lovelace@example.com', 'Ada', 'active', 'direct', ['boats', 'history'], '1990-12-10'],
  ['grace@example.org', 'Grace', 'active', 'launch', ['engineering'], '1986-12-09'],
  ['linus+news@example.net', 'Linus', 'active', 'launch', ['engineering', 'boats']],
  ['Jürgen@bücher.example', 'Jürgen', 'active', 'import', ['history', 'food']],
  ['zoë@example.com', 'Zoë', 'inactive', 'import', []],
  ['MARIE.CURIE@Example.com', 'Marie', 'active', 'import', ['engineering'], '1987-11-07'],
  ['katherine@example.org', 'Katherine', 'active', 'spring', ['engineering', 'history']],
  ['alan@example.net', 'Alan', 'paused', 'spring', []],
  ['bo@例え.example', 'Bo', 'active', 'spring', ['food']],
  ['olga.ladyzhenskaya@example.com', 'Ольга', 'active', 'direct', ['history'], '1992-03-07'],
  ['no-such-mailbox@nowhere.invalid', 'Nobody', 'invalid', 'import', []],
  ['edsger@example.org', 'Edsger', 'active', 'direct', ['engineering']],
  ['radia.perlman@example.net', 'Radia', 'active', 'podcast', ['engineering', 'boats'], '1991-12-18'],
  ["o'brien@example.com", 'Siobhán', 'active', 'podcast', ['boats']],
  ['barbara+liskov@example.org', 'Barbara', 'active', 'podcast', ['engineering']],
  ['tim@example.net', 'Tim', 'inactive', 'ads', ['history']],
  ['hedy.lamarr@example.com', 'Hedy', 'active', 'ads', ['engineering', 'food'], '1994-11-09'],
  ['josé@correo.example', 'José', 'active', 'ads', ['food']],
  ['margaret@example.org', 'Margaret', 'active', 'friend', ['boats']],
  ['dennis@example.net', 'Dennis', 'active', 'friend', []],
  ['ken@example.com', 'Ken', 'needs_attention', 'friend', []],
  ['annie.easley@example.org', 'Annie', 'active', 'direct', ['engineering', 'boats'], '1993-04-23'],
  ['sophie@maison.example', 'Sophie', 'active', 'direct', ['food', 'history']],
  ['donald@example.net', 'Donald', 'active', 'product', ['engineering']],
  ['frances.allen@example.com', 'Frances', 'inactive', 'product', []],
  ['karen.spärck.jones@example.org', 'Karen', 'active', 'spring', ['history'], '1985-08-26'],
  ['guido@example.net', 'Guido', 'active', 'spring', ['engineering']],
  ['jean.bartik@example.com', 'Jean', 'active', 'ads', ['boats']],
  ['typo@example.invalid', '', 'invalid', 'ads', []],
  ['yukihiro@例え.example', '松本', 'active', 'podcast', ['engineering', 'food']],
  ['mary.jackson@example.org', 'Mary', 'active', 'friend', ['engineering'], '1991-04-09'],
  ['brendan@example.net', 'Brendan', 'active', 'launch', []],
  ['elizabeth.feinler@example.com', 'Elizabeth', 'active', 'direct', ['history']],
  ['niklaus@zürich.example', 'Niklaus', 'active', 'direct', ['boats', 'engineering']],
  ['stephanie+list@example.org', 'Stephanie', 'paused', 'ads', []],
  ['vint@example.net', 'Vint', 'active', 'podcast', ['history'], '1988-06-23'],
  ['lynn.conway@example.com', 'Lynn', 'active', 'spring', ['engineering']],
  ['mads@køb.example', 'Mads', 'active', 'product', ['food', 'boats']],
  ['sister.kenneller@example.org', 'Mary', 'pending', 'direct', []],
  ['whitfield@example.net', 'Whitfield', 'pending', 'ads', ['history']],
  ['shafi@example.com', 'Shafi', 'active', 'friend', ['engineering'], '1995-11-14'],
  ['tu.youyou@example.org', '屠呦呦', 'active', 'direct', ['food', 'history']],
];

/** Number of subscribers, named and generated. */
const size = 300;
const day = 86_400;
/** Age of the publication, in seconds. */
const age = 3 * 365 * day;

/** Named and generated subscribers, mixed: every seventh is a named one until all are used. Oldest first. */
function subscriptions({ now, chance }: SeedContext): SeedSubscription[] {
  const apart = Math.floor(age / (size + 1));
  return Array.from({ length: size }, (_, index) => {
    const created = now - age + apart * (index + 1) - Math.floor(chance('demo.created', index) * apart * 0.9);
    const person = index % 7 === 0 ? people[index / 7] : undefined;
    return person ? named(person, index / 7, created, now) : generated(index, created, chance);
  });
}

function named(person: Person, index: number, created: number, now: number): SeedSubscription {
  const [email, name, status, origin, topics, birthday] = person;
  const received = status === 'active' || status === 'inactive' ? Math.max(1, 170 - index * 4) : 0;
  const premium = index % 7 === 1 ? ['Patron'] : index % 11 === 6 ? ['Supporter'] : [];
  return {
    email,
    status,
    created,
    ...origins[origin],
    ...(origin === 'friend' && { referred_by: 'ada.lovelace@example.com' }),
    premium_tiers: premium,
    newsletter_lists: index % 3 === 0 ? ['Weekly', 'Tide tables'] : ['Weekly'],
    tags: index % 5 === 0 ? ['early bird'] : [],
    custom_fields: [
      ...(name ? [{ name: 'First Name', value: name }] : []),
      ...(topics.length > 0 ? [{ name: 'Topics', value: [...topics] }] : []),
      ...(birthday ? [{ name: 'Birthday', value: birthday }] : []),
      ...(index % 4 === 0 ? [{ name: 'Team size', value: 1 + ((index * 7) % 40) }] : []),
      ...(index % 6 === 2 ? [{ name: 'Berth length', value: 6.5 + index / 4 }] : []),
      ...(index % 5 === 3 ? [{ name: 'Wants print', value: index % 2 === 0 }] : []),
      ...(index % 9 === 4 ? [{ name: 'Last visit', value: new Date((now - index * day) * 1000).toISOString() }] : []),
    ],
    emails_received: received,
    open_rate: received === 0 ? 0 : 35 + ((index * 13) % 50),
    click_through_rate: received === 0 ? 0 : 2 + ((index * 7) % 25),
  };
}

function generated(index: number, created: number, chance: SeedContext['chance']): SeedSubscription {
  const { fields, name, topic, premium } = generatedSubscriber(index, chance);
  return {
    ...fields,
    // The generated subscribers could lack a rare status; the demo has every one.
    status: index === 298 ? 'validating' : fields.status,
    created,
    premium_tiers: premium ? [index % 2 === 0 ? 'Supporter' : 'Patron'] : [],
    newsletter_lists: index % 4 === 0 ? ['Weekly', 'Tide tables'] : ['Weekly'],
    custom_fields: [
      { name: 'First Name', value: name },
      { name: 'Topics', value: [topic] },
    ],
  };
}

function demo(context: SeedContext): Seed {
  const founded = context.now - age;
  return {
    publications: [
      {
        id: publicationId,
        name: 'The Harbour Letter',
        created: founded,
        tiers: [
          { name: 'Supporter', description: 'The letter, and our thanks' },
          { name: 'Patron', description: 'The letter, the tide tables in print, and a name on the harbour wall' },
        ],
        newsletter_lists: [{ name: 'Weekly', auto_subscribe: true }, { name: 'Tide tables' }],
        custom_fields: [
          { display: 'First Name', kind: 'string', created: founded },
          { display: 'Team size', kind: 'integer', created: founded },
          { display: 'Wants print', kind: 'boolean', created: founded },
          { display: 'Birthday', kind: 'date', created: founded },
          { display: 'Last visit', kind: 'datetime', created: founded },
          { display: 'Topics', kind: 'list', options: ['boats', 'engineering', 'food', 'history'], created: founded },
          { display: 'Berth length', kind: 'double', created: founded },
        ],
        subscriptions: subscriptions(context),
        ...demoContent(context.now, founded),
      },
    ],
    publication_fields: demoPublicationFields(founded),
  };
}
