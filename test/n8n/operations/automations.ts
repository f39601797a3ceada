/** Automations, their e-mails, and the journeys of subscribers. */
import { expect } from 'vitest';
import { chosen } from '../harness/nodes.ts';
import { all, first, ids, type ResourceExecutions, type World } from './execution.ts';

/** The automation with an active Add by API trigger. */
async function welcome({ api }: World): Promise<string> {
  const found = (await all(api.automations.list())).find(({ name }) => name === 'Welcome aboard');
  return found?.id ?? '';
}

export const automation: ResourceExecutions = {
  get: {
    parameters: async (world) => ({ automationId: chosen(await welcome(world)), options: { expand: ['stats'] } }),
    async seen(world, output) {
      const { data } = await world.api.automations.get({ automationId: await welcome(world), expand: ['stats'] });
      expect(output).toMatchObject([{ id: data.id, name: 'Welcome aboard', status: 'running', stats: data.stats }]);
    },
  },
  getEmails: {
    parameters: async (world) => ({ automationId: chosen(await welcome(world)), returnAll: true }),
    async seen(world, output) {
      expect(ids(output)).toEqual(
        ids(await all(world.api.automations.listEmails({ automationId: await welcome(world) }))),
      );
      expect(output[0]).toMatchObject({ subject_line: expect.any(String), stats: expect.any(Object) });
      expect(output).toHaveLength(4);
    },
  },
  getMany: {
    parameters: () => ({ limit: 1, options: { expand: ['stats'] } }),
    async seen({ api }, output) {
      expect(ids(output)).toEqual(ids(await all(api.automations.list())).slice(0, 1));
      expect(output[0]).toHaveProperty('stats');
    },
  },
};

export const journey: ResourceExecutions = {
  enroll: {
    parameters: async (world) => ({
      automationId: chosen(await welcome(world)),
      subscription: chosen('margaret@example.org', 'email'),
      options: { double_opt_override: 'off' },
    }),
    async seen(world, output) {
      const [enrolled] = output;
      expect(enrolled).toMatchObject({ email: 'margaret@example.org' });
      const journeys = await all(world.api.journeys.list({ automationId: await welcome(world) }));
      expect(journeys.find(({ email }) => email === 'margaret@example.org')).toMatchObject({ id: enrolled?.['id'] });
    },
  },
  get: {
    async parameters(world) {
      const automationId = await welcome(world);
      const { id } = await first(world.api.journeys.list({ automationId, status: 'exited_early' }));
      return { automationId: chosen(automationId), automationJourneyId: chosen(id) };
    },
    async seen(_world, output) {
      expect(output).toMatchObject([
        { email: 'zoë@example.com', status: 'exited_early', completed_at: expect.stringMatching(/^\d{4}-.*Z$/) },
      ]);
    },
  },
  getMany: {
    parameters: async (world) => ({
      automationId: chosen(await welcome(world)),
      returnAll: true,
      filters: { status: 'in_progress' },
    }),
    async seen(world, output) {
      expect(ids(output)).toEqual(
        ids(await all(world.api.journeys.list({ automationId: await welcome(world), status: 'in_progress' }))),
      );
      expect(output.map(({ email }) => email).toSorted()).toEqual(['shafi@example.com', 'tu.youyou@example.org']);
    },
  },
};
