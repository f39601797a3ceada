/** The plugin of examples/wordpress in a real WordPress: what each author may write, and what a visitor gets of it. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleSetups } from '../../examples/demo/page/examples.ts';
import { exampleEndpoint } from '../../examples/demo/page/endpoint.ts';
import { snippetsFor } from '../../examples/demo/page/places.ts';
import { currentOptions } from '../../examples/demo/playground.ts';
import { buildIfStale } from '../../scripts/build.ts';
import signupPackage from '../../widget/package.json' with { type: 'json' };
import { zipFolder, zipPlugin } from '../../scripts/script-zip.ts';
import type { ListedForm } from '../../packages/relay/src/ops/listed-form.ts';
import { serve } from '../../packages/relay/test/commands/relay-process.ts';
import { findings } from '../../packages/sandbox/test/ui/findings.ts';
import { startServers, type Servers } from '../e2e/start-servers.ts';
import { useBrowser, type Opened } from '../e2e/use-browser.ts';
import { blocks, hides, namesIn } from '../support/block-lists.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { canRun, password, roles, startWebServer, type Site, type WebServer } from './wordpress-site.ts';

const plugin = `${zipFolder}/signup-form.php`;
const option = 'newsletter_kit_signup_form';

/**
 * What an author writes. Visitors sign up in the form that the script renders, but for authors whose tag WordPress
 * removes, because they may not write it. A late `wpautop` ends the tag before the form in it; the endpoint
 * is the tag's, so that it renders its own.
 */
const contents = {
  'a shortcode in a paragraph': {
    text: 'Breathe in.\n\n[newsletter_kit heading="Tea & cake" note="Jo\'s 5\' 2&quot; letters"]\n\nWalk back.',
  },
  'a shortcode in a sentence': { text: 'Breathe in [newsletter_kit layout="stacked"] and walk "back".' },
  'a shortcode block': {
    text: '<!-- wp:shortcode -->\n[newsletter_kit layout=joined fields="First Name"]\n<!-- /wp:shortcode -->',
  },
  'a Custom HTML block with the tag': {
    text: '<!-- wp:html -->TAG<!-- /wp:html -->',
    removedFor: ['author', 'contributor'],
  },
  'a Custom HTML block with the div': { text: '<!-- wp:html -->DIV<!-- /wp:html -->' },
  'a div in the classic editor': { text: 'Breathe in.\n\nDIV\n\nWalk back.' },
} as const;
type Content = keyof typeof contents;
const contentNames = Object.keys(contents) as Content[];

/** What happens to the page on its way: see `imitations.php`. */
const imitations = ['', 'combined', 'delayed', 'async', 'footer', 'minified', 'filters'] as const;

/** Themes of blocks are rendered before the head of the page, classic ones after it. */
const themes = { '': 'twentytwentyfour', '/letters': 'classic' } as const;
const sites = Object.keys(themes) as (keyof typeof themes)[];
const permalinks = { plain: '', pretty: '/%year%/%postname%/' } as const;
const places = sites.flatMap((path) =>
  (Object.keys(permalinks) as (keyof typeof permalinks)[]).map((links) => ({ path, links })),
);

/** Every content with every imitation; role and place change from case to case, so that every two choices meet. */
const cases = contentNames.flatMap((content, row) =>
  imitations.map((imitation, column) => ({
    content,
    imitation,
    role: roles[(row + column) % roles.length] ?? 'author',
    place: places[(row + Math.floor(column / 2) + 2 * (column % 2)) % places.length] ?? { path: '', links: 'plain' },
  })),
);

const canRunHere = await canRun();

let servers: Servers;
const session = useBrowser();
let web: WebServer;
let installed: ReadonlyMap<string, Site>;
/** Ids of posts, by site, content and role. */
const posts = new Map<string, number>();
const postKey = (path: string, content: string, role: string): string => `${path} ${content} ${role}`;

