/** Custom fields of the publication. */
import { expect } from 'vitest';
import { chosen } from '../harness/nodes.ts';
import { all, ids, type ResourceExecutions, type World } from './execution.ts';

async function fieldNamed({ api }: World, name: string) {
  return (await all(api.customFields.list())).find(({ display }) => display === name);
}

const named = (name: string) => async (world: World) => ({
  customFieldId: chosen((await fieldNamed(world, name))?.id ?? ''),
});

export const customField: ResourceExecutions = {
  create: {
    parameters: () => ({ display: 'Größe der Kajüte', kind: 'double' }),
    async seen(world, output) {
      expect(await fieldNamed(world, 'Größe der Kajüte')).toMatchObject({ id: output[0]?.['id'], kind: 'double' });
    },
  },
  delete: {
    parameters: named('Birthday'),
    async seen(world, output) {
      expect(output).toEqual([{ deleted: true }]);
      expect(await fieldNamed(world, 'Birthday')).toBeUndefined();
      expect(await fieldNamed(world, 'Topics')).toBeDefined();
    },
  },
  get: {
    parameters: named('Topics'),
    async seen(world, output) {
      expect(output).toMatchObject([
        {
          id: (await fieldNamed(world, 'Topics'))?.id,
          display: 'Topics',
          kind: 'list',
          options: expect.arrayContaining(['boats']),
        },
      ]);
    },
  },
  getMany: {
    parameters: () => ({ returnAll: true }),
    async seen({ api }, output) {
      expect(ids(output)).toEqual(ids(await all(api.customFields.list())));
      expect(output).toHaveLength(7);
    },
  },
  update: {
    parameters: async (world) => ({ ...(await named('First Name')(world)), display: 'Vorname' }),
    async seen(world, output) {
      expect(await fieldNamed(world, 'Vorname')).toMatchObject({ id: output[0]?.['id'], kind: 'string' });
      expect(await fieldNamed(world, 'First Name')).toBeUndefined();
    },
  },
};
