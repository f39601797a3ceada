/** Generates subscribers, for the demo seed and for publications of any size. */
import type { Seed, SeedContext } from './seed.ts';
import { addSubscription, identify } from '../new-record.ts';
import type { World } from '../world.ts';

type SeedSubscription = NonNullable<Seed['publications'][number]['subscriptions']>[number];
type SeedOrigin = Pick<
  SeedSubscription,
  'utm_source' | 'utm_medium' | 'utm_channel' | 'utm_campaign' | 'utm_term' | 'utm_content' | 'referring_site'
>;

export const origins = {
  direct: { utm_channel: 'website' },
  import: { utm_channel: 'import' },
  spring: {
    utm_channel: 'api',
    utm_source: 'landing page',
    utm_medium: 'organic',
    utm_campaign: 'Frühling 🌷',
    referring_site: 'https://blog.example.org/frühling',
  },
  launch: {
    utm_channel: 'embed',
    utm_source: 'twitter',
    utm_medium: 'social',
    utm_campaign: 'launch',
    utm_content: 'thread-1',
  },
  ads: {
    utm_channel: 'api',
    utm_source: 'search',
    utm_medium: 'cpc',
    utm_campaign: 'autumn & winter',
    utm_term: 'harbour news, boats',
    utm_content: 'B',
  },
  podcast: {
    utm_channel: 'recommendation',
    utm_source: 'podcast',
    utm_medium: 'audio',
    utm_campaign: 'episode 42',
    referring_site: 'https://podcast.example.net/42',
  },
  friend: { utm_channel: 'referral', utm_source: 'friend', utm_medium: 'referral' },
  product: { utm_channel: 'product', utm_source: 'app', utm_medium: 'in-app' },
  boost: { utm_channel: 'boost', utm_source: 'boost', utm_medium: 'paid', utm_campaign: 'tide tables' },
  link: { utm_channel: 'magic_link', utm_source: 'linkedin', utm_medium: 'social', utm_content: 'bio' },
  unknown: { utm_channel: '' },
} as const satisfies Record<string, SeedOrigin>;

export type OriginName = keyof typeof origins;

/** How many subscriptions to generate. */
export interface Growth {
  /** Subscriptions it has in the end; a seed that has more keeps them. */
  readonly size: number;
  /** Called now and then while it is filled. */
  readonly progress?: ((planted: number, size: number) => void) | undefined;
}

const givenNames = [
  'Ines',
  'Tomás',
  'Åsa',
  'Mehmet',
  'Yuki',
  'Oluwaseun',
  'Chiara',
  'Piotr',
  'Fatima',
  'Liam',
  'Noor',
  'Søren',
  'Amélie',
  'Kwame',
  'Ivana',
  'Mateo',
  'Freya',
  'Rahul',
  'Zofia',
  'Jonas',
  'Leilani',
  'Émile',
  'Greta',
  'Hassan',
  'Marta',
  'Owen',
  'Sanne',
  'Dimitri',
  'Priya',
  'Anders',
] as const;
const familyNames = [
  'Moreau',
  'Ferreira',
  'Lindqvist',
  'Yıldız',
  'Tanaka',
  'Adeyemi',
  'Ricci',
  'Kowalski',
  'Haddad',
  'Murphy',
  'de-Vries',
  'Nielsen',
  'Dubois',
  'Mensah',
  'Horvat',
  'García',
  'Hansen',
  'Sharma',
  'Nowak',
  'Weber',
  'Kealoha',
  'Lefèvre',
  'Schäfer',
  'Rahimi',
  'Silva',
  'Evans',
  'Bakker',
] as const;
const domains = [
  'example.com',
  'example.org',
  'example.net',
  'mail.example.com',
  'correo.example',
  'bücher.example',
] as const;
const topics = ['boats', 'engineering', 'food', 'history'] as const;

/** Each status and its share of a hundred. */
const statuses = [
  ['active', 78],
  ['inactive', 9],
  ['pending', 5],
  ['invalid', 4],
  ['paused', 2],
  ['needs_attention', 1],
  ['validating', 1],
] as const;
type SeedStatus = (typeof statuses)[number][0];

const originNames = Object.keys(origins) as OriginName[];

/** The `n`th generated subscriber; the same `n` is the same person in every sandbox with the same id seed. */
export function generatedSubscriber(n: number, chance: SeedContext['chance']) {
  const pick = <Item>(kind: string, items: readonly [Item, ...Item[]]): Item =>
    items[Math.floor(chance(kind, n) * items.length)] ?? items[0];
  const name = pick('crowd.given', givenNames);
  const status = shared(chance('crowd.status', n) * 100);
  const domain = status === 'invalid' ? 'nowhere.invalid' : pick('crowd.domain', domains);
  const origin = originNames[Math.floor(chance('crowd.origin', n) * originNames.length)] ?? 'unknown';
  const reads = status === 'active' || status === 'inactive' || status === 'paused';
  const received = reads ? 1 + Math.floor(chance('crowd.received', n) * 150) : 0;
  return {
    fields: {
      email: `${name}.${pick('crowd.family', familyNames)}${n}@${domain}`.toLowerCase(),
      status,
      ...origins[origin],
      emails_received: received,
      open_rate: received === 0 ? 0 : Math.round(2000 + chance('crowd.open', n) * 6500) / 100,
      click_through_rate: received === 0 ? 0 : Math.round(chance('crowd.click', n) * 2500) / 100,
    },
    name,
    topic: pick('crowd.topic', topics),
    premium: status === 'active' && chance('crowd.premium', n) < 0.06,
  };
}

function shared(hundredth: number): SeedStatus {
  let rest = hundredth;
  for (const [status, share] of statuses) {
    if (rest < share) return status;
    rest -= share;
  }
  return 'active';
}

/**
 * Adds generated subscriptions until the publication has the given size, spread evenly over its age; every tenth has
 * a custom field, if the publication has one.
 */
export function fillPublication(world: World, publicationId: string, { size, progress }: Growth): void {
  const { store, clock } = world;
  const publication = store.workspace.publication(publicationId);
  if (!publication) return;
  const there = store.subscriptions.list(publicationId, {}).total();
  const newcomers = Math.max(0, size - there);
  const now = clock.seconds();
  const start = Math.min(publication.created, now);
  const tiers = store.workspace.tiers(publicationId).filter((tier) => tier.status === 'active');
  const lists = store.workspace.lists(publicationId).filter((list) => list.auto_subscribe === 1);
  const [field] = store.customFields.ofPublication(publicationId).filter(({ kind }) => kind === 'string');

  for (let i = 0; i < newcomers; i += 1) {
    const identity = identify(world, 'sub');
    const { seq } = identity;
    const { fields, name, premium } = generatedSubscriber(seq, world.ids.fraction);
    const tier = premium ? tiers[seq % tiers.length] : undefined;
    const subscription = {
      ...fields,
      publication_id: publicationId,
      created: start + Math.floor(((now - start) * (i + 1)) / (newcomers + 1)),
      tier: tier ? 'premium' : 'free',
    };
    addSubscription(world, subscription, identity);
    if (tier) store.subscriptions.addTier(seq, tier.seq);
    for (const list of lists) store.subscriptions.addToList(seq, list.seq);
    if (field && i % 10 === 0) store.customFields.setValue(seq, field.seq, JSON.stringify(name));
    if (i % progressEvery === 0) progress?.(there + i, size);
  }
  progress?.(there + newcomers, size);
}

const progressEvery = 50_000;
