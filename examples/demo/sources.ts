/**
 * The report on sources of a made-up publication: a sandbox of its own, in which people sign up for 60 days and some
 * leave, while its clock runs on for 90 days more and a watch keeps the history of who left when.
 */
import { createClient, createFetchHost } from '@newsletter-kit/core';
import { createHistory, createSourceReport, historyEvents } from '@newsletter-kit/core/report';
import { watchSubscriptions } from '@newsletter-kit/core/watch';
import { apiKeys, createSandbox, publicationId } from '@newsletter-kit/sandbox';
import { renderSourceReport } from '../../packages/cli/src/commands/report/html.ts';

/** Where people come from. */
interface Source {
  readonly utm_source: string;
  readonly utm_medium?: string;
  readonly utm_campaign?: string;
  readonly referring_site?: string;
  /** Signups a day; a giveaway brings them all within a week. */
  readonly aDay: number;
  readonly isGiveaway?: boolean;
  /** The share of its readers who leave within a month. */
  readonly leaving: number;
}

const sources: readonly Source[] = [
  { utm_source: 'friend', utm_medium: 'referral', aDay: 2, leaving: 0.02 },
  { utm_source: 'podcast', utm_medium: 'audio', utm_campaign: 'episode 42', aDay: 1.5, leaving: 0.04 },
  { utm_source: 'blog', utm_medium: 'organic', referring_site: 'https://blog.example', aDay: 3, leaving: 0.07 },
  { utm_source: '', referring_site: 'https://search.example', aDay: 2, leaving: 0.08 },
  { utm_source: 'social', utm_medium: 'social', utm_campaign: 'spring', aDay: 1.5, leaving: 0.15 },
  { utm_source: 'search', utm_medium: 'cpc', utm_campaign: 'harbour news', aDay: 3, leaving: 0.28 },
  { utm_source: 'giveaway', utm_medium: 'paid', utm_campaign: 'win a boat', aDay: 25, isGiveaway: true, leaving: 0.5 },
];

const signupDays = 60;
const allDays = signupDays + 90;

/** Renders the report of that publication, 90 days after the last signup. */
export async function renderSources(): Promise<string> {
  const sandbox = createSandbox({ seed: 'empty', profile: 'unlimited', now: () => Date.UTC(2026, 2, 2, 8) });
  try {
    const host = { ...createFetchHost({ fetch: sandbox.fetch }), now: () => sandbox.clock.now() };
    const client = createClient({ baseUrl: 'http://sandbox.test/v2', token: apiKeys.workspace, publicationId, host });
    const watch = watchSubscriptions({ engine: client.engine, events: historyEvents, pages: 100 });
    const history = createHistory({ of: publicationId });
    const readers: { readonly id: string; readonly leaving: number }[] = [];
    const random = sequence();

    for (let day = 0; day < allDays; day++) {
      for (const { aDay, isGiveaway = false, leaving, ...origin } of day < signupDays ? sources : []) {
        const expected = isGiveaway && (day < 21 || day > 27) ? 0 : aDay;
        for (let count = expected - random(); count > 0; count--) {
          const email = `reader${readers.length}@example.com`;
          const { data } = await client.subscriptions.create({ email, ...origin, double_opt_override: 'off' });
          readers.push({ id: data.id, leaving });
        }
      }
      sandbox.clock.advance('P1D');
      history.record(await watch.poll(), host.now());
      const leavers = readers.filter(({ leaving }) => random() < leaving / 30).map(({ id }) => id);
      if (leavers.length > 0)
        await client.subscriptions.updateStatus({ subscription_ids: leavers, new_status: 'inactive' });
    }

    const report = createSourceReport({ at: host.now() / 1000, history });
    for await (const each of client.subscriptions.list({ limit: 100 })) report.add(each);
    return renderSourceReport(report.result(), { title: 'The Harbour Letter' });
  } finally {
    sandbox.close();
  }
}

/** Numbers from 0 to 1, the same each time. */
function sequence(): () => number {
  let state = 39;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
