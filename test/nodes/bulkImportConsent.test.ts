/**
 * Bulk Import leaves out whoever has left by the words of the items, and says beforehand what it will do. Which words
 * mean that is core's (packages/core/test/import/consent.test.ts).
 */
import { createHash } from 'node:crypto';
import { leftByText, type ValueMeanings } from '@newsletter-kit/core/import';
import { createSandbox, type Sandbox } from '@newsletter-kit/sandbox';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { workbench } from './workbench.ts';

type Json = Readonly<Record<string, unknown>>;

const bench = workbench();
/** Another newsletter, without subscriptions. */
let empty: Sandbox;
beforeEach(() => {
  empty = createSandbox({ seed: 'empty' });
});
afterEach(() => empty.close());

const importOf = (items: readonly Json[], options: Json = {}, more: object = {}) =>
  bench.run('subscription', 'bulkImport', { options }, { items, sandbox: empty, ...more });

/** Status and reason of each item. */
const outcomes = async (...of: Parameters<typeof importOf>) =>
  (await importOf(...of)).map(({ json }) => [json['import_status'], json['reason']]);

const statuses = async (...of: Parameters<typeof importOf>) => (await outcomes(...of)).map(([status]) => status);

/** Map Each Column Manually, with the address of this input field. */
const manually = (column: string) => ({
  stored: {
    mapping: 'defineBelow',
    email: `={{ $json[${JSON.stringify(column)}] }}`,
    customFields: { mappingMode: 'defineBelow', value: {} },
    additionalFields: {},
  },
});

/** Addresses of the new publication, by status. */
async function people(): Promise<Readonly<Record<string, readonly string[]>>> {
  empty.clock.advance(3_600_000);
  const items = await bench.run('subscription', 'getMany', { returnAll: true }, { sandbox: empty });
  const found: Record<string, string[]> = {};
  for (const { json } of items) (found[String(json['status'])] ??= []).push(String(json['email']));
  return found;
}

/** The option "Fields That Tell Who Left". */
const told = (answers: Readonly<Record<string, ValueMeanings>>): Json => ({
  leftBy: Object.entries(answers)
    .map(([column, values]) => leftByText(column, values))
    .join('\n'),
});

/** What the input field `status` says in the items of these tests. */
const status = { active: 'subscribed', pending: 'unconfirmed', paused: 'left', true: 'subscribed' } as const;
const answered = told({ status });

const named = (...names: readonly string[]): readonly Json[] =>
  names.map((name) => ({ email: `${name}@example.com`, status: 'active' }));

it.each([
  ['simplified', {}],
  // The fields that are selected are no export that is known.
  ['selected', { fields: ['email', 'status'] }],
])('brings in nobody who has left in what Get Many gives: %s', async (output, more) => {
  const expand = ['custom_fields', 'newsletter_lists', 'referrals', 'stats', 'tags'];
  const parameters = { returnAll: true, output, ...more, options: { expand } };
  const given = (await bench.run('subscription', 'getMany', parameters)).map(({ json }) => json);
  const active = given.filter((each) => each['status'] === 'active').map(({ email }) => String(email));
  const hints: { message: string }[] = [];
  for (const way of [{}, manually('email')]) {
    await importOf(given, { ...(output === 'selected' && answered), allowLargeImport: true }, { hints, ...way });
    expect(Object.entries(await people()).map(([at, all]) => [at, all.toSorted()])).toEqual([
      ['active', active.toSorted()],
    ]);
  }
  const service = output === 'simplified' ? ', as in exports of Newsletter Kit' : '';
  expect(hints[0]?.message).toContain(`of people who have left`);
  expect(hints[0]?.message).toContain(`Who gets emails was read from "status"${service}.`);
  expect(JSON.stringify(hints)).not.toContain('No parameter of the operation');
});

