/**
 * Every operation under *On Error* and *Retry On Fail*: n8n runs the node again as a whole, and yet each item is
 * carried out once and says what the service has.
 */
import { describe, expect, it } from 'vitest';
import type { Item } from './bundle.ts';
import { clientOf } from './context.ts';
import { type NodeRun, onErrorSettings, runInEngine, type Settings } from './engine.ts';
import { changes, count, everyOperation, readings, type Subject, type Writing, writings } from './retryRows.ts';
import { workbench } from './workbench.ts';

const bench = workbench();
const client = () => clientOf(bench.sandbox);

/** Which items are wrong. */
const wrong = {
  first: (index: number) => index === 0,
  last: (index: number) => index === count - 1,
  all: () => true,
} as const;

interface Cell extends Settings {
  readonly wrong: keyof typeof wrong;
}

const cells: readonly Cell[] = onErrorSettings.flatMap((onError) =>
  [false, true].flatMap((retryOnFail) =>
    (Object.keys(wrong) as (keyof typeof wrong)[]).map((which) => ({ onError, retryOnFail, wrong: which })),
  ),
);
const cell = 'On Error $onError, Retry On Fail $retryOnFail, wrong $wrong';

const items = Array.from({ length: count }, (_, index) => ({ row: index }));

/** The parameters of the subjects, with those of wrong items replaced. */
function parametersOf({ broken }: Writing, subjects: readonly Subject[], isWrong: (index: number) => boolean) {
  const names = subjects.flatMap(({ parameters }) => Object.keys(parameters));
  const valueOf = (name: string) => (index: number) =>
    ({ ...subjects[index]?.parameters, ...(isWrong(index) && broken) })[name];
  return Object.fromEntries([...new Set(names)].map((name) => [name, valueOf(name)]));
}

/** Runs the operation. @param isWrong - by item and try, counted from 1 */
function run(
  row: Writing,
  subjects: readonly Subject[],
  settings: Settings,
  isWrong: (index: number, attempt: number) => boolean,
): Promise<NodeRun> {
  const { resource, operation } = row;
  return runInEngine(
    bench,
    {
      items,
      parametersOf: (attempt) => ({
        resource,
        operation,
        ...parametersOf(row, subjects, (index) => isWrong(index, attempt)),
      }),
    },
    settings,
  );
}

const last = (): number => bench.sandbox.requests().at(-1)?.n ?? 0;
const itemOf = ({ main, failed }: NodeRun, index: number): Item | undefined =>
  [...main, ...failed].find(({ pairedItem }) => pairedItem?.item === index);

it('names every operation', () => {
  const named = [...writings, ...readings].map(({ resource, operation }) => `${resource} ${operation}`);
  expect([...new Set(named)].toSorted()).toEqual(everyOperation.toSorted());
});

describe.each(writings)('$resource $operation of $what', (row) => {
  // Where a right item is among them, n8n does not run the node again for wrong ones.
  const untried = cells.filter((each) => !each.retryOnFail || each.wrong === 'all');
  it.each(untried)(`changes each right item once: ${cell}`, async ({ wrong: which, ...settings }) => {
    const subjects = await row.subjects(client());
    const since = last();
    const result = await run(row, subjects, settings, wrong[which]);
    const goesOn = settings.onError !== 'stopWorkflow' || row.reportsWrongItems;
    for (const [index, subject] of subjects.entries()) {
      const times = changes(bench.sandbox, row, subject, since);
      if (wrong[which](index)) expect(times).toBe(0);
      else if (goesOn) expect(times).toBe(1);
      else expect(times).toBeLessThanOrEqual(1);
    }
    if (!goesOn) {
      expect(result.error?.message).not.toMatch(/already|exists|409|not found/i);
      return;
    }
    expect(result.error).toBeUndefined();
    expect(result.tries).toBe(settings.retryOnFail && which === 'all' && !isReported(row, settings) ? 3 : 1);
    expect(result.hints.join()).not.toMatch(/did not apply(?!.*existed already)/);
    for (const [index, subject] of subjects.entries()) {
      const item = itemOf(result, index);
      if (!wrong[which](index)) expect(item?.json).toMatchObject(subject.says);
      else if (isReported(row, settings)) expect(item?.json).toMatchObject({ import_status: 'rejected' });
      else expect(item?.json).toMatchObject({ error: expect.stringMatching(/\S/) });
    }
    const failed = settings.onError === 'continueErrorOutput' ? result.failed : [];
    const rows = failed.map(({ json }) => json['row']);
    expect(rows).toEqual(
      settings.onError === 'continueErrorOutput' ? items.flatMap(({ row: n }) => (wrong[which](n) ? [n] : [])) : [],
    );
  });

  it.each(cells.filter(({ retryOnFail }) => retryOnFail))(
    `reports what its first try did where the second succeeds: ${cell}`,
    async ({ wrong: which, ...settings }) => {
      const subjects = await row.subjects(client());
      const since = last();
      const result = await run(row, subjects, settings, (index, attempt) => attempt === 1 && wrong[which](index));
      expect(result.error).toBeUndefined();
      const ranAgain = result.tries > 1;
      for (const [index, subject] of subjects.entries()) {
        const isWrong = wrong[which](index) && !ranAgain;
        expect(changes(bench.sandbox, row, subject, since)).toBe(isWrong ? 0 : 1);
        if (!isWrong) expect(itemOf(result, index)?.json).toMatchObject(subject.says);
      }
    },
  );
});

