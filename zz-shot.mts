import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import puppeteer from 'puppeteer-core';
const dist = '/work/wt-tag/widget/dist';
let answer: 'drop'|'refuse'|'accept' = 'refuse';
const server = createServer(async (req, res) => {
  const url = new URL(req.url ?? '/', 'http://x');
  if (url.pathname.endsWith('.js')) return void res.writeHead(200, { 'content-type': 'text/javascript' }).end(await readFile(dist + url.pathname).catch(() => ''));
  if (url.pathname === '/signup') {
    if (req.method === 'HEAD') return void res.writeHead(204).end();
    if (answer === 'drop') return void req.socket.destroy();
    if (answer === 'refuse') return void res.writeHead(400, { 'content-type': 'text/html' }).end(JSON.stringify({ status: 400, errors: [{ code: 'X', message: 'This list is full.' }] }));
    return void res.writeHead(202).end('{"status":"accepted"}');
  }
  res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(`<!doctype html><html lang="en"><meta name="color-scheme" content="light dark"><meta name="viewport" content="width=device-width"><style>body{font:16px system-ui;margin:2em;max-width:34em}</style>
<script src="/signup-form.js"></script><newsletter-signup ${url.searchParams.get('a') ?? ''} endpoint="/signup">${url.searchParams.get('f') ?? ''}</newsletter-signup><p>After the form.</p>`);
});
await new Promise<void>((r) => server.listen(0, '127.0.0.1', () => r()));
const origin = `http://127.0.0.1:${(server.address() as any).port}`;
const browser = await puppeteer.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const consent = '<newsletter-field name="Size" kind="double"></newsletter-field><newsletter-field kind="consent" required href="/p" label="I agree to the [terms](/terms) and the [privacy notice]."></newsletter-field>';
for (const scheme of ['light', 'dark'] as const) {
  const shot = async (name: string, query: Record<string, string>, act: (page: any) => Promise<void>) => {
    const page = await browser.newPage();
    await page.setViewport({ width: 640, height: 480 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    page.on('console', (m) => { if (m.type() === 'error' && !/Failed to load/.test(m.text())) console.log(name, m.text()); });
    await page.goto(`${origin}/?${new URLSearchParams(query)}`);
    await page.waitForSelector('newsletter-signup >>> [name=email]');
    await act(page);
    await new Promise((r) => setTimeout(r, 600));
    await page.screenshot({ path: `/tmp/kit/tagshots/${name}-${scheme}.png` });
    await page.close();
  };
  const type = async (page: any) => { const i = await page.$('newsletter-signup >>> [name=email]'); await i.type('ada@example.com'); await i.press('Enter'); };
  answer = 'drop';
  await shot('offline', {}, async (page) => { await page.evaluate(() => Object.defineProperty(navigator, 'onLine', { value: false })); await type(page); });
  answer = 'refuse';
  await shot('error', {}, type);
  await shot('consent', { f: consent }, async (page) => { const s = await page.$('newsletter-signup >>> [name="custom_fields[Size]"]'); await s.type('1.234'); await page.evaluate(() => { document.documentElement.lang = ''; }); await type(page); });
  await shot('doctor', { a: 'debug' }, async (page) => { const b = await page.waitForSelector('newsletter-signup >>> [part=debug-test]'); await b.click(); });
  answer = 'accept';
  await shot('doctor-yes', { a: 'debug layout="card"' }, async (page) => { const b = await page.waitForSelector('newsletter-signup >>> [part=debug-test]'); await b.click(); });
}
await browser.close(); server.close();
