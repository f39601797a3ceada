/** Bulk Import leaves out whoever has left by the words of the items, and says beforehand what it will do. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { leftByText, type ValueMeanings } from '@newsletter-kit/core/import';
import { readCsv } from '@newsletter-kit/core/node';
import { createSandbox, type Sandbox } from '@newsletter-kit/sandbox';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exportFixtures } from '../support/exports.ts';
import { seeded } from '../support/seeded.ts';
import { workbench } from './workbench.ts';

type Json = Readonly<Record<string, unknown>>;

const bench = workbench();
/** Another newsletter, without subscriptions. */
let empty: Sandbox;
beforeEach(() => {
  empty = createSandbox({ seed: 'empty' });
});
afterEach(() => empty.close());

const disposable = (sandbox: Sandbox) => ({ sandbox, [Symbol.dispose]: () => sandbox.close() });

const importOf = (items: readonly Json[], options: Json = {}, more: object = {}) =>
  bench.run('subscription', 'bulkImport', { options }, { items, sandbox: empty, ...more });

/** Map Each Column Manually, with the address of this input field. */
const manually = (column: string) => ({
  stored: {
    mapping: 'defineBelow',
    email: `={{ $json[${JSON.stringify(column)}] }}`,
    customFields: { mappingMode: 'defineBelow', value: {} },
    additionalFields: {},
  },
});

const writes = () => empty.requests().filter(({ method }) => method !== 'GET');

/** Addresses of the new publication, by status. */
async function people(): Promise<Readonly<Record<string, readonly string[]>>> {
  empty.clock.advance(3_600_000);
  const items = await bench.run('subscription', 'getMany', { returnAll: true }, { sandbox: empty });
  const found: Record<string, string[]> = {};
  for (const { json } of items) (found[String(json['status'])] ??= []).push(String(json['email']));
  return found;
}

/** The option "Fields That Tell Who Left". */
const told = (answers: Readonly<Record<string, ValueMeanings>> = {}): Json => ({
  leftBy: Object.entries(answers)
    .map(([column, values]) => leftByText(column, values))
    .join('\n'),
});

/** What `status` says in the items of these tests. */
const status = {
  active: 'subscribed',
  subscribed: 'subscribed',
  pending: 'unconfirmed',
  unconfirmed: 'unconfirmed',
} as const;

/** The rows of a file as n8n's node Extract from File gives them. */
async function rowsOf({ text, leftBy }: (typeof exportFixtures)[number]): Promise<readonly Json[]> {
  const rows: Json[] = [];
  const source = await readCsv(Readable.from([Buffer.from(text)]), { leftBy });
  for await (const { original } of source.rows) rows.push(original as Json);
  return rows;
}

/** A reason of core as the node words it: in a file, the heading is row 1. */
const worded = (reason: string): string =>
  reason.replace(/^column/, 'Column').replace(/^row (\d+)/, (_, row: string) => `Item ${Number(row) - 1}`);

const byFileName = exportFixtures.filter(({ out }) => out.some(([, , reason]) => reason.startsWith('the name')));
const byColumns = exportFixtures.filter((fixture) => !byFileName.includes(fixture));
const statusOf = { left: 'left', unconfirmed: 'unconfirmed', unclear: 'rejected' } as const;

describe.each(byColumns)('an export of $service, $file', ({ stays, out, ...file }) => {
  it.each(['automatically', 'manually'])(
    'mapped %s: imports who stays and names the words of the others',
    async (way) => {
      const items = await rowsOf({ stays, out, ...file });
      const column = Object.keys(items[0] ?? {}).find((name) => String(items[0]?.[name]).includes('@')) ?? '';
      const output = await importOf(items, told(file.leftBy), way === 'manually' ? manually(column) : {});
      const results = output.map(({ json }) => [json['email'], json['status'], json['reason']]);
      expect(results.filter(([, status]) => status !== 'accepted' && status !== 'duplicate')).toEqual(
        out.map(([address, kind, reason]) => [address, statusOf[kind], worded(reason)]),
      );
      expect(results.flatMap(([address, status]) => (status === 'accepted' ? [address] : []))).toEqual([
        ...new Set(stays),
      ]);
      expect((await people())['active'] ?? []).toEqual([...new Set(stays)]);
    },
  );
});

