/** What the operator API lists of signups and forms: masked addresses, sources, pages, and snippets to copy. */
import { expect, it } from 'vitest';
import { formPost, operatorRequest, post, type RelayParts, runRelay, site } from '../running-relay.ts';
import type { ListedForm } from '../../src/ops/listed-form.ts';
import type { ListedSignup } from '../../src/ops/listed-signup.ts';

function operated(parts: RelayParts = {}) {
  const relay = runRelay(parts);
  const ask = async <Answer>(path: string): Promise<Answer> => {
    const answer = await relay.fetch(operatorRequest(`/operator/api/${path}`));
    expect(answer.status).toBe(200);
    return (await answer.json()) as Answer;
  };
  const list = async (query = ''): Promise<readonly ListedSignup[]> =>
    (await ask<{ signups: readonly ListedSignup[] }>(`signups?${query}`)).signups;
  const forms = async (query = ''): Promise<readonly ListedForm[]> =>
    (await ask<{ forms: readonly ListedForm[] }>(`forms?${query}`)).forms;
  return { ...relay, ask, list, forms };
}

it('lists the newest signups with source and page, and their addresses only masked', async () => {
  const { fetch, list } = operated();
  const page = `${site}/letters/join`;
  await fetch(post({ email: 'ada.lovelace@example.com', utm_source: 'fair', audit: { page } }));
  await fetch(formPost({ email: 'grace@example.org', referring_site: 'https://www.news.example/post/1' }));
  await fetch(post({ email: 'a@example.com', custom_fields: [{ name: 'City', value: 'Berlin' }] }));
  expect(await list()).toMatchObject([
    { address: 'a•••@example.com', source: '', page: site },
    { address: 'g•••@example.org', source: 'news.example', page: site },
    { address: 'a•••@example.com', source: 'fair', page, form: 'default', state: 'waiting', status: null },
  ]);
  expect(JSON.stringify(await list())).not.toMatch(/lovelace|Berlin|"(?:submission|intent)"/);
});

it('lists no address that a link brought along', async () => {
  const { fetch, list } = operated();
  const links = { utm_source: 'to ada@example.com', referring_site: 'mailto:ada@example.com' };
  await fetch(post({ email: 'ada@example.com', ...links }));
  const audit = { page: `${site}/ada@example.com` };
  await fetch(post({ email: 'ada@example.com', utm_source: 'ada%40example.com', audit }));
  expect((await list()).map(({ source, page }) => [source, page])).toEqual([
    ['', site],
    ['to', site],
  ]);
});

it('lists hostile sources and pages as the texts that they are', async () => {
  const { fetch, list } = operated();
  const html = '<img src=x onerror=alert(1)>';
  const page = `${site}/${'x'.repeat(2100)}`;
  await fetch(post({ email: 'a@example.com', referring_site: 'javascript:alert(1)', audit: { page } }));
  await fetch(post({ email: 'b@example.com', utm_source: html, audit: { page: 'javascript:alert(1)' } }));
  expect(await list()).toMatchObject([
    { source: html, page: site },
    { source: 'alert(1)', page: page.slice(0, 2000) },
  ]);
});

it('lists an erased content without an address, and an erased person no more', async () => {
  const { fetch, list, store } = operated();
  const keep = { review: null, dead: null, unconfirmed: null, consent: null };
  for (const email of ['ada@example.com', 'eve@example.com']) await fetch(post({ email, utm_source: 'fair' }));
  const [eve, ada] = await list();
  await store.claim({ forms: ['default'], limit: 2, now: Date.now() });
  await store.settle([ada?.id ?? ''], { state: 'delivered', at: 1, status: 'active' });
  await store.expire({ ...keep, delivered: 2 });
  await store.erase('eve@example.com');
  expect(await list()).toMatchObject([
    { id: ada?.id, address: null, source: '', state: 'delivered', status: 'active' },
  ]);
  expect(await list(`whole=true&id=${eve?.id}`)).toEqual([]);
});

it('pages the newest, and those of one state', async () => {
  const { fetch, list } = operated();
  for (const name of ['a', 'b', 'c', 'd'])
    await fetch(post({ email: `${name}@example.com`, hp_field: name === 'b' ? 'robot' : '' }));
  const first = await list('limit=3.9');
  const names = (signups: readonly ListedSignup[]): string => signups.map(({ address }) => address?.[0]).join('');
  expect(names(first)).toBe('dcb');
  expect(names(await list(`limit=3&after=${first.at(-1)?.id}`))).toBe('a');
  expect(names(await list('state=review&after='))).toBe('b');
});

it('gives whole signups on request, and logs each reading of personal data without it', async () => {
  const { fetch, list, ask, logged } = operated();
  await fetch(post({ email: 'ada@example.com' }));
  const reads = (): unknown[] =>
    logged.filter((line) => line.includes('read personal data')).map((line) => JSON.parse(line) as unknown);
  const [{ id } = { id: '' }] = await list();
  expect(reads()).toEqual([]);
  expect(await list(`whole=true&id=${id}`)).toMatchObject([{ submission: { email: 'ada@example.com' } }]);
  await list('whole=true&email=ada@example.com');
  await ask('consents');
  expect(reads()).toMatchObject([{ level: 'info', read: 'signups', id }, { read: 'signups' }, { read: 'consents' }]);
  expect(JSON.stringify(reads())).not.toContain('example.com');
});

