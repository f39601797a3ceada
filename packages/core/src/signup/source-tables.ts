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

/** Parameters of ad networks by medium and source. Facebook adds its own to every link, not only to those of ads. */
const clickIds = {
  cpc: { google: ['gclid', 'gbraid', 'wbraid', 'gad_source', 'gad_campaignid'], bing: ['msclkid'] },
  paid_social: { tiktok: ['ttclid'], linkedin: ['li_fat_id'], twitter: ['twclid'] },
  social: { facebook: ['fbclid'] },
};

/**
 * Hosts by medium and source, each with its subdomains. `google.*` is the host under any top-level domain, without
 * subdomains: `mail.google.com` is no search. The package of an Android app is a host in reverse order.
 */
const hosts = {
  organic: {
    google: 'google.* googlequicksearchbox.android.google.com',
    bing: 'bing.com',
    duckduckgo: 'duckduckgo.com',
    yahoo: 'search.yahoo.com',
    yandex: 'yandex.* ya.ru',
    baidu: 'baidu.com',
    ecosia: 'ecosia.org',
    qwant: 'qwant.com',
    brave: 'search.brave.com',
    startpage: 'startpage.com',
    kagi: 'kagi.com',
    naver: 'naver.com',
    seznam: 'seznam.cz',
  },
  social: {
    facebook: 'facebook.com',
    instagram: 'instagram.com',
    twitter: 't.co x.com twitter.com',
    linkedin: 'linkedin.com lnkd.in',
    reddit: 'reddit.com',
    hackernews: 'news.ycombinator.com',
    pinterest: 'pinterest.*',
    tiktok: 'tiktok.com',
    threads: 'threads.net threads.com',
    bluesky: 'bsky.app',
    github: 'github.com',
    youtube: 'youtube.com youtu.be youtube.android.google.com',
    vimeo: 'vimeo.com',
    telegram: 't.me telegram.org',
    whatsapp: 'whatsapp.com',
    mastodon: 'mastodon.social',
    substack: 'substack.com',
    discord: 'discord.com',
    slack: 'slack.com',
  },
  'ai-assistant': {
    chatgpt: 'chatgpt.com openai.com',
    claude: 'claude.ai',
    gemini: 'gemini.google.com',
    copilot: 'copilot.microsoft.com',
    perplexity: 'perplexity.ai',
    grok: 'grok.com',
    deepseek: 'deepseek.com',
  },
  email: {
    gmail: 'mail.google.com gm.android.google.com',
    outlook: 'outlook.live.com outlook.office.com outlook.office365.com outlook.office.microsoft.com',
  },
};

function find<Entry>(
  table: Readonly<Record<string, Readonly<Record<string, Entry>>>>,
  matches: (entry: Entry) => boolean,
): NamedSource | undefined {
  for (const [utm_medium, sources] of Object.entries(table))
    for (const [utm_source, entry] of Object.entries(sources)) if (matches(entry)) return { utm_source, utm_medium };
  return undefined;
}

/**
 * The ad network whose parameter an address has. The parameter's value is not used.
 *
 * @param has - whether the address has a parameter
 */
export function clickSource(has: (parameter: string) => boolean): NamedSource | undefined {
  return find(clickIds, (parameters) => parameters.some(has));
}

/**
 * The search engine, social network, assistant or mail service of a referring site: `https://www.google.com`.
 *
 * @example `referrerSource('android-app://com.google.android.gm')` → `{ utm_source: 'gmail', utm_medium: 'email' }`
 */
export function referrerSource(site: string): NamedSource | undefined {
  const host = hostOf(site);
  const name = `.${site.startsWith('android-app:') ? host.split('.').reverse().join('.') : host}`;
  return find(hosts, (patterns) =>
    patterns
      .split(' ')
      .some((pattern) =>
        pattern.endsWith('.*')
          ? name.startsWith(`.${pattern.slice(0, -1)}`) && /^\.\w+\.(?:com?\.)?[a-z]{2,3}$/.test(name)
          : name.endsWith(`.${pattern}`),
      ),
  );
}