describe('an input field by which people may leave', () => {
  const items = [
    { email: 'ada@example.com', Lage: 'da', Land: 'DE' },
    { email: 'bo@example.com', Lage: 'da', Land: 'DE' },
    { email: 'cy@example.com', Lage: 'Abgemeldet', Land: 'FR' },
    { email: 'di@example.com', Lage: '', Land: 'FR' },
  ];

  it('is asked for with the values to paste, in every mapping and before the first request', async () => {
    for (const way of [{}, manually('email')])
      await expect(importOf(items, {}, way)).rejects.toMatchObject({
        message:
          'Does anybody leave by column "Lage" (da 2, Abgemeldet 1, blank 1); "Land" (DE 2, FR 2)? Say so for each',
        description: expect.stringMatching(
          /"Fields That Tell Who Left".*`Lage: da = \?, Abgemeldet = left, \(blank\) = \?; Land: DE = \?, FR = \?`.*"Fields Without Such a Meaning" instead: `Land`\. Nothing was sent\.$/,
        ),
      });
    const output = await importOf(items, {}, { onError: 'continueRegularOutput' });
    expect(output.map(({ json }) => json['error'])).toEqual(items.map(() => expect.stringMatching(/^Does anybody/)));
    expect(empty.requests()).toEqual([]);
  });

  it('says what the answer says; a value that it does not name is rejected', async () => {
    const answers = { ...told({ Lage: { da: 'subscribed', Abgemeldet: 'left' } }), nobodyLeftBy: 'Land' };
    expect(await outcomes(items, answers)).toEqual([
      ['accepted', null],
      ['accepted', null],
      ['left', 'Column "Lage" says "Abgemeldet"'],
      ['rejected', 'Column "Lage" is blank'],
    ]);
  });

  it.each([new Date('2026-01-02'), 1, '2026-01-02', true])('can hold %j', async (unsubscribed) => {
    const left = told({ unsubscribed: { '(filled)': 'left', '(blank)': 'subscribed' } });
    const gone = { email: 'ada@example.com', unsubscribed };
    expect(await statuses([gone, { email: 'bo@example.com' }], left)).toEqual(['left', 'accepted']);
  });

  it('is a time where it holds dates that some items lack', async () => {
    const dates = [1, 2, 3, 4].map((day) => ({ email: `r${day}@example.com`, end: new Date(Date.UTC(2026, 0, day)) }));
    await expect(importOf([...dates, { email: 'ed@example.com' }])).rejects.toThrow('by column "end"');
    expect(await statuses(dates)).toEqual(dates.map(() => 'accepted'));
  });

  it('with an answer that can not be read stops the import with what to write', async () => {
    await expect(importOf(items, { leftBy: 'Lage: Abgemeldet = weg' })).rejects.toMatchObject({
      message: expect.stringContaining('Say what "Abgemeldet" in column "Lage" means'),
      description: expect.stringMatching(/^Correct "Fields That Tell Who Left".*Nothing was sent\.$/),
    });
  });
});

