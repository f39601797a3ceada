/** What each kind of request costs on a Worker, counted in workerd: requests to the object, and rows. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bundleWorker, startWorkerd } from '../../../../scripts/workerd.ts';
import type { Charged, ChargedSoFar } from './counted-worker.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { environment, runRelay, site } from '../running-relay.ts';
import { api } from './running-worker.ts';

/** One request of a kind. */
interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly visitor?: string;
  readonly origin?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A kind of request; `most` is what 1,000 of them may cost, alarms and deliveries included. */
interface Kind {
  readonly name: string;
  /** The n-th request of this kind. */
  readonly send: (n: number) => Sent;
  readonly status: number;
  readonly most: Charged;
}

const nothing: Charged = { requests: 0, rowsRead: 0, rowsWritten: 0 };

const eighth = (n: number, net: number): string => `10.${net}.0.${n}`;

const kinds: readonly Kind[] = [
  {
    name: 'a wrong path',
    send: () => ({ method: 'GET', path: '/wp-login.php' }),
    status: 404,
    most: nothing,
  },
  {
    name: 'the page with a hosted form',
    send: () => ({ method: 'GET', path: '/signup/consent?utm_source=insta' }),
    status: 200,
    most: nothing,
  },
  {
    name: 'a preflight',
    send: () => ({ method: 'OPTIONS' }),
    status: 204,
    most: nothing,
  },
  {
    name: 'a wrong method',
    send: () => ({ method: 'PUT' }),
    status: 405,
    most: nothing,
  },
  {
    name: 'a wrong origin',
    send: () => ({ origin: 'https://other.example' }),
    status: 403,
    most: nothing,
  },
  {
    name: 'an invalid address',
    send: () => ({ fields: { email: 'ada' } }),
    status: 400,
    most: nothing,
  },
  {
    name: 'a body that is too large',
    send: () => ({ fields: { utm_term: 'x'.repeat(9000) } }),
    status: 413,
    most: nothing,
  },
  {
    name: 'no consent where it is required',
    send: () => ({ path: '/signup/consent' }),
    status: 400,
    most: nothing,
  },
  {
    name: 'no token where one is required',
    send: () => ({ path: '/signup/token' }),
    status: 403,
    most: nothing,
  },
  {
    name: 'no proof where one is required',
    send: () => ({ path: '/signup/proof' }),
    status: 403,
    most: nothing,
  },
  {
    name: 'a wrong proof',
    send: (n) => ({ path: '/signup/proof', visitor: eighth(n, 1), fields: { proof: 'x' } }),
    status: 403,
    most: nothing,
  },
  {
    name: 'a filled honeypot',
    send: (n) => ({ visitor: eighth(n, 2), fields: { hp_field: 'https://spam.example' } }),
    status: 202,
    most: { requests: 1000, rowsRead: 2000, rowsWritten: 6000 },
  },
  {
    name: 'one visitor beyond the limit',
    send: () => ({ visitor: '192.0.2.99' }),
    status: 429,
    most: { requests: 1000, rowsRead: 2000, rowsWritten: 0 },
  },
  {
    name: 'an accepted signup',
    send: (n) => ({ visitor: eighth(n, 3) }),
    status: 202,
    most: { requests: 2000, rowsRead: 80_000, rowsWritten: 13_000 },
  },
  {
    name: 'a repeated signup',
    send: (n) => ({ visitor: eighth(n, 4), fields: { email: 'ada@example.com' } }),
    status: 202,
    most: { requests: 2000, rowsRead: 80_000, rowsWritten: 7000 },
  },
];

/** An answer without the headers of the connection, and without what is random or a time in it. */
async function contentOf(answer: Response) {
  const ofConnection = new Set([
    'connection',
    'content-encoding',
    'content-length',
    'date',
    'keep-alive',
    'transfer-encoding',
  ]);
  const headers = Object.fromEntries(
    [...answer.headers]
      .filter(([name]) => !ofConnection.has(name))
      .map(([name, value]) => [name, name === 'retry-after' ? '…' : value]),
  );
  const body = (await answer.text()).replace(/"ask":.*/, '"ask": …');
  return { status: answer.status, headers, body };
}

/** How often each kind is sent. */
const times = 4;

it('charges for each kind of request what the table says, and answers as a machine does', async () => {
  const { settings } = await api();
  const forms = {
    default: null,
    consent: { consent_required: true, page: true, page_consent: 'I want the letter.' },
    token: { form_token: true },
    proof: { proof: 'always' },
  };
  const variables = {
    ...settings,
    RELAY_SECRET: 'a-secret-of-enough-characters',
    RELAY_LIMIT_IP: '2/1h',
    // Subscriptions that are still checked would wake the object once more, ten minutes later.
    RELAY_DOUBLE_OPT_OVERRIDE: 'off',
  };
  const file = join(scratchFolder(), 'relay.json');
  writeFileSync(file, JSON.stringify({ forms }));
  const machine = runRelay({ settings: { ...variables, RELAY_CONFIG: file } });
  const { url, workerd } = await startWorkerd(await bundleWorker('packages/relay/test/worker/counted-worker.ts'), {
    variables: { ...environment, ...variables, RELAY_CONFIG: JSON.stringify({ forms }) },
  });
  onTestFinished(() => workerd.dispose());

  let sent = 0;
  /** Sends a request to the Worker and to a relay on a machine. @returns their answers */
  const send = async ({ method = 'POST', path = '/signup', visitor = '10.0.0.1', origin = site, fields }: Sent) => {
    sent += 1;
    const body = method === 'POST' ? JSON.stringify({ email: `p${sent}@example.com`, ...fields }) : null;
    const request = new Request(url + path, {
      method,
      headers: { origin, 'content-type': 'application/json', 'cf-connecting-ip': visitor },
      body,
    });
    const expected = machine.fetch(request.clone(), visitor);
    return [await contentOf(await fetch(request)), await contentOf(await expected)] as const;
  };
  /** What was charged until the object is idle. */
  const charged = async () => {
    const total = { requests: 0, rowsRead: 0, rowsWritten: 0 };
    await waitUntil('the object is idle', async () => {
      const { isIdle, ...more } = (await (await fetch(`${url}/charged`)).json()) as ChargedSoFar;
      for (const name of ['requests', 'rowsRead', 'rowsWritten'] as const) total[name] += more[name];
      return isIdle;
    });
    return total;
  };

  // The first creates the tables, and erases what has expired; the next uses up the limit of a visitor.
  for (const visitor of ['192.0.2.98', '192.0.2.99', '192.0.2.99'])
    expect(await send({ visitor, fields: { email: 'ada@example.com' } })).toMatchObject([{ status: 202 }, {}]);
  await charged();

  const tooDear: string[] = [];
  for (const { name, send: request, status, most } of kinds) {
    const total = { requests: 0, rowsRead: 0, rowsWritten: 0 };
    for (let n = 1; n <= times; n += 1) {
      const [answer, expected] = await send(request(n));
      expect({ name, ...answer }).toEqual({ name, ...expected, status });
      const more = await charged();
      for (const each of ['requests', 'rowsRead', 'rowsWritten'] as const) total[each] += (more[each] * 1000) / times;
    }
    for (const each of ['requests', 'rowsRead', 'rowsWritten'] as const)
      if (total[each] > most[each]) tooDear.push(`${name}: ${each} ${total[each]}, not ${most[each]}`);
  }
  expect(tooDear).toEqual([]);
});
