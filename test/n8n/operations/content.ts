/**
 * Resources that can only be read: authors, advertisements, gifts, condition sets, publication fields.
 */
import { expect } from 'vitest';
import { chosen } from '../harness/nodes.ts';
import { all, first, ids, type ResourceExecutions } from './execution.ts';

export const advertisementOpportunity: ResourceExecutions = {
  getMany: {
    parameters: () => ({ returnAll: true }),
    async seen({ api }, output) {
      expect(ids(output)).toEqual(ids(await all(api.advertisementOpportunities.list())));
      expect(output).toMatchObject([
        { advertiser_name: 'Nordlicht Ropes', send_by_window_start_at: expect.stringMatching(/^\d{4}-.*Z$/) },
      ]);
    },
  },
};

export const author: ResourceExecutions = {
  get: {
    parameters: () => ({ authorId: chosen('Émile Nakamura', 'id') }),
    async seen({ api }, output) {
      const { data } = await api.authors.get({ authorId: 'Émile Nakamura' });
      expect(output).toMatchObject([{ id: data.id, name: 'Émile Nakamura', type: 'guest_author' }]);
    },
  },
  getMany: {
    parameters: () => ({ returnAll: true, filters: { name: 'johanna' } }),
    async seen({ api }, output) {
      expect(output).toMatchObject([{ name: 'Johanna Petersen' }]);
      expect(ids(output)).toEqual(ids(await all(api.authors.list({ name: 'johanna' }))));
    },
  },
};

export const complimentaryAccess: ResourceExecutions = {
  get: {
    parameters: async ({ api }) => ({
      complimentaryAccessId: chosen((await first(api.complimentaryAccess.list())).id),
      options: { expand: ['tier'] },
    }),
    async seen({ api }, output) {
      const { id, description } = await first(api.complimentaryAccess.list());
      expect(output).toMatchObject([{ id, description, tier: { name: expect.any(String) } }]);
    },
  },
  getMany: {
    parameters: () => ({ returnAll: true, options: { expand: ['stats', 'tier'] } }),
    async seen({ api }, output) {
      expect(ids(output)).toEqual(ids(await all(api.complimentaryAccess.list())));
      expect(output).toEqual(
        output.map(() => expect.objectContaining({ stats: expect.any(Object), tier: expect.any(Object) })),
      );
    },
  },
};

export const conditionSet: ResourceExecutions = {
  get: {
    parameters: async ({ api }) => ({
      conditionSetId: chosen((await first(api.conditionSets.list())).id),
      options: { expand: ['stats'] },
    }),
    async seen({ api }, output) {
      const { id } = await first(api.conditionSets.list());
      const { data } = await api.conditionSets.get({ conditionSetId: id, expand: ['stats'] });
      expect(output).toMatchObject([{ id, name: 'Boats, from the podcast or a friend', stats: data.stats }]);
    },
  },
  getMany: {
    parameters: () => ({ returnAll: true, filters: { purpose: 'dynamic_content' } }),
    async seen({ api }, output) {
      expect(ids(output)).toEqual(ids(await all(api.conditionSets.list())));
      expect(output).toHaveLength(1);
    },
  },
};

export const publicationField: ResourceExecutions = {
  getMany: {
    parameters: () => ({ returnAll: true, filters: { status: 'archived' } }),
    async seen({ api }, output) {
      expect(output).toMatchObject([{ name: 'old_motto', status: 'archived' }]);
      expect(ids(output)).toEqual(ids(await all(api.publicationFields.list({ status: 'archived' }))));
    },
  },
};

export const publication: ResourceExecutions = {
  getMany: {
    parameters: () => ({ returnAll: true }),
    async seen({ api }, output) {
      expect(ids(output)).toEqual(ids(await all(api.publications.list())));
      expect(output).toHaveLength(1);
    },
  },
};