beforeAll(async () => {
  if (!canRunHere) return;
  await buildIfStale('widget');
  servers = await startServers();
  // The relay accepts the origin of the demo site, whose port WordPress takes.
  await servers.stop('demo');
  web = await startWebServer(Number(new URL(servers.demoUrl).port));
  installed = new Map(
    await Promise.all(sites.map(async (path) => [path, await web.install(path, themes[path])] as const)),
  );
  const texts = await textsOfContents();
  for (const [path, site] of installed) {
    const zip = join(site.folder, 'plugin.zip');
    await writeFile(zip, await zipPlugin());
    const installedVersion = await site.run(
      `require ABSPATH . 'wp-admin/includes/admin.php';
       require ABSPATH . 'wp-admin/includes/class-wp-upgrader.php';
       (new Plugin_Upgrader(new Automatic_Upgrader_Skin()))->install($input['zip']);
       $error = activate_plugin($input['plugin']);
       if (is_wp_error($error)) throw new Exception($error->get_error_message());
       return get_plugin_data(WP_PLUGIN_DIR . '/' . $input['plugin'])['Version'];`,
      { plugin, zip },
    );
    expect(installedVersion).toBe(signupPackage.version);
    await configure(site);
    const written = contentNames.flatMap((content) =>
      roles.map((role) => ({ title: content, role, text: texts[content] })),
    );
    const ids = await write(site, written);
    for (const [index, { title, role }] of written.entries()) posts.set(postKey(path, title, role), ids[index] ?? 0);
  }
}, 600_000);
afterAll(async () => {
  await web?.close();
  await servers?.close();
});

/** The contents with the snippets of the playground in them, which post to the relay. */
async function textsOfContents(): Promise<Readonly<Record<Content, string>>> {
  const card = exampleSetups.find(({ title }) => title === 'Card');
  if (!card) throw new Error('The playground has no example with a card.');
  const setup = { ...card.setup, platform: 'wordpress', fields: [{ name: 'First Name' }] } as const;
  const [tag = '', div = ''] = snippetsFor(setup, await currentOptions()).map(({ code }) =>
    code.replaceAll(/<!--.*-->\n?/g, '').replaceAll(exampleEndpoint, `${servers.relayUrl}/signup`),
  );
  expect(tag).toContain(`src="${servers.relayUrl}/signup-form.js"`);
  expect(div).toContain('data-newsletter-field');
  return Object.fromEntries(
    Object.entries(contents).map(([name, { text }]) => [name, text.replace('TAG', tag).replace('DIV', div)]),
  ) as Record<Content, string>;
}

interface Post {
  readonly title: string;
  readonly role: (typeof roles)[number];
  readonly text: string;
}

/** Writes posts over the REST API, as editors do, and publishes them as an administrator. @returns their ids */
function write(site: Site, written: readonly Post[]): Promise<number[]> {
  return site.run(
    `$ask = function ($user, $path, $body) {
       wp_set_current_user(get_user_by('login', $user)->ID);
       $request = new WP_REST_Request('POST', "/wp/v2/posts$path");
       $request->set_body_params($body);
       $response = rest_do_request($request);
       if ($response->is_error()) throw new Exception($response->as_error()->get_error_message());
       return $response->get_data()['id'];
     };
     return array_map(function ($post) use ($ask) {
       $id = $ask($post['role'], '', ['title' => $post['title'], 'content' => $post['text'], 'status' => 'pending']);
       return $ask('administrator', "/$id", ['status' => 'publish']);
     }, $input);`,
    written,
  );
}

/** Publishes one post. @returns its address */
async function publish(site: Site, text: string, role: Post['role'] = 'author'): Promise<string> {
  const [id = 0] = await write(site, [{ title: 'A post', role, text }]);
  return `${site.url}/?p=${id}`;
}

/** Sets the plugin's option, as a form of the settings page or an import does. */
function configure(site: Site, changes: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const value = {
    endpoint: `${servers.relayUrl}/signup`,
    layout: 'card',
    theme: 'meadow',
    fields: 'First Name',
    ...changes,
  };
  return site.run(`update_option($input['option'], $input['value']);`, { option, value });
}

function siteAt(path: string): Site {
  const site = installed.get(path);
  if (!site) throw new Error(`There is no site at "${path}".`);
  return site;
}

/** The addresses of posts are asked of WordPress, once for each place. */
async function addresses(path: string, links: keyof typeof permalinks): Promise<ReadonlyMap<number, string>> {
  const all = await siteAt(path).run<Record<string, string>>(
    `global $wp_rewrite;
     $wp_rewrite->set_permalink_structure($input);
     flush_rewrite_rules();
     $all = [];
     foreach (get_posts(['numberposts' => -1]) as $post) $all[$post->ID] = get_permalink($post);
     return $all;`,
    permalinks[links],
  );
  return new Map(Object.entries(all).map(([id, address]) => [Number(id), address]));
}