describe('a file of people who left that only its name tells', () => {
  it.each(byFileName)('can be kept out: $file of $service', async (file) => {
    const left = (await rowsOf(file)).map((json) => Object.values(json).find((cell) => String(cell).includes('@')));
    const output = await importOf([{ email: 'Ada@example.com' }, { email: 'bo@example.com' }], { keepOut: left });
    expect(output.map(({ json }) => json['status'])).toEqual(
      file.text.includes('bo@') ? ['left', 'left'] : ['left', 'accepted'],
    );
  });
});

describe('what Get Many gives', () => {
  const include = ['custom_fields', 'newsletter_lists', 'subscription_premium_tiers', 'referrals', 'stats', 'tags'];

  it.each([
    ['simplified', {}],
    ['raw', {}],
    ['selected', { fields: ['email', 'status'] }],
  ])('brings in nobody who has left: %s', async (output, more) => {
    const given = (
      await bench.run('subscription', 'getMany', {
        returnAll: true,
        output,
        ...more,
        options: { expand: include },
      })
    ).map(({ json }) => json);
    const of = (...statuses: readonly string[]) =>
      given.filter(({ status }) => statuses.includes(String(status))).map(({ email }) => email);
    expect(of('inactive')).toHaveLength(32);
    // The fields that are selected are no export that is known.
    const answers = output === 'selected' ? { status: { ...status, paused: 'left' } as const } : {};
    const hints: { message: string }[] = [];
    for (const way of [{}, manually('email')]) {
      const results = await importOf(given, { ...told(answers), allowLargeImport: true }, { hints, ...way });
      expect(results.flatMap(({ json }) => (json['status'] === 'accepted' ? [json['email']] : []))).toEqual(
        of('active'),
      );
      const { active, ...others } = await people();
      expect(active?.toSorted()).toEqual(of('active').toSorted());
      expect(others).toEqual({});
    }
    const [hint = ''] = hints.map(({ message }) => message);
    expect(hint).toContain('of people who have left');
    expect(hint).toContain('Who gets emails was read from "status"');
    expect(hints.map(({ message }) => message).join('\n')).not.toContain('No field of a subscription');
  });
});

