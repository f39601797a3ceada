/** A relay in this process for tests, with a real store in a temporary folder and a log that the test can read. */
import { join } from 'node:path';
import { createClient, type Fetch } from '@newsletter-kit/core';
import { onTestFinished } from 'vitest';
import {
  createLog,
  createRelay,
  readConfig,
  type Relay,
  type RelayOptions,
  type RelayPlatform,
  type RelayTiming,
  type SignupStore,
} from '../src/index.ts';
import { openSqliteStore } from '../src/store/sqlite/open-database.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';
import { waitFor } from '../../../test/support/waits.ts';

export const site = 'https://shop.example';
export const publicationId = 'pub_00000000-0000-4000-8000-000000000001';
export const apiKey = 'sandbox-key';

/** All required settings, with the address of an unreachable API. */
export const environment = {
  NEWSLETTER_API_URL: 'http://127.0.0.1:9/v2',
  NEWSLETTER_API_KEY: apiKey,
  NEWSLETTER_PUBLICATION_ID: publicationId,
  RELAY_ALLOWED_ORIGINS: `${site},https://www.shop.example`,
};

/** The token of the operator, unless a test sets another. */
export const operatorToken = 'operator-token-of-the-tests';

/** A request with the operator token. */
export const operatorRequest = (path: string): Request =>
  new Request(`http://relay.example${path}`, { headers: { authorization: `Bearer ${operatorToken}` } });

/** The metrics page of a relay. */
export const metricsOf = async (relay: Pick<Relay, 'fetch'>): Promise<string> =>
  (await relay.fetch(operatorRequest('/metrics'))).text();

/** An unreachable API. */
export const unreachable = (): Promise<Response> =>
  Promise.reject(
    new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) }),
  );

export interface RunningRelay extends Relay {
  readonly store: SignupStore;
  readonly logged: string[];
}

/** The options of a relay, ungrouped. */
export interface RelayParts
  extends Partial<Omit<RelayOptions, 'config' | 'platform' | 'timing'>>, Partial<RelayPlatform>, RelayTiming {
  /** What the API answers. Default: nothing, it is unreachable. */
  readonly api?: Fetch;
  readonly settings?: Readonly<Record<string, string>>;
}

export function runRelay({ api = unreachable, settings = {}, ...parts }: RelayParts = {}): RunningRelay {
  const {
    mail,
    blockedDomains,
    postWebhook,
    tagFiles,
    now,
    random = () => 0.5,
    delivery,
    confirmation,
    webhooks,
    ...options
  } = parts;
  const config = readConfig({ ...environment, ...settings });
  const folder = scratchFolder();
  const store = parts.store ?? openSqliteStore(join(folder, 'relay.db'));
  const logged: string[] = [];
  const clientOf =
    parts.clientOf ??
    ((token: string) => createClient({ baseUrl: config.api.url, token, fetch: api, timeoutMs: 2000, pacer: false }));
  const relay = createRelay({
    config,
    store,
    operatorToken,
    log: createLog({ level: 'debug', secrets: [apiKey], destination: { write: (line) => void logged.push(line) } }),
    ...options,
    platform: {
      clientOf,
      mail,
      ...(blockedDomains && { blockedDomains }),
      ...(postWebhook && { postWebhook }),
      ...(tagFiles && { tagFiles }),
    },
    timing: { now, random, delivery, confirmation, webhooks },
  });
  onTestFinished(async () => {
    await waitFor('the relay has stopped', relay.stop(0));
    if (!parts.store) await store.close();
  });
  const answer: RunningRelay['fetch'] = (request, peer) =>
    waitFor(`the relay answers ${request.method} ${new URL(request.url).pathname}`, relay.fetch(request, peer));
  return { ...relay, fetch: answer, store, logged };
}

/** A post as sent by the tag on `site`. */
export function post(body: unknown, headers: Readonly<Record<string, string>> = {}): Request {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Request('http://relay.example/signup', {
    method: 'POST',
    headers: { origin: site, 'content-type': 'application/json', ...headers },
    body: text,
  });
}

/** A post as a browser sends it from a plain form. */
export function formPost(
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Request {
  return post(new URLSearchParams(fields).toString(), {
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
    ...headers,
  });
}