function withQuery(address: string, query: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) if (value) url.searchParams.set(name, value);
  return url.href;
}

/** Opens a page that notes which elements tell it of a success. */
function visit(address: string, javaScript = true): Promise<Opened> {
  const before = `seenSuccesses = [];
    addEventListener('newsletter-success', ({ target }) => seenSuccesses.push(target.localName));`;
  return session.open(address, { javaScript, before });
}

const sessions = new Map<string, Promise<string>>();

/** Signs in, once. @returns the cookies of the session */
function signIn(site: Site, role: Post['role']): Promise<string> {
  const key = `${site.url} ${role}`;
  const cookies =
    sessions.get(key) ??
    fetch(`${site.url}/wp-login.php`, {
      method: 'POST',
      body: new URLSearchParams({ log: role, pwd: password }),
      redirect: 'manual',
    }).then(({ status, headers }) => {
      expect(status).toBe(302);
      return headers
        .getSetCookie()
        .map((cookie) => cookie.split(';')[0])
        .join('; ');
    });
  sessions.set(key, cookies);
  return cookies;
}

/** A page in which somebody is signed in. Its context is closed by the test. */
async function pageOf(site: Site, role: Post['role']): Promise<Page> {
  const context = await session.browser.createBrowserContext();
  const cookies = (await signIn(site, role)).split('; ').map((cookie) => cookie.split('='));
  await context.setCookie(
    ...cookies.map(([name = '', value = '']) => ({ name, value, domain: new URL(site.url).hostname, path: '/' })),
  );
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  return page;
}

/**
 * Selects in the form that the script renders, whose parts have names: the tag also contains the form for visitors
 * without it, or what filters have left of that.
 */
const rendered = (selector: string): string => `newsletter-signup >>> ${selector}[part]:not([slot=fallback] *)`;

/** Fills in the form that the script renders, sends it, and waits for the thanks. */
async function signUp(page: Page, email: string): Promise<void> {
  // Delayed scripts wait for it.
  await page.mouse.move(40, 40);
  await (await page.waitForSelector(rendered('input[name=email]'), { visible: true }))?.type(email);
  await (await page.$(rendered('[part=input]:not([name=email])')))?.type('Ada');
  await (await page.$(rendered('button')))?.click();
  await page.waitForSelector('newsletter-signup:state(success) >>> [part~=notice]', { visible: true });
}

/** Fills in the form that works without the script, and posts it. */
async function postFallback(page: Page, email: string): Promise<void> {
  await page.type('[slot=fallback] input[name=email]', email);
  await page.type('[slot=fallback] input[name="custom_fields[First Name]"]', 'Ada');
  await Promise.all([page.waitForNavigation(), page.click('[slot=fallback] button')]);
  expect(page.url()).toContain(servers.relayUrl);
  expect(await arrived(email)).toMatchObject({ custom_fields: [{ name: 'First Name', value: 'Ada' }] });
}

/** The subscription of this address, once the relay has delivered it. */
async function arrived(email: string): Promise<unknown> {
  const list = () => servers.api.subscriptions.list({ email, expand: ['custom_fields'] });
  await expect.poll(async () => (await list()).items.length).toBe(1);
  return (await list()).items[0];
}

