/** The confirmation mail as a mail server receives it. */
import { describe, expect, it } from 'vitest';
import { startMailServer } from '../mail-server.ts';
import { post, site } from '../running-relay.ts';
import { filled, languages, wordsIn } from '../../src/pages/words.ts';
import { confirming, mailTo } from './confirming.ts';

const at = Date.UTC(2026, 2, 5, 14, 7);

const title = 'Boote & Bücher';

/** In the mail, programs make no link of a part of it. */
const email = 'ada.\u200clovelace@example.com';

const ofSite = {
  RELAY_PAGE_TITLE: title,
  RELAY_PAGE_PRIVACY_URL: 'https://shop.example/privacy',
  RELAY_PAGE_IMPRINT_URL: 'https://shop.example/imprint?a=1&b=2',
};

async function received(
  settings: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
) {
  const mail = await startMailServer();
  const relay = confirming(mail, { settings: { ...ofSite, ...settings }, now: () => at });
  expect((await relay.fetch(post({ email: 'ada.lovelace@example.com' }, headers))).status).toBe(202);
  return mailTo(mail, 'ada.lovelace@example.com');
}

/** What a person reads. */
const readIn = (html: string): string =>
  html
    .replace(/<head>.*<\/head>/s, '')
    .replaceAll(/<\/?bdi>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&amp;', '&')
    .replaceAll(/[ \n]+/g, ' ')
    .trim();

const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\]^{|}]/g, String.raw`\$&`);

describe.each(languages)('in the language %s', (lang) => {
  it('says in that language alone what was asked for, for which address, when and on which site', async () => {
    const { text = '', html = '', subject } = await received({ RELAY_PAGE_LANG: lang });
    const words = wordsIn(lang);
    const link = 'https://signup.example/confirm/[\\w-]{43}';
    const asked = words.mailAsked
      .split(/(?<=\})|(?=\{)/)
      .map((part) =>
        part === '{date}' ? '(?<date>.+)' : escaped(filled(part, { email, title, site: 'shop.example' })),
      )
      .join('');
    const legal = [
      [words.privacy, ofSite.RELAY_PAGE_PRIVACY_URL],
      [words.imprint, ofSite.RELAY_PAGE_IMPRINT_URL],
    ].map((each) => escaped(each.join(': ')));
    const [click, notMe, button, other] = [words.mailClick, words.mailNotMe, words.confirm, words.mailLink].map(
      escaped,
    );
    const plain = [asked, click, link, `${notMe}\n${link}/not-me`, ...legal];
    const date = new RegExp(`^${plain.join('\n\n')}\n*$`).exec(text)?.groups?.['date'];
    expect(date, text).toContain(new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone: 'UTC' }).format(at));
    expect(date).toMatch(/UTC/);

    const drawn = [
      title,
      escaped(words.confirmHeading),
      asked,
      click,
      button,
      other,
      link,
      notMe,
      words.privacy,
      '·',
      words.imprint,
    ];
    expect(readIn(html)).toMatch(new RegExp(`^${drawn.join(' ')}$`));
    expect(subject).toBe(filled(words.mailSubject, { title }));
    expect(html).toContain(`<html lang="${lang}" dir="${['ar', 'he'].includes(lang) ? 'rtl' : 'ltr'}">`);
  });
});

it('has one button, links below it to say that it was not you, privacy notice and imprint, and loads nothing', async () => {
  const { html = '', text = '', raw } = await received({ RELAY_PAGE_ACCENT: '#ffe14d' });
  const links = [...html.matchAll(/<a [^>]*href="([^"]+)" style="([^"]+)">([^<]+)</g)].map(([, to, style, label]) => ({
    to: to?.replace(/confirm\/[\w-]{43}/, 'confirm/TOKEN'),
    label: label?.replace(/confirm\/[\w-]{43}/, 'confirm/TOKEN'),
    // All of its area is the link; a program that pads cells alone has it from the cell.
    isButton: style?.includes('padding:14px 28px') === true,
  }));
  expect(links).toEqual([
    { to: 'https://signup.example/confirm/TOKEN', label: 'Confirm', isButton: true },
    { to: 'https://signup.example/confirm/TOKEN', label: 'https://signup.example/confirm/TOKEN', isButton: false },
    { to: 'https://signup.example/confirm/TOKEN/not-me', label: wordsIn('en').mailNotMe, isButton: false },
    { to: 'https://shop.example/privacy', label: 'Privacy notice', isButton: false },
    { to: 'https://shop.example/imprint?a=1&amp;b=2', label: 'Legal notice', isButton: false },
  ]);
  expect(html).toContain('<td bgcolor="#ffe14d" style="border-radius:8px;mso-padding-alt:14px 28px">');
  expect(html).toContain('background:#ffe14d;color:#000000');
  expect(html).toContain('<meta name="color-scheme" content="light dark">');
  expect(html).not.toMatch(/<(?:img|link|script|iframe)|src=|url\(|var\(/i);
  expect(text).toContain('Legal notice: https://shop.example/imprint?a=1&b=2');
  expect(raw.length).toBeLessThan(20_000);
});

it('makes no link and no HTML of the address', async () => {
  const mail = await startMailServer();
  const relay = confirming(mail, { settings: ofSite });
  const address = 'win&www.spam.example/{link}@example.com';
  await relay.signUp(address);
  const { html = '', text = '' } = await mailTo(mail, address);
  expect(html).toContain('win&amp;www.\u200cspam.\u200cexample/{link}@example.com</bdi>');
  expect(text).toContain('win&www.\u200cspam.\u200cexample/{link}@example.com ');
  expect(html).not.toMatch(/href="[^"]*(?:spam|mailto)/);
});

it('names the site of the page, and never one that is not the form’s', async () => {
  expect((await received({}, { origin: 'https://www.shop.example' })).text).toContain(' at www.shop.example on ');
  // A program may send any origin with the host of its own choice.
  const { raw, text } = await received({}, { origin: 'https://spam.example', 'sec-fetch-site': 'same-origin' });
  expect(text).toContain(` at ${new URL(site).host} on `);
  expect(raw).not.toContain('spam');
});
