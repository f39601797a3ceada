/** DNS rebinding in a real Firefox: a page of a name that resolves to this machine asks the sandbox as its own site. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer, { type Browser } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findFirefox } from '../../../../test/support/browsers/find.ts';
import { listen } from '../../src/command/listen.ts';
import { createSandbox } from '../../src/index.ts';

const executablePath = findFirefox();
const name = 'evil.example';

describe.skipIf(!executablePath)(
  executablePath ? 'rebinding in Firefox' : 'rebinding in Firefox (skipped: there is no Firefox on the PATH)',
  () => {
    let browser: Browser | undefined;
    let profile = '';
    beforeAll(async () => {
      profile = mkdtempSync(join(tmpdir(), 'sandbox-firefox-'));
      browser = await puppeteer.launch({
        browser: 'firefox',
        executablePath: executablePath ?? '',
        userDataDir: profile,
        extraPrefsFirefox: { 'network.dns.localDomains': name, 'dom.security.https_first': false },
      });
    });
    afterAll(async () => {
      try {
        await browser?.close();
      } finally {
        rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
      }
    });

    /** Opens a page of this host on a fresh sandbox and lets it read and reset the sandbox. */
    async function visit(host: string, allowedHosts: readonly string[] = []) {
      const sandbox = createSandbox({ seed: 'demo' });
      const { address, stop } = await listen(sandbox, { host: '127.0.0.1', port: 0, allowedHosts });
      onTestFinished(stop);
      if (!browser) throw new Error('There is no browser.');
      const page = await browser.newPage();
      onTestFinished(() => page.close());
      const opened = await page.goto(`http://${host}:${new URL(address).port}/`);
      const asked = await page.evaluate(async () => {
        const ask = async (method: string, path: string) => {
          const answer = await fetch(path, { method, ...(method === 'POST' && { body: '{"seed":"empty"}' }) });
          return { status: answer.status, text: await answer.text() };
        };
        return {
          origin: location.origin,
          read: await ask('GET', '/_sandbox/subscriptions'),
          api: await ask('GET', '/v2/workspaces/publication_fields'),
          oauth: await ask('GET', '/oauth/token/info'),
          reset: await ask('POST', '/_sandbox/reset'),
        };
      });
      const kept = await (await fetch(`${address}/_sandbox/subscriptions`)).json();
      return { opened: opened?.status(), ...asked, kept: kept as { total: number } };
    }

    test('a page whose host name resolves to this machine can read and delete nothing', async () => {
      const seen = await visit(name);
      expect(seen.origin).toContain(`http://${name}:`);
      expect([seen.opened, seen.read.status, seen.api.status, seen.oauth.status, seen.reset.status]).toEqual([
        403, 403, 403, 403, 403,
      ]);
      expect(seen.read.text).not.toContain('@');
      expect(seen.read.text).toContain(`--allowed-host ${name}`);
      expect(seen.kept.total).toBe(300);
    });

    test('the same page works where its host name is allowed', async () => {
      const seen = await visit(name, [name]);
      expect([seen.opened, seen.read.status, seen.api.status, seen.reset.status]).toEqual([200, 200, 401, 200]);
      expect(seen.read.text).toContain('@');
      expect(seen.kept.total).toBe(0);
    });
  },
);
