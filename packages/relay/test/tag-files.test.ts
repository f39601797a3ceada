/** The files of the form as the relay serves them to websites, over two versions of the form. */
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';
import { copyTag } from '../scripts/tag.ts';
import { createLog } from '../src/index.ts';
import { tagFiles } from '../src/tag-files.ts';
import { buildForm as build, partsIn } from './built-form.ts';
import { runRelay } from './running-relay.ts';

/** Starts a relay that serves a build. */
function serving(builtIn: string, keptIn?: string) {
  const logged: string[] = [];
  const log = createLog({ level: 'info', destination: { write: (line) => void logged.push(line) } });
  const relay = runRelay({ tagFiles: tagFiles(log, keptIn, builtIn) });
  const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    relay.fetch(new Request(`http://relay.example${path}`, { method, headers }));
  const text = async (path: string) => (await get(path)).text();
  return { logged, get, text, partsOf: async (path: string) => partsIn(await text(path)) };
}

describe('the files of the form', () => {
  it.each([
    ['/signup-form.js', 'text/javascript; charset=utf-8', 'public, max-age=3600'],
    ['/signup-landing.js', 'text/javascript; charset=utf-8', 'public, max-age=3600'],
    ['/languages/de.js', 'text/javascript; charset=utf-8', 'public, max-age=3600'],
    ['/themes/ink.css', 'text/css; charset=utf-8', 'public, max-age=3600'],
    ['a part', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
  ])('has %s, which any site may load and a cache may keep', async (name, type, caching) => {
    const { get, partsOf } = serving(build('1'));
    const path = name.startsWith('/') ? name : `/${(await partsOf('/signup-form.js'))[0]}`;
    const answer = await get(path);
    expect(answer.status).toBe(200);
    const headers = Object.fromEntries(answer.headers);
    expect(headers).toMatchObject({
      'content-type': type,
      'cache-control': caching,
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      etag: expect.stringMatching(/^"\w+"$/),
    });
    const body = await answer.text();
    const head = await get(path, {}, 'HEAD');
    expect([head.status, head.headers.get('content-type'), head.headers.get('content-length')]).toEqual([
      200,
      type,
      String(body.length),
    ]);
    expect(await head.text()).toBe('');

    const unchanged = await get(path, { 'if-none-match': headers['etag'] ?? '' });
    expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
    expect(Object.fromEntries(unchanged.headers)).toMatchObject({
      etag: headers['etag'],
      'cache-control': caching,
      'access-control-allow-origin': '*',
    });
    const compressed = await get(path, { 'accept-encoding': 'gzip, br' });
    expect(compressed.headers.get('content-encoding')).toBe('br');
    expect(compressed.headers.get('vary')).toBe('Accept-Encoding');
  });

  it('has every part that the script, the landing page and a part name, at the same address from each of them', async () => {
    const { text, partsOf } = serving(build('1'));
    const script = await partsOf('/signup-form.js');
    expect(script.map((path) => path.split('/').at(-1))).toEqual(['signup.js', 'dialog.js']);
    expect(await partsOf('/signup-landing.js')).toEqual([script[1]]);
    expect(await text(`/${script[1]}`)).toBe('dialog 1');
    const [proof] = await partsOf(`/${script[0]}`);
    expect(await text(`/${proof}`)).toBe('proof 1');
    // A part is imported from beside the one that names it.
    expect(await text(`/${script[0]}`)).toContain("import('./proof.js')");
  });

  it.each([
    '/languages/../signup',
    '/languages/..%2f..%2fpackage.json',
    '/languages/%2e%2e/%2e%2e/package.json',
    '/languages/..%5c..%5cpackage.json',
    '/languages/%00de.js',
    '/languages//de.js',
    '/parts/',
    '/parts/0000000000000000/signup.js',
    '/languages/xx.js',
    '/signup-form.css',
    '/signup-form-complete.js',
    '/_headers',
  ])('serves nothing for %s', async (path) => {
    const { get } = serving(build('1'), scratchFolder());
    const answer = await get(path);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([
      path.endsWith('/signup') ? 405 : 404,
      'no-store',
    ]);
  });

  it.each(['/signup.js', '/parts/x.js', '/languages/xx.js'])(
    'answers %s as a script, which a browser reports as missing',
    async (path) => {
      const answer = await serving(build('1')).get(path);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/javascript; charset=utf-8']);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(await answer.text()).toMatch(/^\/\/ .*\/signup-form\.js\.\n$/);
    },
  );

  it('says what to do where they are not built', async () => {
    const { get } = serving(join(scratchFolder(), 'tag'), scratchFolder());
    for (const path of ['/signup-form.js', '/languages/de.js']) {
      const answer = await get(path);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([503, 'text/javascript; charset=utf-8']);
      expect(await answer.text()).toContain('run "npm run build"');
    }
    const widget = scratchFolder();
    expect(() => copyTag(widget, join(widget, 'tag'))).toThrow('build the widget first, with "npm run build"');
  });
});

describe('a new version of the form', () => {
  it('is served at once, and the parts of the version before stay for pages that are open', async () => {
    const kept = scratchFolder();
    const before = serving(build('1'), kept);
    const old = await before.partsOf('/signup-form.js');
    const after = serving(build('2'), kept);
    expect(await after.text('/signup-form.js')).toContain('//2');
    expect(await after.text('/languages/de.js')).toBe('de 2');
    const current = await after.partsOf('/signup-form.js');
    expect(current).not.toEqual(old);
    expect(await after.text(`/${current[1]}`)).toBe('dialog 2');
    const answer = await after.get(`/${old[1]}`);
    expect(await answer.text()).toBe('dialog 1');
    expect(answer.headers.get('cache-control')).toContain('immutable');
    expect(await after.text(`/${(await after.partsOf(`/${old[0]}`))[0]}`)).toBe('proof 1');
    // Another relay that shares the folder and has not been upgraded yet.
    expect(await before.text(`/${current[1]}`)).toBe('dialog 2');
    expect([...before.logged, ...after.logged]).toEqual([]);
  });

  it('takes the place of the version that was started longest ago once twenty are kept', async () => {
    const kept = scratchFolder();
    const first = build('1');
    const old = await serving(first, kept).partsOf('/signup-form.js');
    for (let n = 0; n < 300; n += 1) {
      const folder = join(kept, 'parts', n.toString(16).padStart(16, '0'));
      mkdirSync(folder);
      utimesSync(folder, n, n);
    }
    const after = serving(build('2'), kept);
    const versions = readdirSync(join(kept, 'parts'));
    expect(versions).toHaveLength(20);
    expect(versions).toContain('000000000000012b');
    expect(versions).not.toContain('0000000000000119');
    expect(await after.text(`/${old[1]}`)).toBe('dialog 1');
  });

  it('is served without the versions before where the folder cannot be written, which is logged', async () => {
    const file = join(scratchFolder(), 'relay.db-tag');
    writeFileSync(file, '');
    const { logged, get } = serving(build('1'), file);
    for (let n = 0; n < 3; n += 1) expect((await get('/signup-form.js')).status).toBe(200);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain('RELAY_TAG_FOLDER');
  });
});