it.each(['/operator', '/operator/'])('serves the page and its files at %s', async (path) => {
  const { fetch } = operated();
  const get = async (url: string) => {
    const answer = await fetch(new Request(url));
    return { url, status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
  };
  const page = await get(`http://relay.example${path}`);
  const files = [...page.text.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, file = '']) =>
    get(new URL(file, page.url).href),
  );
  expect(await Promise.all(files)).toMatchObject([
    { status: 200, type: 'image/svg+xml' },
    { status: 200, type: 'text/javascript; charset=utf-8' },
    { status: 200, type: 'text/css; charset=utf-8' },
  ]);
});

it('gives the snippet of a form with the public address of the relay', async () => {
  const { forms } = operated({ settings: { RELAY_PUBLIC_URL: 'https://signup.example.com/' } });
  expect(await forms('address=https://other.example')).toEqual([
    {
      name: 'default',
      origins: [site, 'https://www.shop.example'],
      hosted: null,
      snippet: `<newsletter-signup endpoint="https://signup.example.com/signup">
  <form slot="fallback" action="https://signup.example.com/signup" method="post">
    <label>Email address <input type="email" name="email" autocomplete="email" required></label>
    <button>Subscribe</button>
  </form>
</newsletter-signup>
<script src="https://signup.example.com/signup-form.js" async></script>`,
    },
  ]);
});

it('takes the address of the operator’s page where no public one is set, without the path of a publication', async () => {
  const { forms } = operated({ settings: { RELAY_PAGE: 'true' } });
  const hosted = async (query: string) => (await forms(query))[0]?.hosted;
  expect(await hosted('address=https://site.example/relay')).toBe('https://site.example/relay/signup');
  expect(await hosted('address=https://relay.example/publications/pub_1')).toBe('https://relay.example/signup');
  expect(await hosted('')).toBe('http://relay.example/signup');
});

it('gives the fields and the consent of the hosted form, with every text escaped', async () => {
  const { forms } = operated({
    settings: {
      RELAY_PAGE: 'true',
      RELAY_PAGE_LABEL: 'E-Mail <b>',
      RELAY_PAGE_BUTTON: '"Go"',
      RELAY_PAGE_FIELDS: 'First "Name":given-name, Topics=boats|<food>',
      RELAY_PAGE_CONSENT: 'I want the letter & more.',
      RELAY_CONSENT_REQUIRED: 'true',
      RELAY_CONSENT_SENTENCES: 'I want the letter.',
    },
  });
  expect((await forms('address=https://r.example'))[0]?.snippet)
    .toBe(`<newsletter-signup endpoint="https://r.example/signup">
  <newsletter-field name="First &quot;Name&quot;" autocomplete="given-name"></newsletter-field>
  <newsletter-field name="Topics" kind="list" options="boats | &lt;food&gt;"></newsletter-field>
  <newsletter-field kind="consent" label="I want the letter &amp; more." required></newsletter-field>
  <form slot="fallback" action="https://r.example/signup" method="post">
    <label>E-Mail &lt;b&gt; <input type="email" name="email" autocomplete="email" required></label>
    <label>First &quot;Name&quot; <input name="custom_fields[First &quot;Name&quot;]" autocomplete="given-name"></label>
    <fieldset><legend>Topics</legend><label><input type="checkbox" name="custom_fields[Topics][]" value="boats"> boats</label> <label><input type="checkbox" name="custom_fields[Topics][]" value="&lt;food&gt;"> &lt;food&gt;</label></fieldset>
    <label><input type="checkbox" name="consent" value="I want the letter &amp; more." required> I want the letter &amp; more.</label>
    <button>&quot;Go&quot;</button>
  </form>
</newsletter-signup>
<script src="https://r.example/signup-form.js" async></script>`);
});

it('gives a form in its language, and every link of its consent to the tag', async () => {
  const { forms } = operated({
    settings: {
      RELAY_PAGE: 'true',
      RELAY_PAGE_LANG: 'de-AT',
      RELAY_PAGE_CONSENT:
        'Den [Datenschutz](https://shop.example/ds?a=1&b) und die [AGB](https://shop.example/agb) kenne ich.',
    },
  });
  expect((await forms('address=https://r.example'))[0]?.snippet)
    .toBe(`<newsletter-signup lang="de" endpoint="https://r.example/signup">
  <newsletter-field kind="consent" label="Den [Datenschutz](https://shop.example/ds?a=1&amp;b) und die [AGB](https://shop.example/agb) kenne ich."></newsletter-field>
  <form slot="fallback" action="https://r.example/signup" method="post">
    <label>E-Mail-Adresse <input type="email" name="email" autocomplete="email" required></label>
    <label><input type="checkbox" name="consent" value="Den Datenschutz und die AGB kenne ich."> Den <a href="https://shop.example/ds?a=1&amp;b" target="_blank" rel="noopener">Datenschutz</a> und die <a href="https://shop.example/agb" target="_blank" rel="noopener">AGB</a> kenne ich.</label>
    <button>Abonnieren</button>
  </form>
</newsletter-signup>
<script src="https://r.example/languages/de.js" async></script>
<script src="https://r.example/signup-form.js" async></script>`);
});
