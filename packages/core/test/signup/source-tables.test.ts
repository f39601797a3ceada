import { describe, expect, test } from 'vitest';
import { clickSource, referrerSource } from '../../src/signup/index.ts';

const words = (found: ReturnType<typeof clickSource>): string | undefined =>
  found && `${found.utm_source} / ${found.utm_medium}`;

describe('the source of a click id', () => {
  test.each([
    ['gclid', 'google / cpc'],
    ['gbraid', 'google / cpc'],
    ['wbraid', 'google / cpc'],
    ['msclkid', 'bing / cpc'],
    ['fbclid', 'facebook / social'],
    ['ttclid', 'tiktok / paid_social'],
    ['li_fat_id', 'linkedin / paid_social'],
    ['twclid', 'twitter / paid_social'],
    ['gad_campaignid', 'google / cpc'],
    ['srsltid', undefined],
    ['google', undefined],
  ])('%s → %s', (id, expected) => expect(words(clickSource((name) => name === id))).toBe(expected));

  test('of an ad before that of a link', () => {
    expect(words(clickSource((name) => name === 'fbclid' || name === 'gclid'))).toBe('google / cpc');
  });
});

describe('the source of a referrer', () => {
  test.each([
    ['www.google.com', 'google / organic'],
    ['google.co.uk', 'google / organic'],
    ['www.google.com.br', 'google / organic'],
    ['mail.google.com', 'gmail / email'],
    ['gemini.google.com', 'gemini / ai-assistant'],
    ['docs.google.com', undefined],
    ['blog.google', undefined],
    ['android-app://com.google.android.gm', 'gmail / email'],
    ['android-app://com.slack', 'slack / social'],
    ['https://news.ycombinator.com', 'hackernews / social'],
    ['google.example.com', undefined],
    ['notgoogle.com', undefined],
    ['yandex.ru', 'yandex / organic'],
    ['de.search.yahoo.com', 'yahoo / organic'],
    ['yahoo.com', undefined],
    ['l.facebook.com', 'facebook / social'],
    ['lm.facebook.com', 'facebook / social'],
    ['facebook.com.example', undefined],
    ['l.instagram.com', 'instagram / social'],
    ['t.co', 'twitter / social'],
    ['reddit.co', undefined],
    ['out.reddit.com', 'reddit / social'],
    ['www.pinterest.de', 'pinterest / social'],
    ['go.bsky.app', 'bluesky / social'],
    ['youtu.be', 'youtube / social'],
    ['www.perplexity.ai', 'perplexity / ai-assistant'],
    ['outlook.live.com', 'outlook / email'],
    ['', undefined],
  ])('%s → %s', (host, expected) => expect(words(referrerSource(host))).toBe(expected));
});
