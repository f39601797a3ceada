import { always, fromAd, link, type Link } from './types.ts';

/** Links as they are found, and visits that only the tag distinguishes. */
export const links: readonly Link[] = [
  link('Names in capitals: `?UTM_Source=Fair`', [{ load: '/?UTM_Source=Fair' }], always({ utm_source: 'Fair' })),
  link(
    'Encoded for HTML twice: `?utm_source=a&amp;utm_medium=b`',
    [{ load: '/?utm_source=a&amp;utm_medium=b' }],
    always({ utm_source: 'a', utm_medium: 'b' }),
  ),
  link(
    'Encoded for the address twice: `?utm_source=spring%2520fair`',
    [{ load: '/?utm_source=spring%2520fair' }],
    always({ utm_source: 'spring%20fair' }),
  ),
  link(
    'A name twice: `?utm_source=a&utm_source=b`',
    [{ load: '/?utm_source=a&utm_source=b' }],
    always({ utm_source: 'a' }),
  ),
  link(
    'A hash route: `/#/join?utm_source=fair`, then another route',
    [{ load: '/#/join?utm_source=fair' }, { push: '/#/topics' }],
    always({ utm_source: 'fair' }),
  ),
  link(
    'A campaign in a later hash route',
    [{ load: '/' }, { push: '/#!/join?utm_source=fair' }, { push: '/#!/topics' }],
    always({ utm_source: 'fair' }),
  ),
  link(
    'An address in a value: `?utm_source=mail&utm_content=news-ada@example.com-x`',
    [{ load: '/?utm_source=mail&utm_content=news-ada@example.com-x' }],
    always({ utm_source: 'mail' }),
  ),
  link(
    'A placeholder of Meta: `?utm_source={{site_source_name}}&utm_medium=paid`',
    [{ load: '/?utm_source={{site_source_name}}&utm_medium=paid' }],
    always({ utm_medium: 'paid' }),
  ),
  link(
    'A placeholder of TikTok in a value: `?utm_source=tiktok&utm_campaign=spring-__CAMPAIGN_NAME__`',
    [{ load: '/?utm_source=tiktok&utm_campaign=spring-__CAMPAIGN_NAME__' }],
    always({ utm_source: 'tiktok', utm_campaign: 'spring' }),
  ),
  link(
    'Labels of Google Analytics: `?utm_source=(direct)&utm_medium=(none)&utm_campaign=(not set)`',
    [{ load: '/?utm_source=(direct)&utm_medium=(none)&utm_campaign=(not+set)' }],
    always({}),
  ),
  link(
    'A script that found nothing: `?utm_source=null&utm_medium=undefined`',
    [{ load: '/?utm_source=null&utm_medium=undefined' }],
    always({}),
  ),
  link(
    'A host in `ref`: `?ref=blog.test`',
    [{ load: '/?ref=blog.test' }],
    [{ attribution: { utm_source: 'blog.test' } }, { attributes: { 'ref-is': 'code' }, attribution: {} }],
  ),
  link(
    'A code of the service in `ref`: `?ref=gBZbSVal1X`',
    [{ load: '/?ref=gBZbSVal1X' }],
    [
      { attribution: { utm_source: 'gBZbSVal1X', referral_code: 'gBZbSVal1X' } },
      { attributes: { 'ref-is': 'code' }, attribution: { referral_code: 'gBZbSVal1X' } },
      { attributes: { 'ref-is': 'source' }, attribution: { utm_source: 'gBZbSVal1X' } },
    ],
  ),
  link(
    'A code in another parameter: `?invite=ada42&ref=blog.test`',
    [{ load: '/?invite=ada42&ref=blog.test' }],
    [
      { attribution: { utm_source: 'blog.test' } },
      { attributes: { 'referral-param': 'invite' }, attribution: { utm_source: 'blog.test', referral_code: 'ada42' } },
    ],
  ),
  link(
    'An id and a platform: `?utm_source=meta&utm_id=7&utm_source_platform=ads`',
    [{ load: '/?utm_source=meta&utm_id=7&utm_source_platform=ads' }],
    [{ attribution: { utm_source: 'meta' }, details: { utm_id: '7', utm_source_platform: 'ads' } }],
  ),
  link(
    '`utm_source=x`; reloaded',
    [{ load: '/?utm_source=x', from: 'https://www.blog.test/' }, 'reload'],
    always({ utm_source: 'x', referring_site: 'https://www.blog.test' }),
  ),
  link(
    '`utm_source=x`; on by `pushState`, and back',
    [{ load: '/?utm_source=x' }, { push: '/two?page=2' }, 'back'],
    always({ utm_source: 'x' }),
  ),
  link(
    '`utm_source=x`; another page, without an answer about consent',
    [{ load: '/?utm_source=x' }, { load: '/two', from: 'https://example.com/' }],
    always({}),
  ),
  link(
    '`utm_source=x`, later on the page `utm_source=y`',
    [{ load: '/?utm_source=x' }, { push: '/?utm_source=y' }],
    [{ attribution: { utm_source: 'x' } }, { attributes: { attribution: 'last' }, attribution: { utm_source: 'y' } }],
  ),
  link(
    '`utm_source=x`; two days later `utm_source=y`',
    [{ load: '/?utm_source=x' }, 'grant', { days: 2 }, { load: '/?utm_source=y' }],
    [
      { attribution: { utm_source: 'x' } },
      { attributes: { attribution: 'last' }, attribution: { utm_source: 'y' } },
      { attributes: { storage: 'none' }, attribution: { utm_source: 'y' } },
    ],
  ),
  link(
    '`gclid`; the next day directly',
    [{ load: '/?gclid=Cj0KC' }, 'grant', { days: 1 }, { load: '/' }],
    fromAd('google', 'cpc'),
  ),
  link(
    '`utm_source=x`; 31 days later directly',
    [{ load: '/?utm_source=x' }, 'grant', { days: 31 }, { load: '/' }],
    always({}),
  ),
];