describe('a person', () => {
  it('of whom any item says that they left stays out, in every order, spelling and mapping', async () => {
    const said = fc.record({
      person: fc.nat(4),
      spelling: fc.nat(2),
      word: fc.constantFrom('active', 'unsubscribed', 'Bounced', 'complained', '', 'pending', true),
    });
    const spell = (person: number, spelling: number): string =>
      [`reader${person}@example.com`, `READER${person}@Example.com`, ` reader${person}@EXAMPLE.com `][spelling] ?? '';
    await fc.assert(
      fc.asyncProperty(fc.array(said, { minLength: 1, maxLength: 12 }), fc.boolean(), async (all, isManual) => {
        const sandbox = createSandbox({ seed: 'empty' });
        const column = isManual ? 'who' : 'email';
        const items = all.map(({ person, spelling, word }) => ({ [column]: spell(person, spelling), status: word }));
        const given = await outcomes(
          items,
          { ...answered, nobodyLeftBy: 'who' },
          { ...(isManual && manually('who')), sandbox },
        );
        sandbox.close();
        for (const [index, { person, word }] of all.entries()) {
          const leaves = ({ word: any }: { word: unknown }) => /^(?:unsub|bounced|compl)/i.test(String(any));
          const hasLeft = all.findIndex((each) => each.person === person && leaves(each));
          const [status, reason] = given[index] ?? [];
          if (leaves({ word })) expect([status, reason]).toEqual(['left', `Column "status" says "${String(word)}"`]);
          else if (hasLeft >= 0)
            expect([status, reason]).toEqual(['left', `Item ${hasLeft + 1} says that this person has left`]);
          else if (word === 'pending') expect(status).toBe('unconfirmed');
          else if (word === '') expect(status).toBe('rejected');
          else expect(['accepted', 'duplicate']).toContain(status);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('who never confirmed is asked again only where the option says so', async () => {
    const items = [
      { email: 'ada@example.com', status: 'pending' },
      { email: 'bo@example.com', status: 'bounced' },
    ];
    expect(await statuses(items, answered)).toEqual(['unconfirmed', 'left']);
    const failed = await importOf(items, answered, { onError: 'continueErrorOutput' });
    expect(failed.map(({ json }) => json)).toEqual([
      { error: 'This person never confirmed, and stays out. Column "status" says "pending"' },
      { error: 'This person has left, and stays out. Column "status" says "bounced"' },
    ]);
    expect(await statuses(items, { ...answered, unconfirmed: 'confirm' })).toEqual(['accepted', 'left']);
    expect(await people()).toEqual({ pending: ['ada@example.com'] });
  });
});

it('stops the import before the first request where two files were put into one', async () => {
  const items = [
    { email: 'ada@example.com', name: 'Ada' },
    { email: 'E-Mail', name: 'status' },
    { email: 'bo@example.com', name: 'unsubscribed' },
  ];
  for (const way of [{}, manually('email')])
    await expect(importOf(items, {}, way)).rejects.toThrow(/^Item 2 names columns.*two files were put into one/);
  expect(empty.requests()).toEqual([]);
  expect(await statuses([items[0]!, { email: 'email', name: 'name' }])).toEqual(['accepted', 'rejected']);
});

describe('Keep Out', () => {
  const items = named('ada', 'bo', 'cy', 'di').map(({ email }) => ({ email }));
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const [ada, bo] = ['ada@example.com', 'bo@example.com'];

  it.each([
    ['a text', 'ADA@example.com, bo@example.com;\nnobody@example.com'],
    ['a list', [ada, ' Bo@Example.com ', '']],
    ['hashes', [hash(ada), hash(bo).toUpperCase()]],
    ['a file of the relay', `sha256\n${hash(ada)}\n${hash(bo)}\n`],
    ['items with addresses', [{ 'E-Mail': ada }, { json: { email: bo, name: 'Bo' } }]],
    ['items with an empty address beside the address', [{ email: '', 'E-Mail': ada }, { email: bo }]],
    ['items with hashes', [{ hash: hash(ada) }, { sha256: hash(bo) }, {}]],
    [
      'items with a status',
      items.map((item, at) => ({ ...item, status: ['paused', 'bounced', 'active', 'pending'][at] })),
    ],
  ])('takes %s', async (_, keepOut) => {
    const left = ['left', '"Keep Out" says that this person stays out'];
    const stays = ['accepted', null];
    expect(await outcomes(items, { keepOut, ...answered })).toEqual([left, left, stays, stays]);
  });

  it.each(['', [], [{}]])('keeps out nobody by %j', async (keepOut) => {
    expect(await statuses(items, { keepOut, ...answered })).toEqual(items.map(() => 'accepted'));
  });

  it.each([
    ['a name', 'ada@example.com Lovelace', 'Entry 2 of "Keep Out" is neither'],
    ['a number', [ada, 7], 'Entry 2 of "Keep Out" is neither'],
    ['an item without an address', [{ name: 'Lovelace' }], 'Entry 1 of "Keep Out" is neither'],
    ['a short hash', [hash(ada).slice(1)], 'Entry 1 of "Keep Out" is neither'],
    ['an expression that finds nothing', undefined, 'The expression of "Keep Out" found nothing'],
    [
      'a status that nobody has explained',
      items.map((item, at) => ({ ...item, status: at < 2 ? 'weg' : 'da' })),
      '"Keep Out": Does anybody leave by column "status" (weg 2, da 2)?',
    ],
  ])('stops the import before the first request at %s, without repeating it', async (_, keepOut, message) => {
    const refused = importOf(items, { keepOut });
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.not.toThrow(/Lovelace|[\da-f]{20}|@/);
    expect(empty.requests()).toEqual([]);
  });
});

it('Only Preview sends nothing, and counts what the import then does', async () => {
  await importOf(named('ada', 'gone'), answered);
  empty.clock.advance(60_000);
  const gone = { subscription: { mode: 'email', value: 'gone@example.com' }, new_status: 'inactive' };
  await bench.run('subscription', 'updateStatus', gone, { sandbox: empty });
  const items = [
    ...named('ada', 'bo', 'BO', 'gone'),
    { email: 'cy.example.com', status: 'active' },
    { email: 'di@example.com', status: 'unsubscribed' },
    { email: 'ed@example.com', status: 'pending' },
    { email: 'fay@example.com', status: '' },
    ...named('kim', 'lu'),
  ];
  const options = { ...answered, keepOut: 'kim@example.com', batchSize: 1 };
  const writes = () => empty.requests().filter(({ method }) => method !== 'GET').length;
  const before = writes();
  const preview = await importOf(items, { ...options, onlyPreview: true });
  expect(writes()).toBe(before);
  expect(preview.map(({ json }) => json)).toEqual([
    {
      items: 10,
      to_send: 4,
      new: 2,
      known: 1,
      stay_inactive: 1,
      left: 2,
      unconfirmed: 1,
      duplicates: 1,
      rejected: 2,
      left_out: {
        left: [
          { item: 6, email: 'di@example.com', reason: 'Column "status" says "unsubscribed"' },
          { item: 9, email: 'kim@example.com', reason: '"Keep Out" says that this person stays out' },
        ],
        unconfirmed: [{ item: 7, email: 'ed@example.com', reason: 'Column "status" says "pending"' }],
        duplicates: [{ item: 3, email: 'BO@example.com', reason: 'An earlier item has the same address: item 2' }],
        rejected: [
          { item: 5, email: 'cy.example.com', reason: expect.stringContaining('e-mail address') },
          { item: 8, email: 'fay@example.com', reason: 'Column "status" is blank' },
        ],
      },
      confirmation_emails: { least: 0, most: 2 },
      welcome_emails: { least: 0, most: 0 },
      automations: [],
      requests: 4,
      minutes: 1,
    },
  ]);
  const done = await statuses(items, options);
  const count = (status: string): number => done.filter((each) => each === status).length;
  expect(['accepted', 'left', 'unconfirmed', 'duplicate', 'rejected'].map(count)).toEqual([4, 2, 1, 1, 2]);
  expect(writes()).toBe(before + 4);
});

describe('an import that would change much of a publication', () => {
  const readers = (count: number) => named(...Array.from({ length: count }, (_, index) => `reader.${index}`));
  const bulks = () => bench.requests('subscriptions.bulkCreate').length;
  const run = (items: readonly Json[], options: Json = {}, more: object = {}) =>
    statuses(items, { ...answered, ...options }, { sandbox: bench.sandbox, ...more });

  it('fails before the first write, and names the option that allows it', async () => {
    await expect(run(readers(101))).rejects.toMatchObject({
      message: 'This import would change 101 subscriptions, and the publication has 300',
      description: expect.stringMatching(/"Only Preview".*"Allow Large Import".*Nothing was sent/s),
    });
    expect(bulks()).toBe(0);
    expect(await run(readers(101), { allowLargeImport: true })).toHaveLength(101);
    expect(bulks()).toBe(1);
  });

  it('counts only items that are sent', async () => {
    const keepOut = readers(2).map(({ email }) => email);
    const items = [...readers(101), ...readers(50), { email: 'gone@example.com', status: 'unsubscribed' }];
    expect((await run(items, { keepOut })).filter((each) => each === 'accepted')).toHaveLength(99);
  });

  it('asks no question of up to 100 items, of which others stay out, and of an empty publication', async () => {
    await run([...readers(100), { email: 'gone@example.com', status: 'unsubscribed' }]);
    expect(bench.requests('subscriptions.list')).toEqual([]);
    expect(await run(readers(200), {}, { sandbox: empty })).toHaveLength(200);
  });

  it('is not checked where the service does not say how many people there are', async () => {
    const hints: { message: string }[] = [];
    const fetch: typeof bench.sandbox.fetch = async (input, init) => {
      const response = await bench.sandbox.fetch(input, init);
      if (init?.method !== 'GET' || !String(input).includes('/subscriptions?')) return response;
      const { total_results: _, ...body } = (await response.json()) as Record<string, unknown>;
      return Response.json(body);
    };
    expect(await run(readers(101), {}, { hints, sandbox: { fetch } })).toHaveLength(101);
    expect(JSON.stringify(hints)).toContain('does not say how many subscriptions the publication has');
  });
});
