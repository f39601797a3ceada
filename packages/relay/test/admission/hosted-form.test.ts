/** The hosted form: its page, what it posts, and the sites that may frame it. */
import { hash } from 'node:crypto';
import { pageStyle } from '@newsletter-kit/core/endpoint';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/index.ts';
import { asFetch, sandboxApi } from '../sandbox-api.ts';
import { environment, formPost, runRelay, site, type RunningRelay } from '../running-relay.ts';

const host = 'https://signup.example';
const settings = {
  RELAY_PAGE: 'true',
  RELAY_PAGE_TITLE: 'Boats & more',
  RELAY_PAGE_TEXT: 'Every Friday.\n\nNo <b>ads</b>.',
  RELAY_PAGE_FIELDS: 'First Name:given-name, Topics=boats|food & drink',
  RELAY_PAGE_CONSENT: 'I want the letter.',
  RELAY_PAGE_LANG: 'de',
  RELAY_PAGE_THEME: 'meadow',
};

const open = (relay: RunningRelay, path = '/signup', headers: Readonly<Record<string, string>> = {}) =>
  relay.fetch(new Request(`${host}${path}`, { headers }));

/** The fields that a browser would post. */
const fieldsIn = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<input ([^>]*)>/g)].map(([, attributes = '']) => [
      /name="([^"]*)"/.exec(attributes)?.[1] ?? '',
      /value="([^"]*)"/.exec(attributes)?.[1] ?? '',
    ]),
  );

/** A post of the page, as a browser sends it. */
function postOf(fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}): Request {
  const own = { origin: host, host: 'signup.example', 'sec-fetch-site': 'same-origin', ...headers };
  return new Request(`${host}/signup`, formPost(fields, own));
}

describe('the page', () => {
  it('has the texts, the fields and the theme of its settings, escaped', async () => {
    const answer = await open(runRelay({ settings }));
    const html = await answer.text();
    expect(answer.status).toBe(200);
    for (const part of [
      '<html lang="de" dir="ltr">',
      '<title>Boats &amp; more</title>',
      '<h1>Boats &amp; more</h1>',
      '<p>Every Friday.</p>\n<p>No &lt;b&gt;ads&lt;/b&gt;.</p>',
      '<label>E-Mail-Adresse <input name="email" type="email"',
      '<label>First Name <small>(freiwillig)</small> <input name="custom_fields[First Name]" autocomplete="given-name" dir="auto"></label>',
      '<legend>Topics <small>(freiwillig)</small></legend>',
      'name="custom_fields[Topics][]" value="food &amp; drink"',
      '<input type="checkbox" name="consent" value="I want the letter."> <span>I want the letter.</span>',
      'ui-rounded',
      '<button>Abonnieren</button>',
      '<footer><a href="https://shop.example" target="_top">shop.example</a></footer>',
    ])
      expect(html).toContain(part);
    expect(Buffer.byteLength(html)).toBeLessThan(15_000);
  });

  /** The form and its script, line by line. */
  const formOf = (html: string): readonly string[] =>
    html.slice(html.indexOf('<form'), html.indexOf('\n</main>')).split('\n');
  interface Whole {
    readonly more: Readonly<Record<string, string>>;
    readonly path?: string;
    readonly heading?: string;
    readonly fields: readonly string[];
  }
  const whole: readonly Whole[] = [
    { more: {}, heading: '<h1>Newsletter</h1>\n<form', fields: [] },
    {
      more: { RELAY_PAGE_TEXT: 'One.\n \n\nTwo,\nthree.' },
      heading: '<p>One.</p>\n<p>Two,\nthree.</p>\n<form',
      fields: [],
    },
    {
      more: { RELAY_PAGE_FIELDS: 'A&B: c, Topics=boats|"food" [all]', RELAY_PAGE_CONSENT: 'I "want" [it].' },
      path: '/signup?utm_source=%22&ref=Ab3dEf6h1J',
      fields: [
        '<label>A&amp;B: c <small>(optional)</small> <input name="custom_fields[A&amp;B: c]" dir="auto"></label>',
        '<fieldset>',
        '<legend>Topics <small>(optional)</small></legend>',
        '<label class="choice"><input type="checkbox" name="custom_fields[Topics][]" value="boats"> <span>boats</span></label>',
        '<label class="choice"><input type="checkbox" name="custom_fields[Topics][]" value="&quot;food&quot; [all]"> <span>&quot;food&quot; [all]</span></label>',
        '</fieldset>',
        '<label class="choice"><input type="checkbox" name="consent" value="I &quot;want&quot; it."> <span>I &quot;want&quot; it.</span></label>',
        '<input type="hidden" name="utm_source" value="&quot;">',
        '<input type="hidden" name="referral_code" value="Ab3dEf6h1J">',
      ],
    },
    {
      more: { RELAY_CONSENT_REQUIRED: 'true', RELAY_PAGE_CONSENT: 'Yes.' },
      fields: [
        '<label class="choice"><input type="checkbox" name="consent" value="Yes." required> <span>Yes.</span></label>',
      ],
    },
  ];

  it.each(whole)('with $more is a plain form', async ({ more, path, heading = '<form', fields }) => {
    const html = await (await open(runRelay({ settings: { RELAY_PAGE: 'true', ...more } }), path)).text();
    expect(formOf(html)).toEqual([
      '<form method="post" accept-charset="utf-8">',
      '<label>Email address <input name="email" type="email" autocomplete="email" dir="ltr" maxlength="254" required></label>',
      ...fields,
      '<input type="hidden" name="hp_field" value="">',
      '<button>Subscribe</button>',
      '</form>',
    ]);
    expect(html).toContain(heading);
    // Without a theme the page has the looks of every page of the relay, and then its own.
    expect(html).toContain(`<style>${pageStyle}html{`);
  });

  it('may run its own script and load nothing, is not kept, and says to its form where it comes from', async () => {
    const answer = await open(runRelay({ settings }));
    const script = /<script>(.*)<\/script>/.exec(await answer.text())?.[1] ?? '';
    expect(Object.fromEntries(answer.headers)).toEqual({
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'self' ${site} https://www.shop.example; img-src data:; script-src 'sha256-${hash('sha256', script, 'base64')}'`,
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
  });

  it('may be framed by the sites of its form alone, and so may the pages that follow', async () => {
    const relay = runRelay({ settings });
    const pages = [await open(relay), await open(relay, '/thanks'), await relay.fetch(postOf({ email: 'nobody' }))];
    for (const page of pages)
      expect(page.headers.get('content-security-policy')).toContain(
        `frame-ancestors 'self' ${site} https://www.shop.example`,
      );
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 400]);
  });

  it('has the attribution of its address and of the site that linked to it', async () => {
    const relay = runRelay({ settings });
    const page = await open(relay, '/signup?utm_source=insta&utm_campaign=%22%3E%3Cscript%3E&ref=Ab3dEf6h1J', {
      referer: 'https://links.example/me',
    });
    const html = await page.text();
    expect(fieldsIn(html)).toMatchObject({
      utm_source: 'insta',
      referral_code: 'Ab3dEf6h1J',
      referring_site: 'https://links.example',
    });
    expect(html).not.toContain('"><script>');
    expect(fieldsIn(await (await open(relay, '/signup', { referer: `${host}/` })).text())).not.toHaveProperty(
      'referring_site',
    );
  });

  it('exists only where the setting asks for it', async () => {
    expect((await open(runRelay())).status).toBe(405);
    expect((await open(runRelay({ settings: { RELAY_PAGE_TITLE: 'Letter' } }))).status).toBe(405);
  });
});

