/** A real n8n with the package as it is published, and the sandbox's command, both processes of their own. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installN8n } from '../../../scripts/n8n/install.ts';
import { freePort } from '../../support/free-ports.ts';
import { createInstallation } from '../../n8n/harness/n8n.ts';
import { installPackage } from '../../../scripts/n8n/pack.ts';
import { root } from '../../../scripts/root.ts';
import { start } from '../../../scripts/n8n/process.ts';
import { Rest, type NodeDraft } from '../../n8n/harness/rest.ts';

const publicationId = 'pub_00000000-0000-4000-8000-000000000001';

/** The sandbox's command. */
export interface ServedSandbox {
  /** Root of the API. */
  readonly baseUrl: string;
  /** Calls a path under `/_sandbox`. */
  control<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Creates a subscription. */
  subscribe(email: string): Promise<void>;
  /**
   * Numbers of the requests for the list of subscriptions since the one with number `after`, or of all that are kept.
   */
  listRequests(after?: number): Promise<readonly number[]>;
}

export interface Started {
  readonly n8n: Rest;
  readonly n8nUrl: string;
  readonly pid: number;
  /** Starts a sandbox, stopped with everything else. */
  sandbox(options?: readonly string[]): Promise<ServedSandbox>;
  /** A credential for this sandbox, as a node refers to it. */
  credentials(sandbox: ServedSandbox): Promise<NonNullable<NodeDraft['credentials']>>;
}

/** Megabytes: what the process has now, or the most it had since it was last asked to forget. */
export async function memory(pid: number, line: 'VmRSS' | 'VmHWM'): Promise<number> {
  const [, kilobytes] =
    new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** Starts n8n, lets `work` measure, and ends everything. */
export async function withN8n<Result>(work: (started: Started) => Promise<Result>): Promise<Result> {
  const installation = await createInstallation(await installN8n());
  const stops: (() => Promise<void>)[] = [() => installation.close()];
  try {
    await installPackage(installation.userFolder);
    await installation.start();
    const n8n = new Rest(installation.url, await Rest.setUpOwner(installation.url));
    return await work({
      n8n,
      n8nUrl: installation.url,
      pid: installation.pid() ?? 0,
      async sandbox(options = ['--seed', 'empty']) {
        const { served, stop } = await serveSandbox(options);
        stops.push(stop);
        return served;
      },
      async credentials({ baseUrl }) {
        return {
          newsletterApi: {
            id: await n8n.createCredential('newsletterApi', {
              service: 'other',
              apiKey: 'sandbox-key',
              baseUrl,
              publicationId,
            }),
            name: 'Of a measurement',
          },
        };
      },
    });
  } finally {
    await Promise.all(stops.map((stop) => stop()));
  }
}

async function serveSandbox(options: readonly string[]): Promise<{ served: ServedSandbox; stop(): Promise<void> }> {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const running = start(process.execPath, [
    join(root, 'packages', 'sandbox', 'dist', 'main.js'),
    '--port',
    String(port),
    ...options,
  ]);
  await answers(`${address}/_sandbox/clock`);
  const call = async (method: string, url: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(url, {
      method,
      headers: { authorization: 'Bearer sandbox-key', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  };
  const baseUrl = `${address}/v2`;
  return {
    stop: () => running.stop(),
    served: {
      baseUrl,
      control: async <T>(method: string, path: string, body?: unknown) =>
        (await call(method, `${address}/_sandbox${path}`, body)) as T,
      async subscribe(email) {
        await call('POST', `${baseUrl}/publications/${publicationId}/subscriptions`, { email });
      },
      async listRequests(after) {
        const { data } = (await call(
          'GET',
          `${address}/_sandbox/requests${after === undefined ? '' : `?after=${after}`}`,
        )) as {
          data: readonly { n: number; operation: string | null }[];
        };
        return data.filter(({ operation }) => operation === 'subscriptions.list').map(({ n }) => n);
      },
    },
  };
}

async function answers(url: string): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(50)) {
    const response = await fetch(url).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
  }
  throw new Error('The sandbox did not answer within a minute.');
}
