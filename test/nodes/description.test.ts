/**
 * The descriptions of parameters follow n8n's guidelines and linters. Their completeness is tested in contract.test.ts.
 */
import { words } from '@newsletter-kit/core/contract';
import { describe, expect, it } from 'vitest';
import type { Property } from './bundle.ts';
import { allParameters, offered } from './parameters.ts';
import { workbench } from './workbench.ts';

const bench = workbench();

const named = (properties: readonly Property[], name: string): Property => {
  const found = properties.find((property) => property.name === name);
  if (!found) throw new Error(`There is no parameter "${name}".`);
  return found;
};
/** Parameters of every node of n8n, which need no description. */
const plain = new Set(['authentication', 'resource', 'operation', 'events', 'mapping']);

describe('the parameters', () => {
  it('follow the guidelines of n8n', () => {
    const { newsletter, trigger, sync } = bench.bundle;
    const all = allParameters([newsletter, trigger, sync].flatMap(({ description }) => description.properties));
    for (const { name, displayName, type, description, default: preset, typeOptions, options } of all) {
      expect.soft(displayName, name).toMatch(/^[A-Z]/);
      expect.soft(preset, `default of ${name}`).toBeDefined();
      // AI agents and n8n's workflow builder rely on the description.
      if (!['notice', 'hidden', 'collection'].includes(type) && !plain.has(name))
        expect.soft(description, `description of ${name}`).toMatch(/\w{3}/);
      if (type === 'boolean') expect.soft(description, name).toMatch(/^Whether /);
      if (name === 'limit')
        expect
          .soft({ preset, description, typeOptions })
          .toEqual({ preset: 50, description: 'Max number of results to return', typeOptions: { minValue: 1 } });
      if (name === 'returnAll')
        expect.soft(description).toBe('Whether to return all results or only up to a given limit');
      // A single sentence has no period.
      if (description && !description.slice(0, -1).includes('. ')) expect.soft(description, name).not.toMatch(/\.$/);
      const titles = (options ?? []).map((option) =>
        ['collection', 'fixedCollection'].includes(type) ? option.displayName : option.name,
      );
      expect.soft(titles, name).toEqual(titles.toSorted((a, b) => a.localeCompare(b, 'en')));
    }
  });

  it('have Output before Filters and Options, and Include among the Options', () => {
    const forms = [
      ...offered(bench.bundle).map(({ resource, operation, properties }) => ({
        of: `${resource} ${operation}`,
        properties,
      })),
      ...[bench.bundle.trigger, bench.bundle.sync].map(({ description }) => ({
        of: String(description['name']),
        properties: description.properties,
      })),
    ];
    for (const { of, properties } of forms) {
      const names = properties.map(({ name }) => name);
      const choosable = names.findIndex((name) => name === 'filters' || name === 'options');
      if (names.includes('output') && choosable >= 0) expect.soft(names.indexOf('fields'), of).toBe(choosable - 1);
      expect.soft(names, of).not.toContain('expand');
    }
  });

  it('have options of which a word of a sheet means one at most', () => {
    const key = (text: string): string => text.toLowerCase().replaceAll(/[\s_-]+/g, '');
    const nodes = [bench.bundle.newsletter, bench.bundle.trigger, bench.bundle.sync];
    for (const { name, type, options = [] } of allParameters(
      nodes.flatMap(({ description }) => description.properties),
    )) {
      if (name === 'operation' || (type !== 'options' && type !== 'multiOptions')) continue;
      const means = new Map<string, unknown>();
      for (const { name: label, value } of options)
        for (const word of [label, String(value)].map(key)) {
          expect.soft(means.get(word) ?? value, `${name}: ${word}`).toBe(value);
          means.set(word, value);
        }
    }
  });

  it('default to the sort direction of the service', () => {
    const direction = allParameters(bench.bundle.newsletter.description.properties).find(
      ({ name }) => name === 'direction',
    );
    expect(direction?.default).toBe(words['subscriptions.list'].parameters.direction.default);
  });

  it('give each operation a description and a unique action', () => {
    const operations = bench.bundle.newsletter.description.properties
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

  it('name exactly the list searches that exist', () => {
    const searches = allParameters(bench.bundle.newsletter.description.properties).flatMap(({ modes = [] }) =>
      modes.flatMap(({ typeOptions }) => typeOptions?.searchListMethod ?? []),
    );
    expect(Object.keys(bench.bundle.newsletter.methods.listSearch).toSorted()).toEqual(
      [...new Set(searches)].toSorted(),
    );
  });

  it('default to Create or Update of a subscription with an API key', () => {
    const preset = (name: string, resource?: string) =>
      bench.bundle.newsletter.description.properties.find(
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

describe('the names of nodes and credentials', () => {
  it('are those in saved workflows', () => {
    expect([
      bench.bundle.newsletter.description['name'],
      bench.bundle.trigger.description['name'],
      bench.bundle.sync.description['name'],
      bench.bundle.credential.name,
      bench.bundle.oAuth2.name,
    ]).toEqual(['newsletter', 'newsletterTrigger', 'newsletterSync', 'newsletterApi', 'newsletterOAuth2Api']);
  });

  it('include a password field for the key', () => {
    expect(named(bench.bundle.credential.properties, 'apiKey').typeOptions).toEqual({ password: true });
  });
});