describe('a post of the page', () => {
  it('is stored, and leads to the thanks', async () => {
    const relay = runRelay({ settings });
    const fields = fieldsIn(await (await open(relay, '/signup?utm_source=insta')).text());
    const answer = await relay.fetch(
      postOf({ ...fields, email: 'ada@example.com', 'custom_fields[First Name]': 'Ada' }),
    );
    expect([answer.status, answer.headers.get('location')]).toEqual([303, 'thanks']);
    const [stored] = await relay.store.list({}, { limit: 2 });
    expect(stored).toMatchObject({
      state: 'waiting',
      submission: { email: 'ada@example.com', utm_source: 'insta', consent: 'I want the letter.' },
    });
    expect(await relay.store.listConsents({ limit: 2 })).toMatchObject([
      { kind: 'given', sentence: 'I want the letter.' },
    ]);
  });

  it('keeps what was typed, and says at its field what is wrong', async () => {
    const relay = runRelay({ settings });
    const typed = {
      email: 'ada@',
      'custom_fields[First Name]': '"Ada" <b>',
      'custom_fields[Topics][]': 'boats',
      consent: 'I want the letter.',
      utm_source: 'insta',
    };
    const answer = await relay.fetch(postOf(typed));
    const html = await answer.text();
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    const problem = 'Gib eine E-Mail-Adresse wie name@example.com ein.';
    expect(html).toContain(`<p class="error" role="alert"><a href="#email">${problem}</a></p>\n<label>`);
    expect(html).toContain(`<p class="error" id="email-error">${problem}</p>`);
    expect(html).toMatch(
      /name="email" id="email" aria-invalid="true" aria-describedby="email-error" autofocus value="ada@"/,
    );
    expect(html).toContain('value="&quot;Ada&quot; &lt;b&gt;"');
    expect(html).toMatch(/value="boats" checked/);
    const fields = fieldsIn(html);
    expect(fields).toMatchObject({ consent: 'I want the letter.', utm_source: 'insta' });
    expect((await relay.fetch(postOf({ ...fields, email: 'ada@example.com' }))).status).toBe(303);
  });

  it('of a form without a page keeps its fields too, and asks for the consent that is missing', async () => {
    const relay = runRelay({
      settings: { RELAY_CONSENT_REQUIRED: 'true', RELAY_CONSENT_SENTENCES: 'I agree.', RELAY_PAGE_LANG: 'fr' },
    });
    const typed = { email: 'ada@example.com', 'custom_fields[City]': 'Paris' };
    const refused = await relay.fetch(formPost(typed));
    const fields = fieldsIn(await refused.text());
    expect(fields).toMatchObject({ ...typed, consent: 'I agree.' });
    expect((await relay.fetch(postOf(fields))).status).toBe(303);
    const [stored] = await relay.store.list({}, { limit: 2 });
    expect(stored?.submission).toMatchObject({ custom_fields: [{ name: 'City', value: 'Paris' }] });
  });

  it('of another site is no form to send again', async () => {
    const answer = await runRelay({ settings }).fetch(
      postOf({ email: 'ada@example.com' }, { origin: 'https://other.example', 'sec-fetch-site': 'cross-site' }),
    );
    expect(await answer.text()).not.toMatch(/<form|ada@/);
  });
});

