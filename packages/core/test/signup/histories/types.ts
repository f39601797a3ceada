/** The rows of the table of visits, and words for what they have in common. */
import type { Attribution } from '../../../src/signup/index.ts';

/** What a visitor does. */
export type Step =
  /** Loads a page of the site: the path, and the address of the page that links there. */
  | { readonly load: string; readonly from?: string }
  /** The page changes its address by `history.pushState`. */
  | { readonly push: string }
  /** Returns by the browser's back button, or reloads the page. */
  | 'back'
  | 'reload'
  /** Answers the consent banner. A banner repeats the answer on every later page. */
  | 'grant'
  | 'refuse'
  | { readonly minutes: number }
  | { readonly days: number };

/** What Google Analytics shows: source and medium, and the channel after an arrow. */
export interface Shown {
  readonly text: string;
  /** Key of the source in {@link sources}; undefined where no published rule says so. */
  readonly by?: keyof typeof sources;
}

/** What the tag sends with these attributes. */
export interface Sent {
  readonly attributes?: Readonly<Record<string, string>>;
  readonly attribution: Attribution;
  /** Parameters that custom fields take, besides `utm_id` and `utm_source_platform`. */
  readonly details?: Readonly<Record<string, string>>;
}

/** A link, or a few visits, and what the tag sends. */
export interface Link {
  readonly title: string;
  readonly steps: readonly Step[];
  /** Without attributes, then with them. */
  readonly sent: readonly Sent[];
}

/** Visits, and what other tools make of them. */
export interface History extends Link {
  /** Plausible's source and channel, Ghost's source and medium; a star where no published rule says so. */
  readonly others: readonly [ga4: Shown, plausible: string, ghost: string];
}

const google = 'https://support.google.com/analytics/answer';

/** Where the rules of Google Analytics are published: a name, and its address where it has a lasting one. */
export const sources = {
  autoTagging: ['Google: traffic sources', `${google}/11242870`],
  channels: ['Google: default channel group', `${google}/9756891`],
  direct: ['Google: how sources are found', `${google}/11242841`],
  unwanted: ['Google: unwanted referrals', `${google}/10327750`],
  clickIds: ['Google: click ids and consent', `${google}/15593651`],
  merchant: ['Google: Merchant Center', `${google}/11479699`],
  lastNonDirect: ['Search Engine Land: GA4 attribution', ''],
  assistants: ['elsop.com: GA4 AI Assistant', ''],
  pings: ['digitalanalysis.co: cookieless pings', ''],
  newsletters: ['missinglinkz.io: beehiiv, Bing', ''],
  spa: ['webmasterid.com: single-page applications', ''],
} as const;

export const shown =
  (by: keyof typeof sources) =>
  (text: string): Shown => ({ text, by });
export const assumed = (text: string): Shown => ({ text });
export const direct = '(direct) / (none) → Direct';
export const ga4Direct = shown('direct')(direct);

export const search = 'https://www.google.com';
export const byClickId = { 'click-ids': '' };
export const byReferrer = { 'referrer-medium': '' };

/** Without attributes, and with `referrer-medium`. */
export const fromSite = (referring_site: string, utm_source: string, utm_medium: string): readonly Sent[] => [
  { attribution: { referring_site } },
  { attributes: byReferrer, attribution: { utm_source, utm_medium, referring_site } },
];

/** Without attributes, and with `click-ids`. */
export const fromAd = (utm_source: string, utm_medium: string, referring_site?: string): readonly Sent[] => {
  const site = referring_site ? { referring_site } : {};
  return [{ attribution: site }, { attributes: byClickId, attribution: { utm_source, utm_medium, ...site } }];
};

export const always = (attribution: Attribution): readonly Sent[] => [{ attribution }];
export const fromSearch = fromSite(search, 'google', 'organic');

export const link = (title: string, steps: readonly Step[], sent: readonly Sent[]): Link => ({ title, steps, sent });
