import { always, assumed, byReferrer, direct, fromAd, search, shown, type History } from './types.ts';

/** Visits by tagged links, and visits one after the other. */
export const campaigns: readonly History[] = [
  {
    title: '`utm_source=google`, `utm_medium=cpc`',
    steps: [{ load: '/?utm_source=google&utm_medium=cpc' }],
    sent: always({ utm_source: 'google', utm_medium: 'cpc' }),
    others: [shown('channels')('google / cpc → Paid Search'), 'Google → Paid Search', 'Google / unknown'],
  },
  {
    title: '`utm_source=facebook`, `utm_medium=paid_social`',
    steps: [{ load: '/?utm_source=facebook&utm_medium=paid_social' }],
    sent: always({ utm_source: 'facebook', utm_medium: 'paid_social' }),
    others: [shown('channels')('facebook / paid_social → Paid Social'), 'Facebook → Paid Social', 'Facebook / social'],
  },
  {
    title: '`utm_source=news`, `utm_medium=newsletter`',
    steps: [{ load: '/?utm_source=news&utm_medium=newsletter' }],
    sent: always({ utm_source: 'news', utm_medium: 'newsletter' }),
    others: [shown('newsletters')('news / newsletter → Unassigned'), 'news → Email', 'news / newsletter'],
  },
  {
    title: '`utm_source=substack`, `utm_medium=email`',
    steps: [{ load: '/?utm_source=substack&utm_medium=email' }],
    sent: always({ utm_source: 'substack', utm_medium: 'email' }),
    others: [shown('channels')('substack / email → Email'), 'substack → Email', 'Substack / referral'],
  },
  {
    title: '`utm_medium=email` alone, from google.com',
    steps: [{ load: '/?utm_medium=email', from: `${search}/` }],
    sent: [
      { attribution: { utm_medium: 'email', referring_site: search } },
      { attributes: byReferrer, attribution: { utm_medium: 'email', referring_site: search } },
    ],
    others: [assumed('(not set) / email'), 'Google → Organic Search', 'Direct'],
  },
  {
    title: '`ref=alpha`',
    steps: [{ load: '/?ref=alpha' }],
    sent: [
      { attribution: { utm_source: 'alpha' } },
      { attributes: { 'ref-is': 'code' }, attribution: { referral_code: 'alpha' } },
    ],
    others: [assumed(direct), 'alpha → Referral', 'alpha / –'],
  },
  {
    title: '`ref=alpha`, and `utm_source=beta`',
    steps: [{ load: '/?ref=alpha&utm_source=beta' }],
    sent: [
      { attribution: { utm_source: 'beta' } },
      { attributes: { 'ref-is': 'code' }, attribution: { utm_source: 'beta', referral_code: 'alpha' } },
    ],
    others: [assumed('beta / (not set)'), 'beta → Referral', 'alpha; beta as UTM'],
  },
  {
    title: '`ref=weekly-newsletter`, a link in a Ghost newsletter',
    steps: [{ load: '/?ref=weekly-newsletter' }],
    sent: always({ utm_source: 'weekly-newsletter' }),
    others: [assumed(direct), 'weekly-newsletter → Email', 'weekly newsletter / Email'],
  },
  {
    title: '`utm_source=GOOGLE`, `utm_medium=CPC`',
    steps: [{ load: '/?utm_source=GOOGLE&utm_medium=CPC' }],
    sent: always({ utm_source: 'GOOGLE', utm_medium: 'CPC' }),
    others: [
      shown('channels')('GOOGLE / CPC, a row of its own → Paid Search'),
      'Google → Paid Search',
      'Google / unknown',
    ],
  },
  {
    title: 'In the fragment: `#utm_source=x`',
    steps: [{ load: '/#utm_source=x' }],
    sent: always({ utm_source: 'x' }),
    others: [assumed(direct), 'Direct / None → Direct', 'Direct'],
  },
  {
    title: 'In a hash route: `/#/portal/signup?ref=alpha`',
    steps: [{ load: '/#/portal/signup?ref=alpha' }],
    sent: always({ utm_source: 'alpha' }),
    others: [assumed(direct), 'Direct / None → Direct', 'alpha / –'],
  },
  {
    title: '`utm_source=x`; the page goes on by `pushState`',
    steps: [{ load: '/?utm_source=x' }, { push: '/about' }],
    sent: always({ utm_source: 'x' }),
    others: [shown('spa')('x'), 'x', 'x'],
  },
  {
    title: 'From google.com; 10 minutes later `utm_source=x`',
    steps: [{ load: '/', from: `${search}/` }, 'grant', { minutes: 10 }, { load: '/?utm_source=x' }],
    sent: [{ attribution: { utm_source: 'x' } }, { attributes: byReferrer, attribution: { utm_source: 'x' } }],
    others: [assumed('google'), 'Google', 'x'],
  },
  {
    title: '`utm_source=x`; the next day directly',
    steps: [{ load: '/?utm_source=x' }, 'grant', { days: 1 }, { load: '/' }],
    sent: always({ utm_source: 'x' }),
    others: [shown('lastNonDirect')('x'), 'Direct / None', 'Direct'],
  },
  {
    title: '`utm_source=x`; to checkout.stripe.com and back',
    steps: [{ load: '/?utm_source=x' }, 'grant', { load: '/thanks', from: 'https://checkout.stripe.com/' }],
    sent: [
      { attribution: { utm_source: 'x' } },
      { attributes: { attribution: 'last' }, attribution: { utm_source: 'x' } },
    ],
    others: [shown('unwanted')('x, if Stripe is listed'), 'x', 'x'],
  },
  {
    title: '`utm_source=x`, consent refused',
    steps: [{ load: '/?utm_source=x' }, 'refuse'],
    sent: always({ utm_source: 'x' }),
    others: [shown('pings')('nothing, or a ping without a session'), 'x', 'x'],
  },
  {
    title: '`utm_source=x`; consent on the next page',
    steps: [{ load: '/?utm_source=x' }, { load: '/two', from: 'https://example.com/' }, 'grant'],
    sent: always({}),
    others: [shown('pings')('lost, unless `url_passthrough` is on'), 'x', 'x'],
  },
  {
    title: '`utm_source=x`, `utm_campaign={campaignid}`',
    steps: [{ load: '/?utm_source=x&utm_campaign={campaignid}' }],
    sent: always({ utm_source: 'x' }),
    others: [assumed('{campaignid} as it is'), '{campaignid} as it is', '{campaignid} as it is'],
  },
  {
    title: '`gclid` that Safari’s private mode removed, from google.com',
    steps: [{ load: '/', from: `${search}/` }],
    sent: fromAd('', '', search).map((sent) => ({ ...sent, attribution: { referring_site: search } })),
    others: [shown('channels')('google / organic → Organic Search'), 'Google → Organic Search', 'Google / search'],
  },
];