it('is checked for fields that the publication lacks', async () => {
  const api = sandboxApi();
  const found = async (fields: string): Promise<unknown> =>
    (
      await runRelay({
        api: asFetch((request) => api.fetch(request)),
        settings: { ...settings, RELAY_PAGE_FIELDS: fields },
      }).check()
    ).find(({ name }) => name.startsWith('hosted form'));
  expect(await found('First Name')).toMatchObject({ result: 'ok' });
  expect(await found('First Name, Shoe size')).toMatchObject({
    result: 'warning',
    text: expect.stringContaining('no custom field "Shoe size"') as string,
  });
});

it('has links in its texts, keeps the sentence without them, and links the notices of its site', async () => {
  const relay = runRelay({
    settings: {
      ...settings,
      RELAY_PAGE_CONSENT: 'I have read the [privacy "notice"](https://shop.example/privacy?a=1&b=2).',
      RELAY_PAGE_TEXT: '[no](javascript:alert(1)) [archive](https://shop.example/archive)',
      RELAY_PAGE_PRIVACY_URL: 'https://shop.example/privacy',
      RELAY_PAGE_IMPRINT_URL: 'https://shop.example/imprint',
      RELAY_PAGE_HOME_URL: 'https://www.shop.example/boats',
      RELAY_PAGE_ACCENT: '#ffd500',
    },
  });
  const html = await (await open(relay)).text();
  expect(fieldsIn(html)['consent']).toBe('I have read the privacy &quot;notice&quot;.');
  expect([...html.matchAll(/<a href="([^"]*)"[^>]*>([^<]*)/g)].map(([, ...link]) => link)).toEqual([
    ['https://shop.example/archive', 'archive'],
    ['https://shop.example/privacy?a=1&amp;b=2', 'privacy &quot;notice&quot;'],
    ['https://www.shop.example/boats', 'www.shop.example'],
    ['https://shop.example/privacy', 'Datenschutz'],
    ['https://shop.example/imprint', 'Impressum'],
  ]);
  expect(html).toContain('--accent:#ffd500;--on-accent:#000');
  const sent = { email: 'ada@example.com', consent: 'I have read the privacy "notice".' };
  expect((await relay.fetch(postOf(sent))).status).toBe(303);
});

it.each([
  [{ RELAY_PAGE_ACCENT: 'teal' }, /RELAY_PAGE_ACCENT must be a colour of six hexadecimal digits/],
  [{ RELAY_PAGE_IMPRINT_URL: 'javascript:alert(1)' }, /RELAY_PAGE_IMPRINT_URL must be an http\(s\) address/],
  [{ RELAY_PAGE_LANG: 'engl' }, /RELAY_PAGE_LANG must be a language tag/],
  [{ RELAY_PAGE_THEME: 'moss' }, /RELAY_PAGE_THEME must be dusk, .* or signal/],
  [{ RELAY_PAGE_FIELDS: 'City, Topics=a||b' }, /RELAY_PAGE_FIELDS must be names of custom fields/],
  [{ RELAY_PAGE_FIELDS: 'First Name:givenname' }, /RELAY_PAGE_FIELDS must be .* as First Name:given-name/],
  [{ RELAY_PAGE_FIELDS: 'City, City' }, /RELAY_PAGE_FIELDS has a field twice/],
  [{ RELAY_PAGE_FIELDS: 'City', RELAY_ALLOWED_FIELDS: 'Name' }, /"City", which RELAY_ALLOWED_FIELDS lacks/],
  [{ RELAY_CONSENT_REQUIRED: 'true', RELAY_CONSENT_SENTENCES: 'I agree.' }, /needs RELAY_PAGE_CONSENT/],
  [{ RELAY_PROOF: 'always' }, /RELAY_PROOF must not be always with RELAY_PAGE/],
])('does not start with %j', (wrong, problem) => {
  expect(() => readConfig({ ...environment, RELAY_PAGE: 'true', ...wrong })).toThrow(problem);
});