/** Whether wrong items are on the regular output like others. */
const isReported = ({ reportsWrongItems }: Writing, { onError }: Settings): boolean =>
  reportsWrongItems === true && onError !== 'continueErrorOutput';

describe.each(readings)('$resource $operation', ({ resource, operation, parameters }) => {
  it('returns each right item once, and each wrong one with its reason, in every cell', async () => {
    const right = { ...(await parameters?.(bench)) };
    const expected = (await bench.run(resource, operation, right)).map(({ json }) => json);
    for (const { wrong: which, ...settings } of cells) {
      const failing = (value: unknown) => (index: number) => {
        if (wrong[which](index)) throw new Error('The expression failed');
        return value;
      };
      const names = ['publicationId', 'output', ...Object.keys(right)];
      const given = Object.fromEntries(names.map((name) => [name, failing(right[name])]));
      const result = await runInEngine(
        bench,
        { items, parametersOf: () => ({ resource, operation, ...given }) },
        settings,
      );
      if (settings.onError === 'stopWorkflow') expect(result.error?.message).toBe('The expression failed');
      else {
        const all = [...result.main, ...result.failed];
        for (const { row } of items)
          expect(all.filter(({ pairedItem }) => pairedItem?.item === row).map(({ json }) => json)).toEqual(
            wrong[which](row) ? [expect.objectContaining({ error: 'The expression failed' })] : expected,
          );
      }
    }
  });
});

/** Answers to the operations of a try that fail although the sandbox carries the request out, or instead of it. */
interface Outage {
  readonly what: string;
  readonly operation: 'create' | 'createOrUpdate';
  /** Whether the answer to this request of the first try is lost. */
  loses(method: string, sent: number): boolean;
  readonly carriedOut: boolean;
  /** How many items are about the person; all of them fail at the first try. */
  readonly items: number;
}

const outages: readonly Outage[] = (['create', 'createOrUpdate'] as const).flatMap((operation): Outage[] => [
  {
    what: 'the reading after the creation',
    operation,
    loses: (method, sent) => method === 'GET' && sent > 0,
    carriedOut: true,
    items: 2,
  },
  { what: 'the answer to the creation', operation, loses: (method) => method === 'POST', carriedOut: true, items: 1 },
  { what: 'the creation', operation, loses: (method) => method === 'POST', carriedOut: false, items: 2 },
]);

describe.each(outages)(
  '$operation whose first try fails at $what',
  ({ operation, loses, carriedOut, items: people }) => {
    it.each(onErrorSettings)('says of the second try that the subscription was created: %s', async (onError) => {
      let attempt = 0;
      let sent = 0;
      const fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
        const { method = 'GET' } = init;
        const lost = attempt === 1 && !String(input).includes('custom_fields?') && loses(method, sent);
        const answer = lost && !carriedOut ? null : await bench.prompt.fetch(input, init);
        if (method === 'POST') sent += 1;
        return lost || answer === null ? refused() : answer;
      };
      const result = await runInEngine(
        bench,
        {
          sandbox: { fetch },
          items: Array.from({ length: people }, () => ({})),
          parametersOf(number) {
            attempt = number;
            return {
              resource: 'subscription',
              operation,
              // The second item is about the same person.
              email: (index: number) => ['nova@example.com', ' NOVA@example.com'][index],
              ifSubscribed: 'passOver',
              customFields: { mappingMode: 'defineBelow', value: { 'First Name': 'Nova' } },
              additionalFields: { send_welcome_email: true, utm_source: 'fair' },
            };
          },
        },
        { onError, retryOnFail: true },
      );
      expect(result.tries).toBe(2);
      const created = [...result.main, ...result.failed].map(({ json }) => json['error'] ?? json['outcome']);
      expect(created).toEqual(['created', 'unchanged'].slice(0, people));
      expect(result.main[0]?.json).toMatchObject({ ignored_fields: [], custom_fields: { 'First Name': 'Nova' } });
    });
  },
);