describe.skipIf(!canRunHere)('the plugin in WordPress', () => {
  it('is tried in every pair of choices', () => {
    const pairs = new Set(
      cases.flatMap(({ content, imitation, role, place: { path, links } }) => {
        const choices = [content, imitation || 'none', role, path || 'root', links];
        return choices.flatMap((one) => choices.map((other) => `${one} × ${other}`));
      }),
    );
    const dimensions = [
      contentNames,
      imitations.map((name) => name || 'none'),
      roles,
      sites.map((path) => path || 'root'),
      Object.keys(permalinks),
    ];
    const missing = dimensions.flatMap((ones, index) =>
      dimensions
        .slice(index + 1)
        .flatMap((others) =>
          ones.flatMap((one) => others.map((other) => `${one} × ${other}`).filter((pair) => !pairs.has(pair))),
        ),
    );
    expect(missing).toEqual([]);
  });

  describe.each(places)('at "$path" with $links permalinks', ({ path, links }) => {
    let address: ReadonlyMap<number, string>;
    beforeAll(async () => {
      address = await addresses(path, links);
    });

    it.each(cases.filter(({ place }) => place.path === path && place.links === links))(
      '$content, by $role, page $imitation',
      async ({ content, role, imitation }) => {
        const id = posts.get(postKey(path, content, role)) ?? 0;
        const email = `case-${path.slice(1)}-${id}-${imitation}-${links}@example.com`;
        const query = { imitate: imitation, utm_source: 'harbour', utm_campaign: `post ${id}` };
        const { page, complaints } = await visit(withQuery(address.get(id) ?? '', query));
        const { removedFor = [] } = contents[content] as { readonly removedFor?: readonly string[] };
        if (removedFor.includes(role)) {
          await page.mouse.move(40, 40);
          expect(await page.$('newsletter-signup, form[action*=signup]')).toBeNull();
          return;
        }
        await signUp(page, email);
        expect(await page.evaluate('seenSuccesses')).toEqual(['newsletter-signup']);
        expect(await arrived(email)).toMatchObject({
          utm_source: 'harbour',
          utm_campaign: `post ${id}`,
          custom_fields: [{ name: 'First Name', value: 'Ada' }],
        });
        expect(complaints).toEqual([]);
      },
    );
  });

  it.each([
    ['', 'a shortcode in a paragraph', ''],
    ['', 'a shortcode in a sentence', 'minified'],
    ['', 'a shortcode block', 'filters'],
    ['/letters', 'a shortcode in a sentence', 'filters'],
    ['/letters', 'a shortcode block', 'delayed'],
    ['/letters', 'a Custom HTML block with the tag', ''],
  ] as const)('at "%s", %s on a page %s posts without JavaScript', async (path, content, imitation) => {
    const site = siteAt(path);
    const id = posts.get(postKey(path, content, 'administrator')) ?? 0;
    const { page } = await visit(withQuery(`${site.url}/?p=${id}`, { imitate: imitation }), false);
    await postFallback(page, `plain-${path.slice(1)}-${id}@example.com`);
  });

  it('is written as a Shortcode block in the block editor, by an author', async () => {
    const site = siteAt('');
    await site.run(
      `$hidden = ['core/edit-post' => ['welcomeGuide' => false], '_modified' => gmdate('c')];
       update_user_meta(get_user_by('login', 'author')->ID, $GLOBALS['wpdb']->get_blog_prefix() . 'persisted_preferences', $hidden);`,
    );
    const page = await pageOf(site, 'author');
    await page.goto(`${site.url}/wp-admin/post-new.php`);
    const canvas = await (await page.waitForSelector('iframe[name=editor-canvas]'))?.contentFrame();
    await (await canvas?.waitForSelector('h1[contenteditable=true]'))?.type('Fog');
    await page.keyboard.press('Enter');
    await page.keyboard.type('/shortcode');
    await page.waitForSelector('[role=option][aria-selected=true]::-p-text(Shortcode)', { visible: true });
    await page.keyboard.press('Enter');
    await (await canvas?.waitForSelector('textarea'))?.type('[newsletter_kit heading="Tea & cake"]');
    await (await page.waitForSelector('button.editor-post-publish-panel__toggle:not([aria-disabled=true])'))?.click();
    const publishing = '.editor-post-publish-panel button.editor-post-publish-button:not([aria-disabled=true])';
    await (await page.waitForSelector(publishing, { visible: true }))?.click();
    const link = await page.waitForSelector('.post-publish-panel__postpublish-buttons a[href]', { visible: true });
    const address = await link?.evaluate((element) => element.getAttribute('href'));
    await page.browserContext().close();
    const { page: visited } = await visit(address ?? '');
    expect(await visited.$eval('newsletter-signup h2', ({ textContent }) => textContent)).toBe('Tea & cake');
    await signUp(visited, 'block-editor@example.com');
    await arrived('block-editor@example.com');
  });

  it('has the snippet of the operator’s page in a Custom HTML block', async () => {
    const token = (await readFile(`${servers.relayFile}-operator`, 'utf8')).trim();
    const answer = await fetch(`${servers.relayUrl}/operator/api/forms`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { forms } = (await answer.json()) as { readonly forms: readonly ListedForm[] };
    const html = `<!-- wp:html -->${forms[0]?.snippet}<!-- /wp:html -->`;
    const { page, complaints } = await visit(await publish(siteAt(''), html, 'editor'));
    await signUp(page, 'operator@example.com');
    await arrived('operator@example.com');
    expect(complaints).toEqual([]);
  });

  it.each([
    ['', 'shortcode'],
    ['', 'div'],
    ['/letters', 'shortcode'],
    ['/letters', 'div'],
  ] as const)('at "%s", works as a %s in the footer of the theme', async (path, kind) => {
    const site = siteAt(path);
    const div = `<div data-newsletter-signup data-endpoint="${servers.relayUrl}/signup"></div>`;
    const html = kind === 'div' ? `<!-- wp:html -->${div}<!-- /wp:html -->` : '[newsletter_kit layout="inline"]';
    const part = await site.run(
      `update_option(strpos($input, '[') === 0 ? 'footer_text' : 'footer_html', $input);
       $part = wp_insert_post(['post_type' => 'wp_template_part', 'post_name' => 'footer', 'post_title' => 'Footer', 'post_status' => 'publish', 'post_content' => wp_slash($input)]);
       wp_set_object_terms($part, get_stylesheet(), 'wp_theme');
       return $part;`,
      html,
    );
    const { page, complaints } = await visit(await publish(site, 'No form here.'));
    await signUp(page, `footer-${kind}${path.replace('/', '-')}@example.com`);
    await arrived(`footer-${kind}${path.replace('/', '-')}@example.com`);
    expect(complaints).toEqual([]);
    await site.run(`delete_option('footer_text'); delete_option('footer_html'); wp_delete_post($input, true);`, part);
  });

  describe('what an author types in a shortcode', () => {
    const typed = [
      ['administrator', 'heading="Tea & cake"', 'Tea & cake'],
      ['author', 'heading="Tea &amp; cake &lt;3"', 'Tea & cake <3'],
      ['author', `heading='Jo "The Gull" Smith'`, 'Jo "The Gull" Smith'],
      ['author', `heading="Jo's 5' 6 letters"`, `Jo's 5' 6 letters`],
      ['administrator', `heading="A&quot;><img src=x onerror=alert(1)>"`, undefined],
      ['administrator', `heading='"&gt;&lt;img src=x onerror=alert(1)&gt;'`, '"><img src=x onerror=alert(1)>'],
      ['contributor', `heading=Wave button='" onfocus="alert(1)" autofocus="'`, 'Wave'],
      ['contributor', `heading=Wave fields='" onfocus="alert(1)" autofocus="'`, 'Wave'],
      ['contributor', `heading=Wave layout='card" onclick="alert(1)'`, 'Wave'],
    ] as const;
    const ids = new Map<string, readonly number[]>();
    beforeAll(async () => {
      for (const [path, site] of installed) {
        const written = typed.map(([role, attributes]) => ({
          title: 'A post',
          role,
          text: `[newsletter_kit ${attributes}]`,
        }));
        ids.set(path, await write(site, written));
      }
    });

    it.each(typed.map(([role, attributes, heading], row) => ({ role, attributes, heading, row })))(
      '$attributes, by $role: the heading is the text $heading, and there is no other element',
      async ({ heading, row }) => {
        for (const [path, { url }] of installed) {
          const { page } = await visit(`${url}/?p=${ids.get(path)?.[row] ?? 0}`, false);
          const headings = await page.$$eval('h2[slot=head]', (all) => all.map(({ textContent }) => textContent));
          expect(headings).toEqual(heading === undefined ? [] : [heading]);
          expect(await page.$$('newsletter-signup img, [onfocus], [onclick], [onerror]')).toEqual([]);
        }
      },
    );
  });

  it('has fields of each kind and the consent, with and without JavaScript', async () => {
    const site = siteAt('');
    await configure(site, {
      fields: 'First Name*:given-name, Age:integer, Printed:boolean, Topics=boats|food & drink',
      consent: 'I agree to the [terms](https://example.com/t%20x?a=1&b=2) and the "rules [here".',
    });
    const sentence = 'I agree to the terms and the "rules here".';
    const address = await publish(site, '[newsletter_kit]');
    const fields = ['First Name', 'Age', 'Printed', 'Topics'].map((name) => `custom_fields[${name}]`);
    for (const javaScript of [true, false]) {
      const { page } = await visit(address, javaScript);
      const inForm = (selector: string): string => (javaScript ? rendered(selector) : `[slot=fallback] ${selector}`);
      const email = `kinds-${javaScript}@example.com`;
      await page.waitForSelector(inForm('[name=email]'), { visible: true });
      const [name, age, printed, topics] = fields.map((field) => inForm(`[name^="${field}"]`));
      expect(
        await page.$eval(name ?? '', (input) => [
          (input as HTMLInputElement).autocomplete,
          (input as HTMLInputElement).required,
        ]),
      ).toEqual(['given-name', true]);
      await page.type(inForm('[name=email]'), email);
      await page.type(name ?? '', 'Ada');
      await page.type(age ?? '', '42');
      for (const box of [printed, topics, inForm('[name=consent]')]) await page.click(box ?? '');
      const shown = inForm('label:has([name=consent])');
      expect(await page.$eval(shown, ({ textContent }) => textContent.trim())).toBe(sentence);
      expect(await page.$eval(`${shown} a`, (link) => (link as HTMLAnchorElement).href)).toBe(
        'https://example.com/t%20x?a=1&b=2',
      );
      const posted = page.waitForRequest((request) => request.method() === 'POST');
      await page.click(inForm('button'));
      const body = (await posted).postData() ?? '';
      const sent = javaScript ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
      expect(sent).toMatchObject(
        javaScript
          ? {
              consent: sentence,
              custom_fields: [{ value: 'Ada' }, { value: 42 }, { value: true }, { value: ['boats'] }],
            }
          : {
              consent: sentence,
              [`${fields[0]}`]: 'Ada',
              [`${fields[1]}`]: '42',
              [`${fields[2]}`]: 'true',
              [`${fields[3]}[]`]: 'boats',
            },
      );
      await arrived(email);
    }
    const { page } = await visit(await publish(site, '[newsletter_kit fields="" consent=""]'));
    await page.waitForSelector(rendered('[name=email]'), { visible: true });
    expect(await page.$('newsletter-field, [slot=fallback] label + label')).toBeNull();
    await configure(site);
  });

  it.each(sites)(
    'at "%s", feeds have a link to the post in place of the form, which readers do not show',
    async (path) => {
      const site = siteAt(path);
      await site.run(`update_option('posts_per_rss', 100);`);
      const feed = await (await fetch(`${site.url}/?feed=rss2`)).text();
      const items = [
        ...feed.matchAll(
          /<title>([^<]*)<\/title>\s*<link>([^<]*)<(?:(?!<\/item>).)*<content:encoded><!\[CDATA\[(.*?)\]\]>/gs,
        ),
      ];
      for (const content of contentNames) {
        const written = items.filter(([, title]) => title === content);
        expect(written.length, content).toBe(roles.length);
        const linked = written.filter(([, , link, html = '']) => html.includes(`<a href="${link}">Subscribe</a>`));
        // WordPress removes the tag where the author may not write it.
        expect(linked.length, content).toBe(content === 'a Custom HTML block with the tag' ? 2 : roles.length);
        for (const [, , , html] of linked) expect(html).not.toMatch(/<(form|input|button|newsletter)|data-newsletter/);
      }
    },
  );

  it('loads no file on a page without a form', async () => {
    for (const path of sites)
      expect(await (await fetch(await publish(siteAt(path), 'No form here.'))).text()).not.toContain(
        `plugins/${zipFolder}`,
      );
  });

  it('has no address, class or id of a block list', async () => {
    const site = siteAt('');
    const id = posts.get(postKey('', 'a shortcode in a paragraph', 'author')) ?? 0;
    const html = await (await fetch(`${site.url}/?p=${id}`)).text();
    const ours = [
      ...html.matchAll(/<(?:link|script)\b[^>]*plugins\/[^>]*>|<newsletter-signup.*?<\/newsletter-signup>/gs),
    ];
    expect(ours.length).toBeGreaterThan(3);
    expect(hides(namesIn(ours.join('\n')))).toBe('');
    const files = Object.keys(unzipSync(await zipPlugin()));
    expect(files).toContain(`${zipFolder}/signup-form-complete.js`);
    expect(files.flatMap((file) => blocks(`https://site.example/wp-content/plugins/${file}`, 'script') ?? [])).toEqual(
      [],
    );
  });

  describe('with wrong settings', () => {
    const forms = { 'no form': 0, 'a form': 1 } as const;
    it.each([
      ['no endpoint', { endpoint: '' }, 'http', 'no form', 'it has no endpoint'],
      [
        'an endpoint without https',
        { endpoint: 'relay.example/signup' },
        'http',
        'no form',
        'does not begin with https://',
      ],
      [
        'an endpoint that is a script',
        { endpoint: 'javascript:alert(1)' },
        'http',
        'no form',
        'does not begin with https://',
      ],
      ['an endpoint with http, on https', {}, 'https', 'no form', 'block an endpoint with http://'],
      [
        'an unknown layout',
        { layout: 'slides' },
        'http',
        'a form',
        'There is no layout &quot;slides&quot;. Take one of inline,',
      ],
      [
        'a theme that is not there',
        { theme: '../../twentytwentyfour/style' },
        'http',
        'a form',
        'There is no theme &quot;../..',
      ],
    ] as const)(
      '%s: an administrator sees why, and a visitor nothing broken',
      async (_, changes, protocol, shown, why) => {
        for (const path of sites) {
          const site = siteAt(path);
          await configure(site, changes);
          const url = await site.run<string>(
            `update_option('home', $input['home']); return get_permalink($input['id']);`,
            {
              home: site.url.replace('http', protocol),
              id: posts.get(postKey(path, 'a shortcode in a paragraph', 'author')),
            },
          );
          const address = url.replace('https', 'http');
          for (const role of [null, 'administrator', 'author'] as const) {
            const headers = { 'x-forwarded-proto': protocol, cookie: role ? await signIn(site, role) : '' };
            const html = await (await fetch(address, { headers })).text();
            expect(html.split('<newsletter-signup').length - 1, `${role} ${path}`).toBe(forms[shown]);
            expect(html.includes('role="note"'), `${role} ${path}`).toBe(role === 'administrator');
            if (role === 'administrator') expect(html).toContain(why);
            expect(html).not.toMatch(/javascript:|href='[^']*twentytwentyfour\/style/);
          }
          await configure(site);
        }
      },
    );

    it('an author sees a layout that is unknown in a shortcode, and may not change another’s', async () => {
      const site = siteAt('');
      const address = await publish(site, '[newsletter_kit layout=slides]', 'author');
      const seenBy = async (role: Post['role']): Promise<boolean> =>
        (await (await fetch(address, { headers: { cookie: await signIn(site, role) } })).text()).includes(
          'no layout &quot;slides',
        );
      expect(await Promise.all(roles.map(seenBy))).toEqual([true, true, true, false]);
    });
  });

  describe('the settings page', () => {
    const settingsPath = '/wp-admin/options-general.php?page=signup-form';

    it('saves what an administrator chooses, and says what is wrong', async () => {
      const site = siteAt('/letters');
      await configure(site, { endpoint: '' });
      const page = await pageOf(site, 'administrator');
      await page.goto(site.url + settingsPath);
      await page.waitForSelector('::-p-text(it has no endpoint)');
      const save = async (endpoint: string): Promise<unknown> => {
        await page.$eval('#endpoint', (input, value) => ((input as HTMLInputElement).value = value), endpoint);
        await page.select('#layout', 'stacked');
        await page.select('#theme', 'linen');
        await page.$eval('#fields', (input) => ((input as HTMLInputElement).value = ' First Name, <b>"Town"</b> '));
        await page.$eval('#consent', (input) => ((input as HTMLInputElement).value = 'I agree to <i>[this].'));
        await Promise.all([page.waitForNavigation(), page.click('#submit')]);
        await page.waitForSelector('::-p-text(Settings saved.)');
        return site.run(`return get_option($input);`, option);
      };
      const chosen = {
        layout: 'stacked',
        theme: 'linen',
        fields: 'First Name, "Town"',
        consent: 'I agree to [this].',
      };
      expect(await save('javascript:alert(1)')).toEqual({ ...chosen, endpoint: 'javascript:alert(1)' });
      await page.waitForSelector('::-p-text(does not begin with https://)');
      const endpoint = 'https://relay.example/sign%20up?a=1&b=2';
      expect(await save(endpoint)).toEqual({ ...chosen, endpoint });
      await page.waitForSelector('::-p-text(Write [newsletter_kit])');
      expect(
        await page.$$eval('form input.large-text, form select', (all) =>
          all.map((each) => (each as HTMLInputElement).value),
        ),
      ).toEqual([endpoint, 'stacked', 'linen', 'First Name, "Town"', 'I agree to [this].']);
      await page.goto(await publish(site, '[newsletter_kit]'));
      expect(await page.$eval('newsletter-signup form', (form) => form.getAttribute('action'))).toBe(endpoint);
      await page.browserContext().close();
      await configure(site);
    });

    it('tests the endpoint at the press of a button, and says in a sentence what answers', async () => {
      const site = siteAt('/letters');
      const stranger = await serve(scratchFolder(), { RELAY_ALLOWED_ORIGINS: 'https://other.example' });
      const answers = [
        [`${servers.relayUrl}/signup`, 'refuses an invalid address (400), as it should'],
        [`${servers.relayUrl}/elsewhere`, 'Check its path.'],
        [`${site.url}/`, 'answered with a page'],
        [`${stranger.address}/signup`, `does not let pages of ${new URL(site.url).origin} read its answers`],
        ['http://127.0.0.1:9/signup', 'Nothing answers at http://127.0.0.1:9'],
      ] as const;
      const page = await pageOf(site, 'administrator');
      for (const [endpoint, answer] of answers) {
        await configure(site, { endpoint });
        await page.goto(site.url + settingsPath);
        await page.locator('newsletter-signup >>> [part=debug-test]').click();
        await page.waitForSelector(`newsletter-signup >>> [part=debug]::-p-text(${answer})`);
      }
      await page.browserContext().close();
      await configure(site);
    });

    it.each(['editor', 'author', 'contributor'] as const)('is closed to %s', async (role) => {
      const site = siteAt('/letters');
      const before = await site.run(`return get_option($input);`, option);
      const headers = { cookie: await signIn(site, role) };
      expect((await fetch(site.url + settingsPath, { headers })).status).toBe(403);
      const body = new URLSearchParams({
        option_page: option,
        action: 'update',
        [`${option}[endpoint]`]: 'https://evil.example',
      });
      expect((await fetch(`${site.url}/wp-admin/options.php`, { method: 'POST', headers, body })).status).toBe(403);
      expect(await site.run(`return get_option($input);`, option)).toEqual(before);
    });

    it('takes nothing from a form of another site', async () => {
      const site = siteAt('/letters');
      const body = new URLSearchParams({
        option_page: option,
        action: 'update',
        [`${option}[endpoint]`]: 'https://evil.example',
      });
      const headers = { cookie: await signIn(site, 'administrator') };
      expect((await fetch(`${site.url}/wp-admin/options.php`, { method: 'POST', headers, body })).status).toBe(403);
      expect(await site.run(`return get_option($input)['endpoint'];`, option)).toBe(`${servers.relayUrl}/signup`);
    });
  });

  it.each(sites.flatMap((path) => ['', 'arabic'].map((imitation) => [path, themes[path], imitation] as const)))(
    'at "%s", in the theme %s, the form has room in 320 pixels, %s',
    async (path, _, imitation) => {
      const id = posts.get(postKey(path, 'a shortcode in a paragraph', 'author')) ?? 0;
      for (const javaScript of [false, true]) {
        const { page } = await visit(withQuery(`${siteAt(path).url}/?p=${id}`, { imitate: imitation }), javaScript);
        await page.setViewport({ width: 320, height: 900 });
        await page.reload();
        const button = await page.waitForSelector(javaScript ? rendered('button') : '[slot=fallback] button', {
          visible: true,
        });
        expect(await button?.evaluate(({ textContent }) => textContent.trim())).toBe(imitation ? 'اشترك' : 'Subscribe');
        expect(await button?.evaluate((element) => getComputedStyle(element).direction)).toBe(
          imitation ? 'rtl' : 'ltr',
        );
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
        if (javaScript) expect((await findings(page)).filter((finding) => finding.includes('newsletter-'))).toEqual([]);
      }
    },
  );

  it('leaves neither option nor file behind when it is deleted', async () => {
    const site = siteAt('');
    const kept = await site.run(
      `require ABSPATH . 'wp-admin/includes/admin.php';
       deactivate_plugins($input['plugin']);
       $kept = get_option($input['option']) !== false;
       $deleted = delete_plugins([$input['plugin']]);
       return [$kept, $deleted, get_option($input['option']), file_exists(WP_PLUGIN_DIR . '/' . dirname($input['plugin']))];`,
      { plugin, option },
    );
    expect(kept).toEqual([true, true, false, false]);
  });

  it('PHP has nothing to say about the plugin', async () => {
    expect(await web.complaints(zipFolder)).toEqual([]);
  });
});
