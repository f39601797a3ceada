import { always, fromAd, type Link } from './types.ts';

/** Links as they are found, and visits that only the tag distinguishes. */
export const links: readonly Link[] = [
  {
    title: 'Names in capitals: `?UTM_Source=Fair`',
    steps: [{ load: '/?UTM_Source=Fair' }],
    sent: always({ utm_source: 'Fair' }),
  },
  {
    title: 'Encoded for HTML twice: `?utm_source=a&amp;utm_medium=b`',
    steps: [{ load: '/?utm_source=a&amp;utm_medium=b' }],
    sent: always({ utm_source: 'a', utm_medium: 'b' }),
  },
  {
    title: 'Encoded for the address twice: `?utm_source=spring%2520fair`',
    steps: [{ load: '/?utm_source=spring%2520fair' }],
    sent: always({ utm_source: 'spring%20fair' }),
  },
  {
    title: 'A name twice: `?utm_source=a&utm_source=b`',
    steps: [{ load: '/?utm_source=a&utm_source=b' }],
    sent: always({ utm_source: 'a' }),
  },
  {
    title: 'A hash route: `/#/join?utm_source=fair`, then another route',
    steps: [{ load: '/#/join?utm_source=fair' }, { push: '/#/topics' }],
    sent: always({ utm_source: 'fair' }),
  },
  {
    title: 'A campaign in a later hash route',
    steps: [{ load: '/' }, { push: '/#!/join?utm_source=fair' }, { push: '/#!/topics' }],
    sent: always({ utm_source: 'fair' }),
  },
  {
    title: 'An address in a value: `?utm_source=mail&utm_content=news-ada@example.com-x`',
    steps: [{ load: '/?utm_source=mail&utm_content=news-ada@example.com-x' }],
    sent: always({ utm_source: 'mail' }),
  },
  {
    title: 'A placeholder of Meta: `?utm_source={{site_source_name}}&utm_medium=paid`',
    steps: [{ load: '/?utm_source={{site_source_name}}&utm_medium=paid' }],
    sent: always({ utm_medium: 'paid' }),
  },
  {
    title: 'A placeholder of TikTok in a value: `?utm_source=tiktok&utm_campaign=spring-__CAMPAIGN_NAME__`',
    steps: [{ load: '/?utm_source=tiktok&utm_campaign=spring-__CAMPAIGN_NAME__' }],
    sent: always({ utm_source: 'tiktok', utm_campaign: 'spring' }),
  },
  {
    title: 'Labels of Google Analytics: `?utm_source=(direct)&utm_medium=(none)&utm_campaign=(not set)`',
    steps: [{ load: '/?utm_source=(direct)&utm_medium=(none)&utm_campaign=(not+set)' }],
    sent: always({}),
  },
  {
    title: 'A script that found nothing: `?utm_source=null&utm_medium=undefined`',
    steps: [{ load: '/?utm_source=null&utm_medium=undefined' }],
    sent: always({}),
  },
  {
    title: 'A host in `ref`: `?ref=blog.test`',
    steps: [{ load: '/?ref=blog.test' }],
    sent: [{ attribution: { utm_source: 'blog.test' } }, { attributes: { 'ref-is': 'code' }, attribution: {} }],
  },
  {
    title: 'A code of the service in `ref`: `?ref=gBZbSVal1X`',
    steps: [{ load: '/?ref=gBZbSVal1X' }],
    sent: [
      { attribution: { utm_source: 'gBZbSVal1X', referral_code: 'gBZbSVal1X' } },
      { attributes: { 'ref-is': 'code' }, attribution: { referral_code: 'gBZbSVal1X' } },
      { attributes: { 'ref-is': 'source' }, attribution: { utm_source: 'gBZbSVal1X' } },
    ],
  },
  {
    title: 'A code in another parameter: `?invite=ada42&ref=blog.test`',
    steps: [{ load: '/?invite=ada42&ref=blog.test' }],
    sent: [
      { attribution: { utm_source: 'blog.test' } },
      { attributes: { 'referral-param': 'invite' }, attribution: { utm_source: 'blog.test', referral_code: 'ada42' } },
    ],
  },
  {
    title: 'An id and a platform: `?utm_source=meta&utm_id=7&utm_source_platform=ads`',
    steps: [{ load: '/?utm_source=meta&utm_id=7&utm_source_platform=ads' }],
    sent: [{ attribution: { utm_source: 'meta' }, details: { utm_id: '7', utm_source_platform: 'ads' } }],
  },
  {
    title: '`utm_source=x`; reloaded',
    steps: [{ load: '/?utm_source=x', from: 'https://www.blog.test/' }, 'reload'],
    sent: always({ utm_source: 'x', referring_site: 'https://www.blog.test' }),
  },
  {
    title: '`utm_source=x`; on by `pushState`, and back',
    steps: [{ load: '/?utm_source=x' }, { push: '/two?page=2' }, 'back'],
    sent: always({ utm_source: 'x' }),
  },
  {
    title: '`utm_source=x`; another page, without an answer about consent',
    steps: [{ load: '/?utm_source=x' }, { load: '/two', from: 'https://example.com/' }],
    sent: always({}),
  },
  {
    title: '`utm_source=x`, later on the page `utm_source=y`',
    steps: [{ load: '/?utm_source=x' }, { push: '/?utm_source=y' }],
    sent: [
      { attribution: { utm_source: 'x' } },
      { attributes: { attribution: 'last' }, attribution: { utm_source: 'y' } },
    ],
  },
  {
    title: '`utm_source=x`; two days later `utm_source=y`',
    steps: [{ load: '/?utm_source=x' }, 'grant', { days: 2 }, { load: '/?utm_source=y' }],
    sent: [
      { attribution: { utm_source: 'x' } },
      { attributes: { attribution: 'last' }, attribution: { utm_source: 'y' } },
      { attributes: { storage: 'none' }, attribution: { utm_source: 'y' } },
    ],
  },
  {
    title: '`gclid`; the next day directly',
    steps: [{ load: '/?gclid=Cj0KC' }, 'grant', { days: 1 }, { load: '/' }],
    sent: fromAd('google', 'cpc'),
  },
  {
    title: '`utm_source=x`; 31 days later directly',
    steps: [{ load: '/?utm_source=x' }, 'grant', { days: 31 }, { load: '/' }],
    sent: always({}),
  },
];