it.each(onErrorSettings)('an update whose job could not be read is not submitted again: %s', async (onError) => {
  let attempt = 0;
  let submitted = 0;
  const fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    if (new URL(String(input)).pathname.endsWith('/bulk_actions')) submitted += 1;
    const reads = String(input).includes('/bulk_subscription_updates/');
    return attempt === 1 && reads ? refused() : bench.prompt.fetch(input, init);
  };
  const result = await runInEngine(
    bench,
    {
      sandbox: { fetch },
      items: [{}],
      parametersOf(number) {
        attempt = number;
        return {
          resource: 'subscription',
          operation: 'update',
          subscription: { mode: 'email', value: 'ken@example.com' },
          updateFields: { tier: 'premium' },
        };
      },
    },
    { onError, retryOnFail: true },
  );
  expect(result.main.map(({ json }) => json['job_status'])).toEqual(['complete']);
  expect({ tries: result.tries, submitted }).toEqual({ tries: 2, submitted: 1 });
});

/** A refusal that the engine does not repeat by itself. */
const refused = (): Response =>
  Response.json(
    { status: 403, statusText: 'forbidden', errors: [{ message: 'Not now', code: 'NO' }] },
    { status: 403 },
  );

/** An answer of a service that is busy for a moment. */
const busy = (): Response =>
  Response.json(
    { status: 503, statusText: 'unavailable', errors: [{ message: 'Busy', code: 'BUSY' }] },
    { status: 503, headers: { 'retry-after': '3600' } },
  );

describe.each(writings.filter(({ operation }) => operation !== 'bulkImport'))(
  '$resource $operation of $what, where one item fails for a reason that passes',
  (row) => {
    it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
      'is tried again for that item alone: %s',
      async (onError) => {
        const subjects = await row.subjects(client());
        const since = last();
        let attempt = 0;
        const failing = row.together ? undefined : subjects.at(-1)?.mark;
        let writes = 0;
        const fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
          const isWrite = (init.method ?? 'GET') !== 'GET';
          const isAbout = failing !== undefined && `${String(input)} ${String(init.body)}`.includes(failing);
          if (isWrite && attempt === 1 && (isAbout || (failing === undefined && (writes += 1) === 1))) return busy();
          return bench.prompt.fetch(input, init);
        };
        const { resource, operation } = row;
        const result = await runInEngine(
          bench,
          {
            items,
            sandbox: { fetch },
            parametersOf: (number) => {
              attempt = number;
              return { resource, operation, ...parametersOf(row, subjects, () => false) };
            },
          },
          { onError, retryOnFail: true },
        );
        expect(result.tries).toBe(2);
        expect(result.failed).toEqual([]);
        expect(result.main.map(({ pairedItem }) => pairedItem?.item)).toEqual(items.map(({ row: n }) => n));
        for (const [index, subject] of subjects.entries()) {
          expect(changes(bench.sandbox, row, subject, since)).toBe(1);
          expect(itemOf(result, index)?.json).toMatchObject(subject.says);
        }
      },
    );
  },
);

it('keeps the order of the items where the last try fails too', async () => {
  const fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> =>
    String(init.body).includes('busy@') ? busy() : bench.prompt.fetch(input, init);
  const result = await runInEngine(
    bench,
    {
      items: [{}, {}, {}],
      sandbox: { fetch },
      parametersOf: () => ({
        resource: 'subscription',
        operation: 'createOrUpdate',
        email: (index: number) => ['ada@example.com', 'busy@example.com', 'cy@example.com'][index],
      }),
    },
    { onError: 'continueRegularOutput', retryOnFail: true },
  );
  expect(result.tries).toBe(3);
  expect(result.main.map(({ json }) => json['outcome'] ?? json['error'])).toEqual([
    'created',
    expect.stringContaining('Busy'),
    'created',
  ]);
});

it('does not submit the subscriptions of a job again whose end could not be read', async () => {
  let attempt = 0;
  const fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> =>
    attempt === 1 && String(input).includes('/bulk_subscription_updates/') ? busy() : bench.prompt.fetch(input, init);
  const result = await runInEngine(
    bench,
    {
      sandbox: { fetch },
      items: [{}, {}],
      parametersOf(number) {
        attempt = number;
        return {
          resource: 'subscription',
          operation: 'bulkUpdate',
          subscription: (index: number) => ({ value: ['ken@example.com', 'ada.lovelace@example.com'][index] }),
          updateFields: { tier: 'premium' },
        };
      },
    },
    { onError: 'continueRegularOutput', retryOnFail: true },
  );
  expect(result.main.map(({ json }) => json['job_status'])).toEqual(['complete', 'complete']);
  expect({ tries: result.tries, jobs: bench.requests('subscriptions.bulkUpdate').length }).toEqual({
    tries: 2,
    jobs: 1,
  });
});
