/** What the editor is told: complete against the contract, and worded as n8n's guidelines and linters want it. */
import { operation, subscriptionRequestFields } from '@newsletter-kit/core/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildBundle, type Bundle, type Property } from './bundle.ts';

let bundle: Bundle;
beforeAll(async () => {
  bundle = await buildBundle();
});
afterAll(() => bundle?.remove());

/** The parameters that one operation shows. */
const shownFor = (name: string): readonly Property[] =>
  bundle.newsletter.description.properties.filter(({ displayOptions }) => displayOptions?.show?.['operation']?.includes(name));
const named = (properties: readonly Property[], name: string): Property => {
  const found = properties.find((property) => property.name === name);
  if (!found) throw new Error(`There is no parameter "${name}".`);
  return found;
};
const values = (property: Property): string[] => (property.options ?? []).map(({ value, name }) => value ?? name);
/** Every parameter, however deep. */
const walk = (properties: readonly Property[]): Property[] =>
  properties.flatMap((property) => [property, ...(property.type === 'collection' ? walk(property.options ?? []) : [])]);

describe('the parameters', () => {
  it('reach every field of the request of Create', () => {
    const properties = shownFor('create');
    const reached = ['email', 'custom_fields', ...values(named(properties, 'additionalFields'))];
    expect(reached.toSorted()).toEqual([...subscriptionRequestFields].toSorted());
  });

  it('reach every filter, order and expansion of Get Many', () => {
    const { query, expand } = operation('subscriptions.list');
    const properties = shownFor('getMany');
    const options = named(properties, 'options').options ?? [];
    const reached = [...values(named(properties, 'filters')), ...options.map(({ name }) => name)];
    // limit and cursor are the node's own work, page is deprecated, and order_by has one value, its default.
    const meant = query.map((name) => name.replace('[]', '')).filter((name) => !['limit', 'cursor', 'page', 'order_by'].includes(name));
    expect(reached.toSorted()).toEqual(meant.toSorted());
    expect(values(named(options, 'expand')).toSorted()).toEqual([...expand].toSorted());
  });

  it('are what n8n expects of them', () => {
    const all = walk([...bundle.newsletter.description.properties, ...bundle.trigger.description.properties]);
    for (const { name, displayName, type, description, default: preset, typeOptions, options } of all) {
      expect.soft(displayName, name).toMatch(/^[A-Z]/);
      expect.soft(preset, `default of ${name}`).toBeDefined();
      if (type === 'boolean') expect.soft(description, name).toMatch(/^Whether /);
      if (name === 'limit') expect.soft({ preset, description, typeOptions }).toEqual({ preset: 50, description: 'Max number of results to return', typeOptions: { minValue: 1 } });
      if (name === 'returnAll') expect.soft(description).toBe('Whether to return all results or only up to a given limit');
      // One sentence stands without a period.
      if (description && !description.slice(0, -1).includes('. ')) expect.soft(description, name).not.toMatch(/\.$/);
      const titles = (options ?? []).map((option) => (type === 'collection' ? option.displayName : option.name));
      if (name !== 'direction') expect.soft(titles, name).toEqual(titles.toSorted((a, b) => a.localeCompare(b, 'en')));
    }
  });

  it('give each operation a name, a description and an action', () => {
    for (const { value, description, action } of named(bundle.newsletter.description.properties, 'operation').options ?? []) {
      expect({ value, description, action }).toEqual({ value: expect.any(String), description: expect.any(String), action: expect.stringMatching(/^[A-Z][a-z ]+$/) });
    }
  });
});

describe('the fixed names', () => {
  it('are those that workflows refer to', () => {
    expect([bundle.newsletter.description['name'], bundle.trigger.description['name'], bundle.credential.name]).toEqual([
      'newsletter',
      'newsletterTrigger',
      'newsletterApi',
    ]);
  });

  it('hide the key in the credential', () => {
    expect(named(bundle.credential.properties, 'apiKey').typeOptions).toEqual({ password: true });
    expect(named(bundle.credential.properties, 'baseUrl').default).toBe('http://127.0.0.1:4010/v2');
  });
});
