/**
 * Planning a sync of 100,000 subscriptions and 100,000 contacts, beside parsing both from JSON, in pages of 100 as a
 * service and a CRM answer: pairs that agree and have their tokens, as in most runs. And a first run of 20,000 and
 * 20,000 without tokens, beside the comparison of n8n's Compare Datasets node. And 100,000 contacts with one address.
 */
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  createReconciler,
  prepareMapping,
  startSync,
  type SyncMapping,
  type SyncSubscription,
} from '@newsletter-kit/core/sync';
import { installN8n } from '../../../scripts/n8n/install.ts';
import { median, reportFigures } from '../figure.ts';
import { subscription } from '../subscription.ts';

const size = 100_000;
/** Compare Datasets is quadratic. */
const fewer = 20_000;
const rounds = 7;
const fields = ['City', 'Company', 'Score'].map((display, index) => ({
  id: `f0000000-0000-4000-8000-00000000000${index}`,
  kind: display === 'Score' ? 'integer' : 'string',
  display,
}));
const mapping: SyncMapping = {
  fields: [
    ...fields.map(({ id, display }) => ({
      newsletter: id,
      contact: `properties.${display.toLowerCase()}`,
      direction: 'both' as const,
    })),
    { newsletter: 'status', contact: 'properties.newsletter_status', direction: 'to_contact' },
  ],
  contact: { email: 'properties.email', token: 'properties.sync_token' },
  optOut: { contact: 'properties.do_not_mail' },
};

const numbers = Array.from({ length: size }, (_, index) => index);
const subscriptions = numbers.map((index) => ({
  ...subscription(index),
  custom_fields: [
    { name: 'City', kind: 'string', value: `City ${index % 500}` },
    { name: 'Company', kind: 'string', value: `Company ${index % 9000}` },
    { name: 'Score', kind: 'integer', value: index % 100 },
  ],
}));
const contacts = numbers.map((index) => ({
  id: String(index),
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  archived: false,
  properties: {
    email: `reader.${index}@example.com`,
    city: `City ${index % 500}`,
    company: `Company ${index % 9000}`,
    score: String(index % 100),
    newsletter_status: 'active',
    do_not_mail: 'false',
    sync_token: '',
  },
}));

/** Plans what comes in pages of JSON. */
function plan(left: readonly string[], right: readonly string[], by = mapping) {
  let parsing = 0;
  const parse = <Entry>(page: string): readonly Entry[] => {
    const begun = performance.now();
    const entries = JSON.parse(page) as readonly Entry[];
    parsing += performance.now() - begun;
    return entries;
  };
  const begun = performance.now();
  const reconciler = createReconciler({
    mapping: prepareMapping(by, fields, 'pub_1'),
    state: startSync(),
    now: 1_800_000_000_000,
  });
  for (const page of right) for (const record of parse(page)) reconciler.addContact(record);
  for (const page of left) reconciler.addSubscriptions(parse<SyncSubscription>(page));
  const made = reconciler.finish();
  return { made, parsing, planning: performance.now() - begun - parsing };
}

function pagesOf(entries: readonly unknown[]): readonly string[] {
  return Array.from({ length: Math.ceil(entries.length / 100) }, (_, page) =>
    JSON.stringify(entries.slice(page * 100, (page + 1) * 100)),
  );
}

const left = pagesOf(subscriptions);
const first = Array.from({ length: 3 }, () => plan(left.slice(0, fewer / 100), pagesOf(contacts.slice(0, fewer))));
if (first.some(({ made }) => made.pairs.length !== fewer)) throw new Error('The first run does not write every token.');

// The tokens are written page by page, so that the plans don't stay in memory.
const tokens = new Map(
  left.flatMap((page, index) => {
    const { made } = plan([page], pagesOf(contacts.slice(index * 100, (index + 1) * 100)));
    return made.pairs.flatMap(({ contactWrites }) => contactWrites.map(({ id, token }) => [id, token] as const));
  }),
);
for (const { id, properties } of contacts) properties.sync_token = tokens.get(id) ?? '';
const right = pagesOf(contacts);

const parsing: number[] = [];
const planning: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  const run = plan(left, right);
  if (run.made.pairs.length > 0 || run.made.counts.pairs !== size)
    throw new Error('Sides that agree have something to write.');
  parsing.push(run.parsing);
  planning.push(run.planning);
}

/** Milliseconds to plan contacts without subscriptions, the oldest of which come in last. */
function planUnknown(addressOf: (index: number) => string): number {
  const unknown = contacts.map(({ properties, ...contact }, index) => ({
    ...contact,
    id: String(size - index),
    properties: { ...properties, email: addressOf(index), sync_token: '' },
  }));
  const { made, planning: ms } = plan([], pagesOf(unknown), { ...mapping, subscribe: 'with_confirmation' });
  // A plan that asks so many is held back.
  if (made.whole.subscriptionCreates.length === 0) throw new Error('Nobody is asked.');
  return ms;
}
const one: number[] = [];
const different: number[] = [];
for (let round = 0; round < 3; round += 1) {
  one.push(planUnknown(() => 'info@example.com'));
  different.push(planUnknown((index) => `stranger.${index}@example.com`));
}

const compared = await compareDatasets();
const firstPlanning = median(first.map((run) => run.planning));
reportFigures({
  share: {
    value: median(planning) / median(parsing),
    detail: `100,000 × 100,000: planning ${median(planning).toFixed(0)} ms, parsing ${median(parsing).toFixed(0)} ms`,
  },
  compare: {
    value: compared / firstPlanning,
    detail: `20,000 × 20,000, a first run: planning ${firstPlanning.toFixed(0)} ms, Compare Datasets ${compared.toFixed(0)} ms`,
  },
  oneAddress: {
    value: median(one) / median(different),
    detail: `100,000 contacts: one address ${median(one).toFixed(0)} ms, different ones ${median(different).toFixed(0)} ms`,
  },
});

/** Milliseconds of the comparison that n8n's Compare Datasets node makes, by the address. */
async function compareDatasets(): Promise<number> {
  const { command } = await installN8n();
  const { findMatches } = createRequire(realpathSync(command))(
    'n8n-nodes-base/dist/nodes/CompareDatasets/GenericFunctions.js',
  ) as {
    findMatches(...input: readonly unknown[]): readonly (readonly unknown[])[];
  };
  const items = (records: readonly object[]) => records.slice(0, fewer).map((json) => ({ json }));
  const flat = contacts.map(({ id, properties }) => ({ id, ...properties }));
  const begun = performance.now();
  const [, same, different] = findMatches(items(subscriptions), items(flat), [{ field1: 'email', field2: 'email' }], {
    nodeVersion: 2.3,
    fuzzyCompare: false,
  });
  if ((same?.length ?? 0) + (different?.length ?? 0) !== fewer) throw new Error('Not everything was compared.');
  return performance.now() - begun;
}
