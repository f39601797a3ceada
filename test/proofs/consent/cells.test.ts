/** The table of the page on consent: each cell with the real code behind the door, and the table itself. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import { root } from '../../../scripts/root.ts';
import { loadBundle, type Bundle } from '../../nodes/bundle.ts';
import { executeContext } from '../../nodes/context.ts';
import { cells, consentTable, fileProof, type DoorName, type Situation } from './cells.ts';
import { actions, settle } from './doors.ts';
import { answer, find, readCall } from './service.ts';
import { contactOf, doubleOptIn, emailOf, publications, startWorld, Visit, type WorldState } from './world.ts';

vi.mock('n8n-workflow', async (load) => load());

let bundle: Bundle;
beforeAll(async () => {
  bundle = await loadBundle();
});

/** Takes actions of the small world, one after the other. */
async function take(state: WorldState, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const action = actions.find((each) => each.name === name);
    if (!action) throw new Error(`There is no action "${name}".`);
    expect(await action.run(state, undefined), name).toMatchObject({ problems: [] });
    state.now += 3_600_000;
  }
}

const worlds: Readonly<Record<Situation, () => Promise<WorldState>>> = {
  active: () => begin('active'),
  left: () => begin('left'),
  async optedOut() {
    const state = await begin('active');
    await take(state, 'person 0 is opted out in the CRM', 'a sync of single', 'a sync of double');
    return state;
  },
  async erased() {
    const state = await begin('active');
    await take(state, 'person 0 is erased');
    return state;
  },
  unknown: () => begin('unknown'),
};

async function begin(standing: 'active' | 'left' | 'unknown'): Promise<WorldState> {
  const state = startWorld([standing, 'active']);
  await settle(state);
  return state;
}

/** Runs an operation of n8n's node against the model of the service. */
async function n8n(state: WorldState, operation: string, parameters: object): Promise<void> {
  const fetch = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const call = readCall({
      method: init.method ?? 'GET',
      url: String(url),
      ...(typeof init.body === 'string' && { body: init.body }),
    });
    return Response.json(answer(state.service, call, Math.floor(state.now / 1000), doubleOptIn));
  };
  const context = executeContext({
    sandbox: { fetch },
    credential: { publicationId: publications.single },
    parameters: { resource: 'subscription', operation, ...parameters },
    items: [{ email: emailOf(0) }],
  });
  await bundle.newsletter.execute.call(context);
}

const fields = (additionalFields: object) => ({
  email: emailOf(0),
  customFields: { mappingMode: 'defineBelow', value: {} },
  additionalFields,
});

const client = (state: WorldState, more: object) =>
  new Visit(state, { door: 'upsert', publication: 'single', guardOff: undefined }).client.subscriptions.create({
    email: emailOf(0),
    ...more,
  });

const deliveries = {
  single: ['person 0 posts the form of single', 'the relay delivers to single'],
  double: [
    'person 0 posts the form of double',
    'person 0 clicks the confirmation link',
    'the relay delivers to double',
  ],
} as const;

/** Without the relay's setting, signups are delivered as after a restored backup: they reactivate nobody. */
const withoutSetting = (state: WorldState, names: readonly string[]): Promise<void> => {
  state.cautious = true;
  return take(state, ...names);
};

const open: Readonly<Record<DoorName, (state: WorldState) => Promise<unknown>>> = {
  form: (state) => withoutSetting(state, deliveries.single),
  formReturning: (state) => take(state, ...deliveries.single),
  confirmation: (state) => withoutSetting(state, deliveries.double),
  confirmationReturning: (state) => take(state, ...deliveries.double),
  async confirmationKnowing(state) {
    const [post, click, delivery] = deliveries.double;
    await withoutSetting(Object.assign(state, { knowing: true }), [post, click]);
    // Each action takes an hour, and this one follows the click.
    state.now -= 3_600_000;
    await take(state, delivery);
  },
  import: (state) => take(state, 'an import to single'),
  bulkImport: (state) => n8n(state, 'bulkImport', {}),
  create: (state) => n8n(state, 'create', { ...fields({}), ifSubscribed: 'passOver' }),
  upsert: (state) => n8n(state, 'createOrUpdate', fields({})),
  upsertReturning: (state) => n8n(state, 'createOrUpdate', fields({ reactivate_existing: true })),
  async sync(state) {
    if (!contactOf(state, 0)) await take(state, 'person 0 becomes a contact of the CRM');
    await take(state, 'a sync of single', 'a sync of single');
  },
  client: (state) => client(state, {}),
  clientReturning: (state) => client(state, { reactivate_existing: true }),
};

it.each(cells)('$door, $situation: $text', async ({ door, situation, status }) => {
  const state = await worlds[situation]();
  await open[door](state);
  const publication = door.startsWith('confirmation') ? publications.double : publications.single;
  expect(find(state.service, publication, emailOf(0))?.status ?? null).toBe(status);
});

it('the page on consent has this table', () => {
  const page = readFileSync(join(root, 'docs/src/content/docs/concepts/consent.md'), 'utf8');
  expect(page).toContain(consentTable());
  expect(existsSync(join(root, fileProof))).toBe(true);
});
