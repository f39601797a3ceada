/**
 * The parameters of the node cover the whole contract: runs every operation with all parameters filled in, and compares
 * the requests with the contract.
 */
import * as contract from '@newsletter-kit/core/contract';
import { bulkUpdateItem } from '@newsletter-kit/core/schema';
import { createSandbox, type Sandbox } from '@newsletter-kit/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadBundle, type Bundle } from './bundle.ts';
import { executeContext } from './context.ts';
import { fillings, offered } from './parameters.ts';

/** Operations of the contract without an operation of the node, with the reason. */
const leftOut: Readonly<Record<string, string>> = {
  'subscriptions.bulkUpdatePut': 'The same as subscriptions.bulkUpdate.',
  'subscriptions.updateStatusPut': 'The same as subscriptions.updateStatus.',
  'customFields.updatePut': 'The same as customFields.update.',
};

/** Query parameters that the node sets itself. */
const paging = new Set(['limit', 'cursor', 'page']);

/** The only value of `order_by` is its default. */
const defaults = new Set(['order_by']);

/** The fields of all requests of an operation: the values by the name of the field. */
type Arrived = Map<string, Set<string>>;

let bundle: Bundle;
let sandbox: Sandbox;
const arrived = new Map<string, Arrived>();
beforeAll(async () => {
  bundle = await loadBundle();
  sandbox = createSandbox({ seed: 'demo' });
  for (const each of offered(bundle)) {
    for (const filled of fillings(each)) {
      // A filter of the node, with which it reads in an order of its own.
      const { created_after: _, ...filters } = (filled['filters'] ?? {}) as Readonly<Record<string, unknown>>;
      const parameters = { ...filled, filters };
      const context = executeContext({ sandbox: { fetch: recorded }, parameters, continueOnFail: true });
      await bundle.newsletter.execute.call(context);
    }
  }
});
afterAll(() => sandbox?.close());

async function recorded(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  note(
    new URL(String(input)),
    init?.method ?? 'GET',
    typeof init?.body === 'string' ? (JSON.parse(init.body) as unknown) : {},
  );
  return sandbox.fetch(input, init);
}

function note({ pathname, searchParams }: URL, method: string, body: unknown): void {
  const matching = contract.operations.find(
    ({ path, method: known, base }) =>
      base === 'api' && known === method && new RegExp(`^/v2${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  );
  if (!matching) throw new Error(`${method} ${pathname} is no operation of the contract.`);
  const fields: Arrived = arrived.get(matching.id) ?? new Map();
  arrived.set(matching.id, fields);
  for (const [name, value] of searchParams) add(fields, name, value);
  noteBody(fields, body);
}

/** Notes also the fields inside of lists: the items of a bulk update, the parts of a custom field. */
function noteBody(fields: Arrived, body: unknown, prefix = ''): void {
  if (Array.isArray(body)) body.forEach((entry) => noteBody(fields, entry, prefix));
  else if (typeof body !== 'object' || body === null) add(fields, prefix, String(body));
  else
    for (const [name, value] of Object.entries(body)) {
      const path = prefix === '' ? name : `${prefix}.${name}`;
      add(fields, path, typeof value === 'object' ? '' : String(value));
      noteBody(fields, value, path);
    }
}

const add = (fields: Arrived, name: string, value: string): void =>
  void fields.set(name, (fields.get(name) ?? new Set()).add(value));

const reachable = contract.operations.filter(({ id, base }) => base === 'api' && !(id in leftOut));
const names = (id: string): readonly string[] => [...(arrived.get(id)?.keys() ?? [])];
const values = (id: string, field: string): readonly string[] => [...(arrived.get(id)?.get(field) ?? [])].toSorted();

describe('the parameters', () => {
  it.each(reachable.map(({ id }) => id))('set every query parameter and body field of %s', (id) => {
    const { query, body, expand }: contract.Operation = contract.operation(id);
    expect([...arrived.keys()]).toContain(id);
    const meant = [...query.filter((name) => !paging.has(name) && !defaults.has(name)), ...(body?.fields ?? [])];
    expect(names(id)).toEqual(expect.arrayContaining(meant));
    if (query.includes('expand[]')) expect(values(id, 'expand[]')).toEqual([...expand].toSorted());
  });

  it('set every field of a bulk update, and clear a custom field', () => {
    const fields = Object.keys(bulkUpdateItem.shape).map((name) => `subscriptions.${name}`);
    expect(names('subscriptions.bulkUpdate')).toEqual(
      expect.arrayContaining([...fields, 'subscriptions.custom_fields.delete']),
    );
  });

  it('set every field of a bulk import but the reactivation, which Create or Update alone sends', () => {
    const fields = contract
      .operation('subscriptions.create')
      .body.fields.filter((name) => name !== 'reactivate_existing')
      .map((name) => `subscriptions.${name}`);
    expect(names('subscriptions.bulkCreate')).toEqual(expect.arrayContaining(fields));
    expect(names('subscriptions.bulkCreate')).not.toContain('subscriptions.reactivate_existing');
  });

  it.each([
    ['subscriptions.list', 'status', contract.subscriptionStatusFilters],
    ['subscriptions.list', 'tier', contract.subscriptionTierFilters],
    ['subscriptions.list', 'direction', contract.directions],
    ['subscriptions.create', 'tier', contract.subscriptionTiers],
    ['subscriptions.create', 'double_opt_override', contract.doubleOptOverrides],
    ['subscriptions.bulkUpdate', 'subscriptions.tier', contract.subscriptionTiers],
    ['subscriptions.updateStatus', 'new_status', contract.newStatuses],
    ['journeys.enroll', 'double_opt_override', contract.doubleOptOverrides],
    ['journeys.list', 'status', contract.journeyStatusFilters],
    ['conditionSets.list', 'purpose', contract.conditionSetPurposes],
    ['customFields.create', 'kind', contract.customFieldKinds],
    ['publicationFields.list', 'status', contract.publicationFieldStatusFilters],
  ] as const)('offer every value of %s %s', (id, field, words) => {
    expect(values(id, field)).toEqual([...words].toSorted());
  });

  it('leave out only operations that the contract has and the node does not use', () => {
    const ids = new Set<string>(contract.operations.map(({ id }) => id));
    expect(Object.keys(leftOut).filter((id) => !ids.has(id))).toEqual([]);
    expect(Object.keys(leftOut).filter((id) => arrived.has(id))).toEqual([]);
  });
});

describe('the OAuth2 credential', () => {
  it('offers exactly the scopes that the operations need', () => {
    const needed = new Set(
      contract.operations.flatMap(({ base, scope }) => (base === 'api' && scope !== null ? [scope] : [])),
    );
    const access = bundle.oAuth2.properties.find(({ name }) => name === 'access');
    expect((access?.options ?? []).map(({ value }) => value).toSorted()).toEqual([...needed].toSorted());
  });
});
