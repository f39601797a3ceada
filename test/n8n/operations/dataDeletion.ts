/** Requests to delete the data of a subscriber. */
import { expect } from 'vitest';
import { chosen } from '../harness/nodes.ts';
import { all, ids, type ResourceExecutions } from './execution.ts';

const address = 'grace@example.org';

export const dataDeletion: ResourceExecutions = {
  request: {
    parameters: () => ({ email: address, emailConfirmation: ` ${address.toUpperCase()} ` }),
    async seen({ api, sandbox }, output) {
      expect(await all(api.deletionRequests.list())).toMatchObject([{ id: output[0]?.['id'], email: address }]);
      sandbox.clock.advance('P15D');
      expect(await all(api.subscriptions.list({ email: address }))).toEqual([]);
    },
  },
  get: {
    async parameters({ api }) {
      const { data } = await api.deletionRequests.create({ email: address });
      return { deletionRequestId: chosen(String(data.id)) };
    },
    async seen({ api }, output) {
      expect(ids(output)).toEqual(ids(await all(api.deletionRequests.list())));
      expect(output).toMatchObject([{ email: address, scheduled_for_processing_at: expect.any(String) }]);
    },
  },
  getMany: {
    async parameters({ api }) {
      for (const email of [address, 'ada.lovelace@example.com']) await api.deletionRequests.create({ email });
      return { returnAll: true };
    },
    async seen({ api }, output) {
      expect(ids(output)).toEqual(ids(await all(api.deletionRequests.list())));
      expect(output).toHaveLength(2);
    },
  },
};
