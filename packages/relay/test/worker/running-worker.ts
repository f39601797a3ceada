/** The Worker in workerd, run by the process of the test. */
import { onTestFinished } from 'vitest';
import { bundleWorker, startWorkerd, type WorkerdOptions } from '../../../../scripts/workerd.ts';
import { run } from '../commands/relay-process.ts';
import { environment, site } from '../running-relay.ts';
import { onPort, sandboxApi } from '../sandbox-api.ts';

/** The operator token of every Worker here. */
export const token = 'operator-token-of-the-tests';
let bundle: Promise<string> | null = null;

interface SignUpOptions {
  readonly path?: string;
  readonly visitor?: string;
  /** Further fields of the submission. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Starts the Worker in workerd; it ends with the test. @param storage - folder of its storage. Default: in memory */
export async function start(
  settings: Readonly<Record<string, string>> = {},
  storage?: string,
  more: Pick<WorkerdOptions, 'host' | 'assets'> = {},
) {
  const logged: string[] = [];
  bundle ??= bundleWorker();
  const { url, workerd, runCron } = await startWorkerd(await bundle, {
    variables: { ...environment, RELAY_LOG_LEVEL: 'debug', RELAY_OPERATOR_TOKEN: token, ...settings },
    onLine: (line) => logged.push(line),
    ...(storage && { storage }),
    ...more,
  });
  let isRunning = true;
  const stop = async (): Promise<void> => {
    if (isRunning) await workerd.dispose();
    isRunning = false;
  };
  onTestFinished(stop);
  const at = (address: string) => ({
    get: (path: string, given = token) => fetch(address + path, { headers: { authorization: `Bearer ${given}` } }),
    command: (...args: string[]) => run(['--remote', address, ...args], { RELAY_OPERATOR_TOKEN: token }),
  });
  return {
    ...at(url),
    /** The same for one of several publications. */
    of: (publicationId: string) => at(`${url}/publications/${publicationId}`),
    url,
    logged,
    runCron,
    stop,
    signUp: (email: string, { path = '/signup', visitor = '192.0.2.1', fields = {} }: SignUpOptions = {}) =>
      fetch(url + path, {
        method: 'POST',
        headers: {
          origin: site,
          'content-type': 'application/json',
          'cf-connecting-ip': visitor,
          // As a visitor might try, to count as somebody else each time.
          'newsletter-relay-visitor': `198.51.100.${email.length + email.charCodeAt(0)}`,
          'x-forwarded-for': `203.0.113.${email.charCodeAt(0)}`,
        },
        body: JSON.stringify({ email, ...fields }),
      }),
  };
}

/** A sandbox on a port, and the setting that names it. */
export async function api() {
  const sandbox = sandboxApi();
  return { ...sandbox, sandbox, settings: { NEWSLETTER_API_URL: `${await onPort(sandbox.fetch)}/v2` } };
}
