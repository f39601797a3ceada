/**
 * Starts each engine for the browser tests: English, in Berlin, so that dates and waiting times read the same
 * everywhere.
 */
import { chromeLauncher, type ChromeLauncher, type ChromeLauncherArgs } from '@web/test-runner-chrome';
import { webdriverLauncher, type WebdriverLauncher } from '@web/test-runner-webdriver';
import type { EngineName } from '../../test/support/browsers/engines.ts';
import { findChromium, findFirefox } from '../../test/support/browsers/find.ts';
import { startWebKitDriver } from '../../test/support/browsers/webkit-driver.ts';

const zone = 'Europe/Berlin';
type LaunchOptions = NonNullable<ChromeLauncherArgs['launchOptions']>;

const chromium: LaunchOptions = {
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};

/** The launcher of Chromium also controls Firefox, by WebDriver BiDi. */
const firefox: LaunchOptions = {
  browser: 'firefox',
  // No form history: Escape would close its suggestions instead of the dialog.
  extraPrefsFirefox: { 'intl.accept_languages': 'en-US,en', 'browser.formfill.enable': false },
};

function byPuppeteer(name: string, executablePath: string | undefined, options: LaunchOptions): ChromeLauncher {
  if (!executablePath) throw new Error(`These tests need ${name}, which is not installed.`);
  const launcher = chromeLauncher({
    launchOptions: { ...options, executablePath, headless: true, env: { ...process.env, TZ: zone } },
    createBrowserContext: ({ browser }) => browser.defaultBrowserContext(),
  });
  launcher.name = name;
  return launcher;
}

async function byWebDriver(): Promise<WebdriverLauncher> {
  const { port, capabilities, stop } = await startWebKitDriver(zone);
  const launcher = webdriverLauncher({
    hostname: '127.0.0.1',
    port,
    path: '/',
    logLevel: 'error',
    capabilities: { ...capabilities, 'wdio:enforceWebDriverClassic': true },
  });
  const press = launcher.sendKeys.bind(launcher);
  launcher.sendKeys = async (session, keys) => {
    // The browser's process learns from the page's which frame has the focus. The answer to a script arrives after that
    // message; without waiting for it, the first key can reach the page around the frame.
    await launcher['driver']?.execute(() => undefined);
    // One by one: the driver releases the keys only after the last one, and "ll" would be one l.
    for (const key of keys) await press(session, [key]);
  };
  const endSession = launcher.stop.bind(launcher);
  launcher.stop = async () => {
    await endSession();
    await stop();
  };
  return launcher;
}

/** The launchers by engine. */
export const launchers: Readonly<Record<EngineName, () => ChromeLauncher | Promise<WebdriverLauncher>>> = {
  chromium: () => byPuppeteer('Chromium', findChromium(), chromium),
  firefox: () => byPuppeteer('Firefox', findFirefox(), firefox),
  webkit: byWebDriver,
};