describe('an input field by which people may leave', () => {
  const items = [
    { email: 'ada@example.com', Lage: 'da', Land: 'DE', boats: true },
    { email: 'bo@example.com', Lage: 'da', Land: 'DE', boats: true },
    { email: 'cy@example.com', Lage: 'Abgemeldet', Land: 'FR', boats: false },
    { email: 'di@example.com', Lage: '', Land: 'FR', boats: false },
  ];
  const answers = { ...told({ Lage: { da: 'subscribed', Abgemeldet: 'left' } }), nobodyLeftBy: 'Land, boats' };

  it('is asked for with the values to paste, in every mapping and before the first request', async () => {
    for (const way of [{}, manually('email')])
      await expect(importOf(items, {}, way)).rejects.toMatchObject({
        message:
          'Does anybody leave by column "Lage" (da 2, Abgemeldet 1, blank 1); also "Land", "boats"? Say so for each',
        description:
          'Add "Fields That Tell Who Left" in Options, paste `Lage: da = ?, Abgemeldet = left, (blank) = ?`, and write left, subscribed or unconfirmed for each "?". A field by which nobody leaves belongs into "Fields Without Such a Meaning" instead. If nobody leaves by "Land" and "boats", add "Fields Without Such a Meaning" in Options, and paste `Land, boats`. Nothing was sent.',
      });
    expect(empty.requests()).toEqual([]);
  });

  it('is asked for at every item, where the node goes on after errors', async () => {
    const output = await importOf(items, {}, { onError: 'continueRegularOutput' });
    expect(output.map(({ json }) => String(json['error']))).toEqual(
      items.map(() => expect.stringContaining('Does anybody leave by')),
    );
  });

  it('says what the answer says; a value that it does not name is rejected', async () => {
    const results = (await importOf(items, answers)).map(({ json }) => [json['status'], json['reason']]);
    expect(results).toEqual([
      ['accepted', null],
      ['accepted', null],
      ['left', 'Column "Lage" says "Abgemeldet"'],
      ['rejected', 'Column "Lage" is blank'],
    ]);
  });

  it('stops no later run, however few items it has, and keeps out whose word is new', async () => {
    const random = seeded(59);
    const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!;
    for (let night = 0; night < 30; night += 1) {
      const later = Array.from({ length: 1 + Math.floor(random() * 20) }, (_, at) => ({
        email: `r${night}.${at}@example.com`,
        Lage: pick(['da', 'da', 'Abgemeldet', 'gesperrt', '']),
        Land: pick(['DE', 'FR', 'PT', null]),
        ...(random() < 0.5 && { boats: random() < 0.5 }),
      }));
      const statuses = (await importOf(later, answers)).map(({ json }) => json['status']);
      expect(statuses).toEqual(
        later.map(({ Lage }) => (Lage === 'da' ? 'accepted' : Lage === 'Abgemeldet' ? 'left' : 'rejected')),
      );
    }
  });

  it.each([
    ['a date', new Date('2026-01-02')],
    ['a number', 1],
    ['a text', '2026-01-02'],
    ['true', true],
  ])('can hold %s', async (_, unsubscribed) => {
    const left = told({ unsubscribed: { '(filled)': 'left', '(blank)': 'subscribed' } });
    const output = await importOf([{ email: 'ada@example.com', unsubscribed }, { email: 'bo@example.com' }], left);
    expect(output.map(({ json }) => json['status'])).toEqual(['left', 'accepted']);
  });

  it('is not overruled by an answer that names no value of it', async () => {
    const tags = [
      { email: 'ada@example.com', tags: ['vip', 'unsubscribed'] },
      { email: 'bo@example.com', tags: [] },
    ];
    const output = await importOf(tags, { nobodyLeftBy: 'tags' });
    expect(output.map(({ json }) => json['status'])).toEqual(['left', 'accepted']);
  });

  it('with an answer that can not be read stops the import with what to write', async () => {
    await expect(importOf(items, { leftBy: 'Lage: Abgemeldet = weg' })).rejects.toMatchObject({
      message: expect.stringContaining('Say what "Abgemeldet" in column "Lage" means'),
      description:
        'Correct "Fields That Tell Who Left" or "Fields Without Such a Meaning" in Options. Nothing was sent.',
    });
  });
});

