import {
  always,
  assumed,
  byClickId,
  direct,
  fromAd,
  fromSearch,
  fromSite,
  link,
  search,
  type History,
  type Sent,
  type Step,
} from './types.ts';

const site = 'https://example.com';
const blog = 'https://www.blog.test';
const x = { utm_source: 'x' };
const code = { referral_code: 'gBZbSVal1X' };
const last = { attribution: 'last' };

type Others = readonly [ga4: string, plausible: string, ghost: string];

const none: Others = [direct, 'Direct / None → Direct', 'Direct'];
const ofX: Others = ['x / (not set)', 'x', 'x / –'];
const asItIs: Others = ['x / (not set); the value as it is', 'x; the value as it is', 'x; the value as it is'];
const ofGoogle: Others = ['google / organic → Organic Search', 'Google → Organic Search', 'Google / search'];
const ofAd: Others = ['google / cpc → Paid Search', 'Google, (gclid) → Paid Search', 'Google / search'];

const road = (title: string, steps: readonly Step[], sent: readonly Sent[], [ga4, ...others]: Others): History => ({
  ...link(title, steps, sent),
  others: [assumed(ga4), ...others],
});

/** Loads a page, from another one. */
const visit = (load: string, from = ''): readonly Step[] => [{ load, from }];
/** Lands on a page of the site, and clicks on to the form. */
const clickOn = (landing: string, from = '', ...between: readonly Step[]): readonly Step[] => [
  { load: landing, from },
  ...between,
  { load: '/join', from: site + landing },
];
/** Comes from an Android app. */
const fromApp = (id: string, sent: readonly Sent[], plausible: string, ghost: string): History =>
  road(`From the app \`${id}\``, visit('/', `android-app://${id}/`), sent, [
    `${id} / referral → Referral`,
    plausible,
    ghost,
  ]);
const app = (id: string): string => `android-app://${id}`;

