/**
 * Source and medium of visits whose address names none: by the parameter that an ad network adds, and by the site that
 * linked here. Tables of their own, because few pages ask for them.
 */

import { hostOf } from './submission.ts';

/** A source and its medium. */
export interface NamedSource {
  readonly utm_source: string;
  readonly utm_medium: string;
}

/**
 * Parameters of ad networks by medium: the source, and its parameters. Facebook adds its own to every link, not only to
 * those of ads.
 */
const clickIds = {
  cpc: 'google=gclid,gbraid,wbraid,gad_source,gad_campaignid bing=msclkid',
  paid_social: 'tiktok=ttclid linkedin=li_fat_id twitter=twclid',
  social: 'facebook=fbclid',
};

/**
 * Hosts by medium, each with its subdomains. The source is the second-level domain of the first one, unless another
 * name stands before it. `google.*` is the host under any top-level domain, without subdomains: `mail.google.com` is no
 * search. The package of an Android app is a host in reverse order.
 */
const hosts = {
  organic: `google.*,googlequicksearchbox.android.google.com bing.com duckduckgo.com search.yahoo.com yandex.*,ya.ru
    baidu.com ecosia.org qwant.com search.brave.com startpage.com kagi.com naver.com seznam.cz`,
  social: `facebook.com instagram.com twitter.com,t.co,x.com linkedin.com,lnkd.in reddit.com
    hackernews=news.ycombinator.com pinterest.* tiktok.com threads.net,threads.com bluesky=bsky.app github.com
    youtube.com,youtu.be,youtube.android.google.com vimeo.com telegram.org,t.me whatsapp.com mastodon.social
    substack.com discord.com slack.com`,
  'ai-assistant': `chatgpt.com,openai.com claude.ai gemini=gemini.google.com copilot=copilot.microsoft.com perplexity.ai
    grok.com deepseek.com`,
  email: `gmail=mail.google.com,gm.android.google.com
    outlook=outlook.live.com,outlook.office.com,outlook.office365.com,outlook.office.microsoft.com`,
};

function find(table: Readonly<Record<string, string>>, matches: (word: string) => boolean): NamedSource | undefined {
  for (const [utm_medium, sources] of Object.entries(table))
    for (const source of sources.split(/\s+/)) {
      const [named = '', listed] = source.split('=');
      const words = (listed ?? named).split(',');
      if (words.some(matches)) return { utm_source: (listed ? named : words[0]?.split('.').at(-2)) ?? '', utm_medium };
    }
  return undefined;
}

/**
 * The ad network whose parameter an address has. The parameter's value is not used.
 *
 * @param has - whether the address has a parameter
 */
export function clickSource(has: (parameter: string) => boolean): NamedSource | undefined {
  return find(clickIds, has);
}

/**
 * The search engine, social network, assistant or mail service of a referring site: `https://www.google.com`.
 *
 * @example `referrerSource('android-app://com.google.android.gm')` → `{ utm_source: 'gmail', utm_medium: 'email' }`
 */
export function referrerSource(site: string): NamedSource | undefined {
  const host = hostOf(site);
  const name = `.${site.startsWith('android-app:') ? host.split('.').reduceRight((name, label) => `${name}.${label}`) : host}`;
  return find(hosts, (pattern) =>
    pattern.endsWith('.*')
      ? name.startsWith(`.${pattern.slice(0, -1)}`) && /^\.\w+\.(?:com?\.)?[a-z]{2,3}$/.test(name)
      : name.endsWith(`.${pattern}`),
  );
}
