/**
 * What the editor is told: worded as n8n's guidelines and linters want it. That it is complete, contract.test.ts shows.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildBundle, type Bundle, type Property } from './bundle.ts';

let bundle: Bundle;
beforeAll(async () => {
  bundle = await buildBundle();
});
afterAll(() => bundle?.remove());

const named = (properties: readonly Property[], name: string): Property => {
  const found = properties.find((property) => property.name === name);
  if (!found) throw new Error(`There is no parameter "${name}".`);
  return found;
};
/** Every parameter, however deep. */
const walk = (properties: readonly Property[]): Property[] =>
  properties.flatMap((property) => {
    const below = property.options ?? [];
    if (property.type === 'fixedCollection') return [property, ...walk(below.flatMap((group) => group.values ?? []))];
    return [property, ...(property.type === 'collection' ? walk(below) : [])];
  });

describe('the parameters', () => {
  it('are what n8n expects of them', () => {
    const { newsletter, trigger, sync } = bundle;
    const all = walk([newsletter, trigger, sync].flatMap(({ description }) => description.properties));
    for (const { name, displayName, type, description, default: preset, typeOptions, options } of all) {
      expect.soft(displayName, name).toMatch(/^[A-Z]/);
      expect.soft(preset, `default of ${name}`).toBeDefined();
      if (type === 'boolean') expect.soft(description, name).toMatch(/^Whether /);
      if (name === 'limit')
        expect
          .soft({ preset, description, typeOptions })
          .toEqual({ preset: 50, description: 'Max number of results to return', typeOptions: { minValue: 1 } });
      if (name === 'returnAll')
        expect.soft(description).toBe('Whether to return all results or only up to a given limit');
      // One sentence stands without a period.
      if (description && !description.slice(0, -1).includes('. ')) expect.soft(description, name).not.toMatch(/\.$/);
      const titles = (options ?? []).map((option) =>
        ['collection', 'fixedCollection'].includes(type) ? option.displayName : option.name,
      );
      if (name !== 'direction') expect.soft(titles, name).toEqual(titles.toSorted((a, b) => a.localeCompare(b, 'en')));
    }
  });

  it('give each operation a name, a description and an action, no two alike', () => {
    const operations = bundle.newsletter.description.properties
      .filter(({ name }) => name === 'operation')
      .flatMap(({ options = [] }) => options);
    for (const { value, description, action } of operations) {
      expect({ value, description, action }).toEqual({
        value: expect.any(String),
        description: expect.any(String),
        action: expect.stringMatching(/^[A-Z][a-zA-Z ]+$/),
      });
    }
    expect(new Set(operations.map(({ action }) => action)).size).toBe(operations.length);
  });

  it('name a list search that is there wherever a list can be chosen from', () => {
    const searches = walk(bundle.newsletter.description.properties).flatMap(({ modes = [] }) =>
      modes.flatMap(({ typeOptions }) => typeOptions?.searchListMethod ?? []),
    );
    expect(Object.keys(bundle.newsletter.methods.listSearch).toSorted()).toEqual([...new Set(searches)].toSorted());
  });

  it('begin with what most people come for', () => {
    const preset = (name: string, resource?: string) =>
      bundle.newsletter.description.properties.find(
        (property) =>
          property.name === name &&
          (resource === undefined || property.displayOptions?.show?.['resource']?.includes(resource)),
      )?.default;
    expect([preset('authentication'), preset('resource'), preset('operation', 'subscription')]).toEqual([
      'apiKey',
      'subscription',
      'createOrUpdate',
    ]);
  });
});

describe('the fixed names', () => {
  it('are those that workflows refer to', () => {
    expect([
      bundle.newsletter.description['name'],
      bundle.trigger.description['name'],
      bundle.sync.description['name'],
      bundle.credential.name,
      bundle.oAuth2.name,
    ]).toEqual(['newsletter', 'newsletterTrigger', 'newsletterSync', 'newsletterApi', 'newsletterOAuth2Api']);
  });

  it('hide the key in the credential', () => {
    expect(named(bundle.credential.properties, 'apiKey').typeOptions).toEqual({ password: true });
    expect(named(bundle.credential.properties, 'baseUrl').default).toBe('http://127.0.0.1:4010/v2');
  });
});
