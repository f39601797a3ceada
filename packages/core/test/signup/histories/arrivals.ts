import {
  always,
  assumed,
  byClickId,
  byReferrer,
  direct,
  fromAd,
  fromSearch,
  fromSite,
  ga4Direct,
  search,
  shown,
  type History,
} from './types.ts';

/** Visits from other sites and from ads. */
export const arrivals: readonly History[] = [
  {
    title: 'Address typed, no referrer',
    steps: [{ load: '/' }],
    sent: always({}),
    others: [ga4Direct, 'Direct / None → Direct', 'Direct'],
  },
  {
    title: 'From google.com',
    steps: [{ load: '/', from: `${search}/` }],
    sent: fromSearch,
    others: [shown('channels')('google / organic → Organic Search'), 'Google → Organic Search', 'Google / search'],
  },
  {
    title: 'From search.brave.com',
    steps: [{ load: '/', from: 'https://search.brave.com/' }],
    sent: fromSite('https://search.brave.com', 'brave', 'organic'),
    others: [assumed('search.brave.com / referral → Referral'), 'Brave → Organic Search', 'Brave Search / search'],
  },
  {
    title: 'From `www.ecosia.org`',
    steps: [{ load: '/', from: 'https://www.ecosia.org/' }],
    sent: fromSite('https://www.ecosia.org', 'ecosia', 'organic'),
    others: [assumed('ecosia.org / organic → Organic Search'), 'Ecosia → Organic Search', '`www.ecosia.org` / –'],
  },
  {
    title: '`fbclid`, from l.facebook.com',
    steps: [{ load: '/?fbclid=IwAR0x', from: 'https://l.facebook.com/' }],
    sent: fromAd('facebook', 'social', 'https://l.facebook.com'),
    others: [
      shown('channels')('l.facebook.com / referral → Organic Social'),
      'Facebook → Organic Social',
      'Facebook / social',
    ],
  },
  {
    title: '`fbclid`, no referrer',
    steps: [{ load: '/?fbclid=IwAR0x' }],
    sent: fromAd('facebook', 'social'),
    others: [assumed(direct), 'Direct / None → Direct', 'Direct'],
  },
  {
    title: 'From t.co',
    steps: [{ load: '/', from: 'https://t.co/' }],
    sent: fromSite('https://t.co', 'twitter', 'social'),
    others: [shown('channels')('t.co / referral → Organic Social'), 'Twitter → Organic Social', 'Twitter / social'],
  },
  {
    title: 'From x.com',
    steps: [{ load: '/', from: 'https://x.com/' }],
    sent: fromSite('https://x.com', 'twitter', 'social'),
    others: [assumed('x.com / referral → Referral'), 'X (Twitter) → Organic Social*', 'Twitter / social'],
  },
  {
    title: 'From `www.youtube.com`',
    steps: [{ load: '/', from: 'https://www.youtube.com/' }],
    sent: fromSite('https://www.youtube.com', 'youtube', 'social'),
    others: [
      shown('channels')('youtube.com / referral → Organic Video'),
      'Youtube → Organic Video',
      '`www.youtube.com` / –',
    ],
  },
  {
    title: 'From chatgpt.com',
    steps: [{ load: '/', from: 'https://chatgpt.com/' }],
    sent: fromSite('https://chatgpt.com', 'chatgpt', 'ai-assistant'),
    others: [
      shown('assistants')('chatgpt.com / ai-assistant → AI Assistant'),
      'ChatGPT → AI Assistants',
      'chatgpt.com / –',
    ],
  },
  {
    title: '`utm_source=chatgpt.com`',
    steps: [{ load: '/?utm_source=chatgpt.com' }],
    sent: always({ utm_source: 'chatgpt.com' }),
    others: [assumed('chatgpt.com / (not set) → Unassigned'), 'ChatGPT → AI Assistants', 'chatgpt.com / –'],
  },
  {
    title: 'From `www.blog.test`',
    steps: [{ load: '/', from: 'https://www.blog.test/' }],
    sent: always({ referring_site: 'https://www.blog.test' }),
    others: [shown('channels')('blog.test / referral → Referral'), 'blog.test → Referral', '`www.blog.test` / –'],
  },
  {
    title: 'From `www.example.com`, our own host',
    steps: [{ load: '/', from: 'https://www.example.com/' }],
    sent: always({}),
    others: [shown('unwanted')(direct), 'Direct / None → Direct', 'Direct'],
  },
  {
    title: 'From shop.example.com, our own shop',
    steps: [{ load: '/', from: 'https://shop.example.com/' }],
    sent: [
      { attribution: { referring_site: 'https://shop.example.com' } },
      { attributes: { 'same-site': 'shop.example.com blog.example.com' }, attribution: {} },
    ],
    others: [assumed(direct), 'shop.example.com → Referral', 'shop.example.com / –'],
  },
  {
    title: '`gclid`, from google.com',
    steps: [{ load: '/?gclid=Cj0KC', from: `${search}/` }],
    sent: [
      ...fromAd('google', 'cpc', search),
      {
        attributes: { ...byClickId, ...byReferrer },
        attribution: { utm_source: 'google', utm_medium: 'cpc', referring_site: search },
      },
    ],
    others: [shown('autoTagging')('google / cpc → Paid Search'), 'Google, (gclid) → Paid Search', 'Google / search'],
  },
  {
    title: '`gclid`, no referrer',
    steps: [{ load: '/?gclid=Cj0KC' }],
    sent: fromAd('google', 'cpc'),
    others: [shown('autoTagging')('google / cpc → Paid Search'), 'Direct / None → Direct', 'Direct'],
  },
  {
    title: '`gclid`, and `utm_source=news`, `utm_medium=email`',
    steps: [{ load: '/?gclid=Cj0KC&utm_source=news&utm_medium=email' }],
    sent: [
      { attribution: { utm_source: 'news', utm_medium: 'email' } },
      { attributes: byClickId, attribution: { utm_source: 'news', utm_medium: 'email' } },
    ],
    others: [shown('autoTagging')('google / cpc; term and content of the UTM stay'), 'news → Email', 'news / email'],
  },
  {
    title: '`gclid`, from google.com, consent refused',
    steps: [{ load: '/?gclid=Cj0KC', from: `${search}/` }, 'refuse'],
    sent: fromAd('google', 'cpc', search),
    others: [shown('clickIds')('can be (not set)'), 'Google, (gclid) → Paid Search', 'Google / search'],
  },
  {
    title: '`gbraid`, from google.com',
    steps: [{ load: '/?gbraid=0AAAA', from: `${search}/` }],
    sent: fromAd('google', 'cpc', search),
    others: [assumed('google / cpc → Paid Search'), 'Google → Organic Search', 'Google / search'],
  },
  {
    title: '`msclkid`, from bing.com',
    steps: [{ load: '/?msclkid=1a2b', from: 'https://www.bing.com/' }],
    sent: fromAd('bing', 'cpc', 'https://www.bing.com'),
    others: [shown('newsletters')('bing / organic → Organic Search'), 'Bing → Paid Search', 'Bing / search'],
  },
  {
    title: '`srsltid` of a free listing, from google.com',
    steps: [{ load: '/?srsltid=AfmB', from: `${search}/` }],
    sent: fromSearch,
    others: [shown('merchant')('google / organic → Organic Shopping'), 'Google → Organic Search', 'Google / search'],
  },
];