describe('a person', () => {
  it('whom a later item calls gone stays out, by the address that the mapping gives', async () => {
    const items = [
      { who: 'ada@example.com', status: 'active' },
      { who: 'bo@example.com', status: 'active' },
      { who: 'ADA@example.com', status: 'unsubscribed' },
    ];
    for (const email of ['={{ $json.who }}', '={{ $json.who.trim() }}']) {
      const { stored } = manually('who');
      const output = await importOf(items, told({ status }), { stored: { ...stored, email } });
      expect(output.map(({ json }) => [json['status'], json['reason']])).toEqual([
        ['left', 'Item 3 says that this person has left'],
        ['accepted', null],
        ['left', 'Column "status" says "unsubscribed"'],
      ]);
    }
    expect((await people())['active']).toEqual(['bo@example.com']);
  });

  it('of whom any item says that they left stays out, in every order, spelling and mapping', async () => {
    const said = fc.record({
      person: fc.nat(4),
      spelling: fc.nat(2),
      word: fc.constantFrom('active', 'subscribed', 'unsubscribed', 'Bounced', 'complained', '', 'pending', true),
    });
    const spell = (person: number, spelling: number): string =>
      [`reader${person}@example.com`, `READER${person}@Example.com`, ` reader${person}@EXAMPLE.com `][spelling] ?? '';
    await fc.assert(
      fc.asyncProperty(fc.array(said, { minLength: 1, maxLength: 12 }), fc.boolean(), async (all, isManual) => {
        using world = disposable(createSandbox({ seed: 'empty' }));
        const items = all.map(({ person, spelling, word }) => ({ who: spell(person, spelling), status: word }));
        const options = told({ status: { ...status, true: 'subscribed' } });
        const more = isManual ? manually('who') : {};
        const given = isManual ? items : items.map(({ who, status }) => ({ email: who, status }));
        const output = await importOf(given, options, { ...more, sandbox: world.sandbox });
        for (const [index, { person, word }] of all.entries()) {
          const hasLeft = all.some(
            (each) => each.person === person && /^(?:unsub|bounced|compl)/i.test(String(each.word)),
          );
          const status = output[index]?.json['status'];
          if (hasLeft) expect(status).toBe('left');
          else if (word === 'pending') expect(status).toBe('unconfirmed');
          else if (word === '') expect(status).toBe('rejected');
          else expect(['accepted', 'duplicate']).toContain(status);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('who never confirmed is asked again only where the option says so', async () => {
    const items = [
      { email: 'ada@example.com', status: 'unconfirmed' },
      { email: 'bo@example.com', status: 'bounced' },
    ];
    const answers = told({ status });
    expect((await importOf(items, answers)).map(({ json }) => json['status'])).toEqual(['unconfirmed', 'left']);
    expect((await importOf(items, { ...answers, unconfirmed: 'confirm' })).map(({ json }) => json['status'])).toEqual([
      'accepted',
      'left',
    ]);
    expect(await people()).toEqual({ pending: ['ada@example.com'] });
  });

  it('who has left is returned at the error output with the reason, and what it means', async () => {
    const output = await importOf(
      [
        { email: 'ada@example.com', status: 'unsubscribed' },
        { email: 'bo@example.com', status: 'unconfirmed' },
      ],
      told({ status }),
      { onError: 'continueErrorOutput' },
    );
    expect(output.map(({ json }) => json)).toEqual([
      { error: 'This person has left, and stays out. Column "status" says "unsubscribed"' },
      { error: 'This person never confirmed, and stays out. Column "status" says "unconfirmed"' },
    ]);
  });
});

it('stops the import before the first request where two files were put into one', async () => {
  const items = [
    { email: 'ada@example.com', name: 'Ada' },
    { email: 'E-Mail', name: 'status' },
    { email: 'bo@example.com', name: 'unsubscribed' },
  ];
  for (const way of [{}, manually('email')])
    await expect(importOf(items, {}, way)).rejects.toMatchObject({
      message: expect.stringMatching(/^Item 2 names columns.*two files were put into one/),
    });
  expect(empty.requests()).toEqual([]);
  const [, again] = await importOf([items[0]!, { email: 'email', name: 'name' }]);
  expect(again?.json['status']).toBe('rejected');
});

describe('Keep Out', () => {
  const items = ['ada', 'bo', 'cy', 'di'].map((name) => ({ email: `${name}@example.com` }));
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const kept = async (keepOut: unknown) =>
    (await importOf(items, { keepOut, ...told({ status }) })).flatMap(({ json }, index) =>
      json['status'] === 'left' ? [[index, json['reason']]] : [],
    );
  const says = '"Keep Out" says that this person stays out';

  it.each([
    ['a text', 'ADA@example.com, bo@example.com;\nnobody@example.com'],
    ['a list', ['ada@example.com', ' Bo@Example.com ', '']],
    ['hashes', [hash('ada@example.com'), hash('bo@example.com').toUpperCase()]],
    ['a file of the relay', `sha256\n${hash('ada@example.com')}\n${hash('bo@example.com')}\n`],
    ['items with addresses', [{ 'E-Mail': 'ada@example.com' }, { json: { email: 'bo@example.com', name: 'Bo' } }]],
    ['items with hashes', [{ hash: hash('ada@example.com') }, { sha256: hash('bo@example.com') }, {}]],
    [
      'items with a status',
      [
        { email: 'ada@example.com', status: 'inactive' },
        { email: 'bo@example.com', status: 'invalid' },
        { email: 'cy@example.com', status: 'active' },
        { email: 'di@example.com', status: 'pending' },
      ],
    ],
  ])('takes %s', async (_, list) => {
    expect(await kept(list)).toEqual([
      [0, says],
      [1, says],
    ]);
  });

  it('takes what Get Many gives of another newsletter', async () => {
    const others = await bench.run('subscription', 'getMany', { returnAll: true });
    const emails = others.map(({ json }) => ({ email: json['email'] }));
    const output = await importOf(emails, { keepOut: others });
    expect(output.map(({ json }) => json['status'] === 'left')).toEqual(
      others.map(({ json }) => json['status'] === 'inactive' || json['status'] === 'invalid'),
    );
  });

  it.each([
    ['nothing', '', []],
    ['an empty list', [], []],
    ['the empty item of a list without results', [{}], []],
  ])('keeps out nobody by %s', async (_, list, out) => {
    expect(await kept(list)).toEqual(out);
  });

  it.each([
    ['a name', 'ada@example.com Lovelace', 'Entry 2 of "Keep Out" is neither'],
    ['a number', ['ada@example.com', 7], 'Entry 2 of "Keep Out" is neither'],
    ['an item without an address', [{ name: 'Lovelace' }], 'Entry 1 of "Keep Out" is neither'],
    ['a short hash', [hash('ada@example.com').slice(1)], 'Entry 1 of "Keep Out" is neither'],
    ['an expression that finds nothing', undefined, 'The expression of "Keep Out" found nothing'],
    [
      'a status that nobody has explained',
      ['ada', 'bo', 'cy', 'di'].map((name, at) => ({ email: `${name}@example.com`, status: at < 2 ? 'weg' : 'da' })),
      '"Keep Out": Does anybody leave by column "status" (weg 2, da 2)?',
    ],
  ])('stops the import before the first request at %s, without repeating it', async (_, keepOut, message) => {
    const refused = importOf(items, { keepOut });
    await expect(refused).rejects.toMatchObject({ message: expect.stringContaining(message) });
    await expect(refused).rejects.not.toMatchObject({ message: expect.stringMatching(/Lovelace|[\da-f]{20}|@/) });
    expect(empty.requests()).toEqual([]);
  });
});

describe('Only Preview', () => {
  it('sends nothing, and counts what the import then does', async () => {
    await importOf([{ email: 'ada@example.com' }, { email: 'gone@example.com' }]);
    empty.clock.advance(60_000);
    await bench.run(
      'subscription',
      'updateStatus',
      { subscription: { mode: 'email', value: 'gone@example.com' }, new_status: 'inactive' },
      { sandbox: empty },
    );
    const items = [
      { email: 'ada@example.com', status: 'active' },
      { email: 'bo@example.com', status: 'active' },
      { email: 'BO@example.com', status: 'active' },
      { email: 'gone@example.com', status: 'active' },
      { email: 'cy.example.com', status: 'active' },
      { email: 'di@example.com', status: 'unsubscribed' },
      { email: 'ed@example.com', status: 'pending' },
      { email: 'fay@example.com', status: '' },
      { email: 'kim@example.com', status: 'active' },
    ];
    const options = { ...told({ status }), keepOut: 'kim@example.com', batchSize: 1 };
    const before = writes().length;
    const preview = await importOf(items, { ...options, onlyPreview: true });
    expect(writes()).toHaveLength(before);
    expect(preview.map(({ json }) => json)).toEqual([
      {
        items: 9,
        to_send: 3,
        new: 1,
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
        confirmation_emails: { least: 0, most: 1 },
        welcome_emails: { least: 0, most: 0 },
        automations: [],
        requests: 3,
        minutes: 1,
      },
    ]);
    const statuses = (await importOf(items, options)).map(({ json }) => json['status']);
    const count = (status: string): number => statuses.filter((each) => each === status).length;
    expect(['accepted', 'left', 'unconfirmed', 'duplicate', 'rejected'].map(count)).toEqual([3, 2, 1, 1, 2]);
    expect(writes()).toHaveLength(before + 3);
  });
});

describe('an import that would change much of a publication', () => {
  const readers = (count: number): readonly Json[] =>
    Array.from({ length: count }, (_, index) => ({ email: `reader.${index}@example.com` }));
  const bulks = () => bench.requests('subscriptions.bulkCreate').length;
  const run = (items: readonly Json[], options: Json = {}, more: object = {}) =>
    importOf(items, options, { sandbox: bench.sandbox, ...more });

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
    expect(
      (
        await run(
          items.map((json) => ({ status: 'active', ...json })),
          { keepOut, ...told({ status }) },
        )
      ).filter(({ json }) => json['status'] === 'accepted'),
    ).toHaveLength(99);
  });

  it('asks no question of up to 100 items, and of a publication without people', async () => {
    await run(readers(100));
    expect(bench.requests('subscriptions.list')).toEqual([]);
    expect(await importOf(readers(200))).toHaveLength(200);
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
    expect(hints.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('does not say how many subscriptions the publication has'),
    );
  });
});
