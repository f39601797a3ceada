/** The table of `concepts/consent.md`: what happens to a person at each door, by how they stand before. */
import type { Status } from './service.ts';

export const situations = {
  active: 'subscribed',
  left: 'has left',
  optedOut: 'opted out in the CRM',
  erased: 'erased',
  unknown: 'never known',
} as const;
export type Situation = keyof typeof situations;

/** What a cell says, and the status that a person ends with; null without a subscription. */
const ends = {
  stays: { text: 'stays subscribed', status: 'active' },
  out: { text: '**stays out**', status: 'inactive' },
  returns: { text: 'subscribed: they return', status: 'active' },
  anew: { text: 'subscribed anew', status: 'active' },
  isNew: { text: 'subscribed', status: 'active' },
  notAgain: { text: '**not created again**', status: null },
} as const satisfies Record<string, { readonly text: string; readonly status: Status | null }>;

type Row = Readonly<Record<Situation, keyof typeof ends>>;
const usual: Row = { active: 'stays', left: 'out', optedOut: 'out', erased: 'anew', unknown: 'isNew' };
const returning: Row = { ...usual, left: 'returns', optedOut: 'returns' };

/** By door: its name on the page, and its row. */
export const doors = {
  form: { name: 'form, through the relay', row: usual },
  formReturning: { name: 'form, through the relay with `RELAY_REACTIVATE_EXISTING=true`', row: returning },
  confirmation: { name: 'click in the confirmation mail of the relay', row: usual },
  confirmationReturning: {
    name: 'click in the confirmation mail of the relay with `RELAY_REACTIVATE_EXISTING=true`',
    row: returning,
  },
  confirmationKnowing: {
    name: 'click in the confirmation mail of the relay with `RELAY_REACTIVATE_CONFIRMED=true`',
    row: returning,
  },
  import: { name: '`newsletter import`, `importSubscriptions`', row: usual },
  bulkImport: { name: 'n8n, *Bulk Import*', row: usual },
  create: { name: 'n8n, *Create*', row: usual },
  upsert: { name: 'n8n, *Create or Update*', row: usual },
  upsertReturning: { name: 'n8n, *Create or Update* with *Reactivate Someone Who Unsubscribed*', row: returning },
  sync: { name: 'CRM sync', row: { ...usual, erased: 'notAgain' } },
  client: { name: 'client, `subscriptions.create`', row: usual },
  clientReturning: { name: 'client, `subscriptions.create` with `reactivate_existing: true`', row: returning },
} as const satisfies Record<string, { readonly name: string; readonly row: Row }>;
export type DoorName = keyof typeof doors;

/** Doors that read a file, in which a row may say that its person has left. */
const readsFiles: ReadonlySet<string> = new Set<DoorName>(['import', 'bulkImport']);
/** The test of that column. */
export const fileProof = 'packages/core/test/import/consent.test.ts';

export const cells = (Object.keys(doors) as DoorName[]).flatMap((door) =>
  (Object.keys(situations) as Situation[]).map((situation) => {
    const row: Row = doors[door].row;
    return { door, situation, ...ends[row[situation]] };
  }),
);

/** The table in Markdown. */
export function consentTable(): string {
  const order = Object.keys(situations) as Situation[];
  const head = ['Door', ...order.map((situation) => situations[situation]), 'said no in the file'];
  return [
    head,
    head.map(() => '---'),
    ...Object.entries(doors).map(([door, { name, row }]) => [
      name,
      ...order.map((situation) => ends[(row as Row)[situation]].text),
      readsFiles.has(door) ? '**rejected**' : '–',
    ]),
  ]
    .map((line) => `| ${line.join(' | ')} |`)
    .join('\n');
}
