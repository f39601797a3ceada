/** Items about one person: whichever way they name the person, the last item wins, and each says what it did. */
import { describe, expect, it } from 'vitest';
import type { Run } from './context.ts';
import { workbench } from './workbench.ts';

const bench = workbench();
const ada = 'ada.lovelace@example.com';

/** Answers the requests of earlier items later than those of later ones, unless they wait for each other. */
function reversing(count: number): { readonly sandbox: Run['sandbox']; readonly seen: { most: number } } {
  const seen = { now: 0, most: 0 };
  let begun = 0;
  const sandbox: Run['sandbox'] = {
    async fetch(input, init) {
      seen.most = Math.max(seen.most, ++seen.now);
      for (let turn = begun++ % count; turn < count * 3; turn += 1) await new Promise(setImmediate);
      seen.now -= 1;
      return bench.prompt.fetch(input, init);
    },
  };
  return { sandbox, seen };
}

const byEmail = (value: string) => ({ __rl: true, mode: 'email', value });
const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const fromList = (value: string) => ({ __rl: true, mode: 'list', value });

async function teamSize(): Promise<unknown> {
  const parameters = { subscription: ada, options: { expand: ['custom_fields'] } };
  const [item] = await bench.run('subscription', 'get', parameters);
  return (item?.json['custom_fields'] as Readonly<Record<string, unknown>> | undefined)?.['Team size'];
}
const idOf = async (email: string): Promise<string> =>
  String((await bench.run('subscription', 'get', { subscription: email }))[0]?.json['id']);

interface Row {
  readonly operation: 'create' | 'createOrUpdate' | 'update';
  readonly ways: string;
  /** The person as each item names it. */
  names(id: string): readonly unknown[];
}

const rows: readonly Row[] = [
  {
    operation: 'createOrUpdate',
    ways: 'an address in four spellings',
    names: () => [ada, ' ADA.lovelace@example.com ', 'ada.lovelace@EXAMPLE.com', '\u00a0ada.lovelace@example.com'],
  },
  { operation: 'createOrUpdate', ways: 'an address with blanks', names: () => [ada, ` ${ada}`, ada, `${ada} `] },
  {
    operation: 'update',
    ways: 'an address in the modes of the locator, and as a bare text',
    names: () => [byEmail(ada), fromList(` ${ada}`), ada.toUpperCase(), byEmail(ada)],
  },
  {
    operation: 'update',
    ways: 'an ID in upper and lower case',
    names: (id) => [byId(id), fromList(id), id, byId(id)],
  },
  {
    operation: 'update',
    ways: 'address and ID',
    names: (id) => [byEmail(ada), byId(id), byEmail(ada), byId(id)],
  },
];

it.each(rows)('$operation of one person named by $ways: the last item wins', async ({ operation, names }) => {
  const named = names(await idOf(ada));
  const { sandbox, seen } = reversing(named.length);
  const hints: { message: string }[] = [];
  const parameters = {
    email: (index: number) => named[index],
    subscription: (index: number) => named[index],
    customFields: (index: number) => ({ mappingMode: 'defineBelow', value: { 'Team size': index + 1 } }),
  };
  const items = await bench.run('subscription', operation, parameters, {
    sandbox,
    hints,
    items: named.map(() => ({ email: ada })),
  });
  expect(items.map(({ json }) => json['custom_fields'])).toEqual(
    named.map((_, index) => expect.objectContaining({ 'Team size': index + 1 })),
  );
  expect(hints).toEqual([]);
  expect(await teamSize()).toBe(named.length);
  expect(seen.most).toBe(1);
});

it.each([
  ['people', ['a@example.com', 'b@example.com', 'c@example.com']],
  ['people, one of them misspelt', ['a@example.com', 'no address', 'c@example.com']],
])('works on several %s at a time', async (_what, named) => {
  const { sandbox, seen } = reversing(named.length);
  const parameters = { email: (index: number) => named[index], customFields: {} };
  await bench.run('subscription', 'createOrUpdate', parameters, {
    sandbox,
    items: named.map(() => ({})),
    onError: 'continueRegularOutput',
  });
  expect(seen.most).toBeGreaterThan(1);
});

describe('Enroll', () => {
  it('enrolls a person once who is named by address and by ID', async () => {
    const email = 'ken@example.com';
    const named = [byEmail(email), byId(await idOf(email)), byEmail(email.toUpperCase())];
    const { sandbox } = reversing(named.length);
    const items = await bench.run(
      'journey',
      'enroll',
      {
        automationId: { mode: 'list', value: await bench.first('searchAutomations') },
        subscription: (index: number) => named[index],
        ifEnrolled: 'passOver',
      },
      { sandbox, items: named.map(() => ({})) },
    );
    expect(items.map(({ json }) => json['enrolled'])).toEqual([true, false, false]);
  });
});
