/** The operation Check CRM Answers: refusals are named, counted and summed up. */
import { describe, expect, it } from 'vitest';
import { crmFaults } from '../../packages/core/test/sync/crm-faults.ts';
import type { Item } from './bundle.ts';
import { executeContext, type Run } from './context.ts';
import { workbench } from './workbench.ts';

const bench = workbench();

async function check(items: Run['items'] & object, parameters: Run['parameters'] = {}, more: Partial<Run> = {}) {
  const context = executeContext({
    sandbox: bench.sandbox,
    items,
    ...more,
    parameters: { operation: 'checkAnswers', ...parameters },
  });
  const [refused = [], [summary] = []]: readonly (readonly Item[])[] = await bench.bundle.sync.execute.call(context);
  return { refused: refused.map(({ json }) => json), summary: summary?.json ?? {} };
}

const row = { id: 7, email: 'ada@example.com' };

/** What an answer means is core's to say: here refusals of a named contact, of a part of a batch, and with headers. */
const faults = [
  crmFaults.find(({ contacts }) => contacts !== undefined),
  crmFaults.find(({ accepted = 0 }) => accepted > 0),
  crmFaults.find(({ headers }) => headers !== undefined),
].flatMap((fault) => fault ?? []);

it.each(faults)('names what $vendor refuses: $fault', async (fault) => {
  const { status: statusCode, headers = {}, body, accepted = 0, reason, words, contacts = [null] } = fault;
  const { refused, summary } = await check([{ statusCode, headers, body }, row], { handedOver: 10 });
  expect(refused.map(({ contact }) => contact)).toEqual(contacts);
  const message = expect.stringContaining(words);
  expect(refused[0]).toMatchObject({ status: statusCode, message, remedy: expect.stringMatching(/\.$/), reason });
  expect(summary).toMatchObject({ handedOver: 10, written: accepted + 1, refused: 9 - accepted });
  expect(summary['summary']).toMatch(/^The CRM took \d+ of 10 changes, and refused \d+: .+ they are planned again/);
});

describe('the summary', () => {
  it('is the first key, and one sentence where everything was taken', async () => {
    const { refused, summary } = await check([row, row, {}], { handedOver: 2 });
    expect(refused).toEqual([]);
    expect(Object.keys(summary)[0]).toBe('summary');
    expect(summary).toEqual({
      summary: 'The CRM took all of 2 changes.',
      handedOver: 2,
      written: 2,
      refused: 0,
      reasons: {},
      notBefore: null,
    });
  });

  it('groups the words of the CRM, and shows no address', async () => {
    const error = 'ada@example.org: duplicate key value violates unique constraint';
    const { refused, summary } = await check([{ error }, { error }, { error: 'Request failed with status code 423' }]);
    expect(refused[0]).toMatchObject({ message: error });
    expect(summary).toMatchObject({
      summary:
        'The CRM took 0 changes, and refused 3: 2 times “[address]: duplicate key value violates unique constraint”; “Request failed with status code 423” (423). Within two runs they are planned again.',
      reasons: { value: 2, busy: 1 },
    });
  });

  it('says how long the CRM asks to wait', async () => {
    const { refused, summary } = await check([{ statusCode: 429, headers: { 'retry-after': '60' }, body: {} }]);
    expect(summary['notBefore']).toBe(refused[0]?.['notBefore']);
    expect(Date.parse(String(summary['notBefore']))).toBeGreaterThan(Date.now());
    expect(summary['summary']).toContain(`the CRM asks to wait until ${String(summary['notBefore'])}.`);
  });

  it('notices contacts without any answer', async () => {
    const { refused, summary } = await check([row], { handedOver: 3 });
    expect(refused).toEqual([
      expect.objectContaining({ reason: 'unanswered', message: 'The CRM gave no answer for 2 of 3 contacts.' }),
    ]);
    expect(summary).toMatchObject({ written: 1, refused: 2 });
  });
});

describe('the contact of a refusal', () => {
  it('is the one that the CRM names, else the one of the parameter', async () => {
    const named = { id: '003', success: false, errors: [{ statusCode: 'UNABLE_TO_LOCK_ROW', message: 'locked' }] };
    const { refused } = await check([named, { error: 'refused' }], { contact: (index: number) => `contact ${index}` });
    expect(refused.map(({ contact }) => contact)).toEqual(['003', 'contact 1']);
  });

  it('is the one at its position in a batch', async () => {
    const body = '[{"id":"003","success":true},{"success":false,"errors":[{"message":"too long"}]}]';
    const answers = [{ statusCode: 200, headers: {}, body }, { error: 'refused' }];
    const { refused } = await check(answers, { contact: () => ['first', 'second'] });
    // A refusal of the whole call is nobody's alone.
    expect(refused.map(({ contact }) => contact)).toEqual(['second', null]);
  });

  it('is left out where the expression finds no item', async () => {
    const contact = (): never => {
      throw new Error('Paired item data is unavailable');
    };
    const { refused } = await check([{ error: 'refused' }], { contact });
    expect(refused).toEqual([expect.objectContaining({ contact: null })]);
  });
});

it('reads the error that a node puts beside its item', async () => {
  const error = Object.assign(new Error('Bad request - please check your parameters'), {
    httpCode: '422',
    description: 'Unknown field name',
  });
  const { refused } = await check([], {}, { input: [{ json: row, error }] as Run['input'] & object });
  expect(refused).toEqual([
    expect.objectContaining({ status: 422, message: expect.stringMatching(/^Unknown field name – /) }),
  ]);
});

it('needs no credential and shows no parameter of the sync', () => {
  const { credentials, properties } = bench.bundle.sync.description as unknown as {
    readonly credentials: readonly Shown[];
    readonly properties: readonly (Shown & { readonly name: string })[];
  };
  interface Shown {
    readonly displayOptions?: { readonly hide?: Readonly<Record<string, readonly unknown[]>> };
  }
  const isHidden = ({ displayOptions }: Shown): boolean =>
    displayOptions?.hide?.['operation']?.includes('checkAnswers') ?? false;
  expect(credentials.filter((each) => !isHidden(each))).toEqual([]);
  const shown = properties.filter((each) => !isHidden(each));
  expect(shown.map(({ name }) => name)).toEqual(['operation', 'answersNotice', 'handedOver', 'contact']);
});
