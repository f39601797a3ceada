/** The parameter Publication: from the list, by ID, or empty for the publication of the credential. */
import { createSandbox, type Seed } from '@newsletter-kit/sandbox';
import { describe, expect, it } from 'vitest';
import { workbench } from './workbench.ts';

const bench = workbench();
const first = 'pub_00000000-0000-4000-8000-000000000001';
const second = 'pub_00000000-0000-4000-8000-000000000002';
const two: Seed = {
  publications: [
    { id: first, name: 'The Harbour Letter', created: 1 },
    { id: second, name: 'The Other Letter', created: 2 },
  ],
};

describe('the list of publications', () => {
  it('offers the publications that the key may use, by their names', async () => {
    using sandbox = disposable({ seed: two });
    const offered = (more = {}) => bench.search('searchPublications', '', '', { sandbox, ...more });
    expect((await offered()).results).toEqual([
      { name: 'The Harbour Letter (Sandbox)', value: first },
      { name: 'The Other Letter (Sandbox)', value: second },
    ]);
    expect((await offered({ credential: { apiKey: 'sandbox-key-restricted' } })).results).toMatchObject([
      { value: first },
    ]);
    expect((await bench.search('searchPublications', 'OTHER', '', { sandbox })).results).toMatchObject([
      { value: second },
    ]);
  });

  it('works without a publication in the credential', async () => {
    const { results } = await bench.search('searchPublications', '', '', { credential: { publicationId: '' } });
    expect(results).toMatchObject([{ value: first }]);
  });

  it('asks for the ID where the service does not list publications', async () => {
    bench.sandbox.assumptions.set({ publication_list: 'absent' });
    await expect(bench.search('searchPublications')).rejects.toMatchObject({
      httpCode: '404',
      description: expect.stringContaining('Choose "By ID" in Publication and enter the ID'),
    });
  });

  it('exists in every node with the parameter Publication', () => {
    const { newsletter, trigger, sync } = bench.bundle;
    for (const { description, methods } of [newsletter, trigger, sync]) {
      const { modes = [], default: preset } =
        description.properties.find(({ name }) => name === 'publicationId') ?? Object.create(null);
      expect(preset).toEqual({ mode: 'list', value: '' });
      expect(modes.map(({ name }: { name: string }) => name)).toEqual(['list', 'id']);
      expect(Object.keys(methods.listSearch)).toContain('searchPublications');
    }
  });
});

describe('a node without a publication', () => {
  it('uses the publication of the credential', async () => {
    using sandbox = disposable({ seed: two });
    await bench.run('customField', 'create', { display: 'Harbour', kind: 'string' }, { sandbox });
    const names = async (publicationId: string) =>
      (
        await bench.run(
          'customField',
          'getMany',
          { returnAll: true, publicationId: { mode: 'id', value: publicationId } },
          { sandbox },
        )
      ).map(({ json }) => json['display']);
    expect(await names('')).toEqual(['Harbour']);
    expect(await names(first)).toEqual(['Harbour']);
    expect(await names(second)).toEqual([]);
  });

  it('fails without a request where the credential has none either, and names both places to set one', async () => {
    await expect(bench.run('customField', 'getMany', {}, { credential: { publicationId: ' ' } })).rejects.toMatchObject(
      {
        message: 'No publication is chosen',
        description: expect.stringContaining(
          'Choose a Publication in the node, or enter a Publication ID in the credential',
        ),
      },
    );
    expect(bench.sandbox.requests()).toEqual([]);
  });
});

function disposable(options: Parameters<typeof createSandbox>[0]) {
  const sandbox = createSandbox(options);
  return Object.assign(sandbox, { [Symbol.dispose]: () => sandbox.close() });
}
