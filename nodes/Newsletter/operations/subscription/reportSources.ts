/**
 * Subscription: Report Sources, who is still there today by source, medium, campaign, referring site or week. It counts
 * page by page, so its memory grows with the different values and not with the subscriptions.
 */
import { pageLimit } from '@newsletter-kit/core/contract';
import { type Cohort, createSourceReport, type ReportDimension } from '@newsletter-kit/core/report';
import type { IDataObject } from 'n8n-workflow';
import { collection, number, select, toggle } from '../../parameters/properties.ts';
import { readFields, readParameter } from '../../parameters/read.ts';
import type { ItemOperation } from '../definition.ts';

const by = select({
  displayName: 'By',
  name: 'by',
  default: 'source',
  description: 'What to group the people by',
  options: [
    { name: 'Campaign', value: 'campaign' },
    { name: 'Medium', value: 'medium' },
    { name: 'Referring Site', value: 'referring_site' },
    { name: 'Source', value: 'source' },
    { name: 'Week', value: 'week', description: 'The week they signed up in, by its Monday in UTC' },
  ],
});

const includeStats = toggle({
  displayName: 'Include Opens and Clicks',
  name: 'includeStats',
  description: 'Whether to read the statistics of each subscription too, and return the means of their rates',
});

const minimum = number({
  displayName: 'Minimum People',
  name: 'minimum',
  typeOptions: { minValue: 1 },
  default: 20,
  description: 'Fewest people a share is returned of. Values with fewer people are summed.',
});

const options = [includeStats, minimum];

export const reportSources: ItemOperation = {
  name: 'Report Sources',
  description: 'Report how many people each source, campaign or week brought, and how many are still there today',
  action: 'Report sources of subscriptions',
  properties: [by, ...collection('options', 'Options', 'Add option', options)],
  async execute(context) {
    const { engine, call } = context;
    const dimension = (readParameter(context, by) ?? by.default) as ReportDimension;
    const chosen = readFields(context, 'options', options);
    const hasStats = chosen[includeStats.name] === true;
    const sources = createSourceReport({
      at: engine.host.now() / 1000,
      minimum: Number(chosen[minimum.name] ?? minimum.default),
    });
    const expand = hasStats ? (['stats'] as const) : [];
    const query = { limit: pageLimit.max, direction: 'asc', expand } as const;
    for await (const { items, leftOut } of engine.list('subscriptions.list', query, call).pages())
      for (const subscription of [...items, ...leftOut]) sources.add(subscription);
    return sources.result().cohorts[dimension].map((cohort) => toItem(dimension, cohort, hasStats));
  },
};

/** Flat, for tables, sheets and emails. A figure of too few people is null. */
function toItem(dimension: ReportDimension, cohort: Cohort, hasStats: boolean): IDataObject {
  const { kind, name, values, signedUp, confirmed, stillThere, opens, clicks } = cohort;
  return {
    by: dimension,
    name,
    kind,
    values,
    signed_up: signedUp,
    confirmed: confirmed && Math.round(confirmed.share * confirmed.of),
    confirmed_share: rounded(confirmed?.share),
    still_there: stillThere && Math.round(stillThere.share * stillThere.of),
    still_there_share: rounded(stillThere?.share),
    still_there_low: rounded(stillThere?.low),
    still_there_high: rounded(stillThere?.high),
    ...(hasStats && { opens: rounded(opens?.rate), clicks: rounded(clicks?.rate) }),
  };
}

function rounded(share: number | undefined): number | null {
  return share === undefined ? null : Math.round(share * 10_000) / 10_000;
}
