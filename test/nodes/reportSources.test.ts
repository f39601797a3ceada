/** Subscription: Report Sources, against the report on the same subscriptions. */
import { createSourceReport, reportDimensions, type Cohort } from '@newsletter-kit/core/report';
import { describe, expect, it } from 'vitest';
import { workbench } from './workbench.ts';

const bench = workbench();

async function report(
  parameters: Readonly<Record<string, unknown>> = {},
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return (await bench.run('subscription', 'reportSources', parameters)).map(({ json }) => json);
}

/** The cohorts of the subscriptions that Get Many returns. */
async function cohorts(minimum: number, expand: readonly string[] = []) {
  const all = await bench.run('subscription', 'getMany', { returnAll: true, output: 'raw', options: { expand } });
  const sources = createSourceReport({ at: bench.sandbox.clock.now() / 1000, minimum });
  for (const { json } of all) sources.add(json);
  return sources.result().cohorts;
}

const round = (share: number | undefined) => (share === undefined ? null : expect.closeTo(share, 4));

const figures = ({ kind, name, values, signedUp, confirmed, stillThere }: Cohort) => ({
  name,
  kind,
  values,
  signed_up: signedUp,
  confirmed_share: round(confirmed?.share),
  still_there_share: round(stillThere?.share),
  still_there_low: round(stillThere?.low),
  still_there_high: round(stillThere?.high),
});

describe('the items', () => {
  it.each(reportDimensions)('are the cohorts by %s', async (by) => {
    const expected = (await cohorts(5))[by].map((cohort) => expect.objectContaining({ by, ...figures(cohort) }));
    expect(await report({ by, options: { minimum: 5 } })).toEqual(expected);
  });

  it('are by source of twenty people, without opens and clicks, by default', async () => {
    const items = await report();
    // Three pages of a hundred, each read once.
    expect(bench.requests('subscriptions.list')).toHaveLength(3);
    expect(items).toEqual(
      (await cohorts(20)).source.map((cohort) => expect.objectContaining({ by: 'source', ...figures(cohort) })),
    );
    for (const item of items) {
      expect(Object.keys(item)).not.toContain('opens');
      expect(Number(item['confirmed']) / Number(item['signed_up'])).toBeCloseTo(Number(item['confirmed_share']), 3);
    }
  });

  it('have opens and clicks with the option', async () => {
    const [expected] = (await cohorts(20, ['stats'])).source;
    expect((await report({ options: { includeStats: true } }))[0]).toMatchObject({
      opens: round(expected?.opens?.rate),
      clicks: round(expected?.clicks?.rate),
    });
  });

  it('have no figure of fewer people than the minimum', async () => {
    const [item, ...others] = await report({ options: { minimum: 1000 } });
    expect(item).toMatchObject({ kind: 'small', still_there: null, still_there_share: null, confirmed: null });
    expect(others.map(({ kind }) => kind)).toEqual(['none']);
  });
});

it('is a tool of an agent, with the choice in its words', async () => {
  const [item] = await bench.run('subscription', 'reportSources', { by: 'Referring site' }, { tool: true });
  expect(item?.json).toMatchObject({ by: 'referring_site' });
});

it.each([
  [{ by: 'country' }, '"By" must be one of'],
  [{ options: { minimum: 0 } }, '"Minimum People" must be a number from 1'],
])('rejects %j before any request', async (parameters, message) => {
  await expect(report(parameters)).rejects.toMatchObject({ message: expect.stringContaining(message) });
  expect(bench.sandbox.requests()).toEqual([]);
});