/** One click on, links that are damaged, apps, and values that say two things or none. */
export const roads: readonly History[] = [
  road(
    '`utm_source=x`, one click on',
    clickOn('/land?utm_source=x'),
    [{ attribution: x }, { attributes: last, attribution: x }],
    ofX,
  ),
  road('`ref=alpha`, one click on', clickOn('/?ref=alpha'), always({ utm_source: 'alpha' }), [
    direct,
    'alpha → Referral',
    'alpha / –',
  ]),
  road('`gclid`, one click on', clickOn('/?gclid=Cj0KC', search), fromAd('google', 'cpc'), ofAd),
  road('`utm_source=x`, two clicks on', clickOn('/two', `${site}/?utm_source=x`), always({}), ofX),
  road(
    '`utm_source=x`, then by a link of ours with `utm_source=footer`',
    visit('/join?utm_source=footer', `${site}/?utm_source=x`),
    [{ attribution: x }, { attributes: last, attribution: { utm_source: 'footer' } }],
    ['x / (not set)', 'x', 'footer; x as UTM'],
  ),
  road(
    '`utm_source=x` from `www.blog.test`, with consent, one click on',
    clickOn('/?utm_source=x', blog, 'grant'),
    [
      { attribution: { ...x, referring_site: blog } },
      { attributes: last, attribution: { ...x, referring_site: blog } },
    ],
    ofX,
  ),
  road('From a page of ours with a search: `/find?q=boats`', visit('/join', `${site}/find?q=boats`), always({}), none),
  road(
    '`utm_source=x` on blog.example.com, one click on to example.com',
    visit('/join', 'https://blog.example.com/?utm_source=x'),
    [
      { attribution: { referring_site: 'https://blog.example.com' } },
      { attributes: { 'same-site': 'blog.example.com' }, attribution: {} },
    ],
    ['x / (not set)', 'blog.example.com → Referral', 'blog.example.com / –'],
  ),
  road(
    '`utm_medium=email` from google.com, one click on',
    clickOn('/?utm_medium=email', search),
    always({ utm_medium: 'email' }),
    ['(not set) / email', 'Google → Organic Search', 'Direct'],
  ),
  road(
    'A second question mark: `?p=12?utm_source=x&utm_medium=y`',
    visit('/?p=12?utm_source=x&utm_medium=y'),
    always({ ...x, utm_medium: 'y' }),
    ['(not set) / y', 'Direct / None, medium y', 'Direct'],
  ),
  road('One that was encoded: `?p=12%3Futm_source=x`', visit('/?p=12%3Futm_source=x'), always(x), none),
  road('None: `/verify&utm_source=x`', visit('/verify&utm_source=x'), always(x), none),
  fromApp(
    'com.google.android.gm',
    fromSite(app('com.google.android.gm'), 'gmail', 'email'),
    'Gmail → Email*',
    'Gmail / email*',
  ),
  fromApp(
    'com.linkedin.android',
    fromSite(app('com.linkedin.android'), 'linkedin', 'social'),
    'LinkedIn → Organic Social',
    'LinkedIn / social',
  ),
  fromApp('com.Slack', fromSite(app('com.Slack'), 'slack', 'social'), 'com.slack → Referral*', 'com.slack / –*'),
  fromApp(
    'org.example.reader',
    always({ referring_site: app('org.example.reader') }),
    'org.example.reader → Referral*',
    'org.example.reader / –*',
  ),
  road(
    '`gad_source`, `gad_campaignid` without the `gclid`, from google.com',
    visit('/?gad_source=1&gad_campaignid=7', search),
    fromAd('google', 'cpc', search),
    ofGoogle,
  ),
  road('`gad_campaignid`, no referrer', visit('/?gad_campaignid=7'), fromAd('google', 'cpc'), none),
  road('`gad_source` without `click-ids`, from google.com', visit('/?gad_source=1', search), fromSearch, ofGoogle),
  road(
    'A name that looks like a code: `ref=TechCrunch`',
    visit('/?ref=TechCrunch'),
    [
      { attribution: { utm_source: 'TechCrunch', referral_code: 'TechCrunch' } },
      { attributes: { 'ref-is': 'source' }, attribution: { utm_source: 'TechCrunch' } },
      { attributes: { 'ref-is': 'code' }, attribution: { referral_code: 'TechCrunch' } },
    ],
    [direct, 'TechCrunch → Referral', 'TechCrunch / –'],
  ),
  road(
    'A code and a source: `ref=gBZbSVal1X&utm_source=x`',
    visit('/?ref=gBZbSVal1X&utm_source=x'),
    always({ ...x, ...code }),
    ['x / (not set)', 'x', 'gBZbSVal1X; x as UTM'],
  ),
  road(
    'A code and an ad: `ref=gBZbSVal1X&gclid=…`',
    visit('/?ref=gBZbSVal1X&gclid=Cj0KC'),
    [
      { attribution: { utm_source: 'gBZbSVal1X', ...code } },
      { attributes: byClickId, attribution: { utm_source: 'google', utm_medium: 'cpc', ...code } },
    ],
    ['google / cpc → Paid Search', 'gBZbSVal1X → Referral', 'gBZbSVal1X / –'],
  ),
  road(
    '`ref=alpha`, and `ref-is` is misspelt',
    visit('/?ref=alpha'),
    [{ attributes: { 'ref-is': 'sauce' }, attribution: {} }],
    [direct, 'alpha → Referral', 'alpha / –'],
  ),
  road(
    'A placeholder of Mailchimp: `*|CAMPAIGN|*`',
    visit('/?utm_source=x&utm_campaign=*|CAMPAIGN|*'),
    always(x),
    asItIs,
  ),
  road(
    'A placeholder in a value: `spring-[[ad.name]]`',
    visit('/?utm_source=x&utm_campaign=spring-[[ad.name]]'),
    always({ ...x, utm_campaign: 'spring' }),
    asItIs,
  ),
  road(
    'What Google Analytics writes for nothing: `(not provided)`',
    visit('/?utm_source=x&utm_term=(not+provided)'),
    always(x),
    asItIs,
  ),
  road(
    'No address and no telephone number: `acme@2024`, `0123456789`',
    visit('/?utm_source=x&utm_campaign=acme@2024&utm_content=0123456789'),
    always({ ...x, utm_campaign: 'acme@2024', utm_content: '0123456789' }),
    asItIs,
  ),
  road('`utm_id=42` alone, for a field', visit('/?utm_id=42'), [{ attribution: {}, details: { utm_id: '42' } }], none),
  road(
    '`gclid`, for a field, from google.com',
    visit('/?gclid=Cj0KC', search),
    [{ attribution: { referring_site: search }, details: { gclid: 'Cj0KC' } }],
    ofAd,
  ),
  road(
    '`gclid`, for a field; the next day directly',
    [...visit('/?gclid=Cj0KC'), 'grant', { days: 1 }, ...visit('/')],
    [{ attribution: {}, details: { gclid: 'Cj0KC' } }],
    ['google / cpc → Paid Search', ...([none[1], none[2]] as const)],
  ),
];
