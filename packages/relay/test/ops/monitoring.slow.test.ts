/** The alerting rules and the dashboard of `deploy`, in a real Prometheus that scrapes running relays. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import type { Alert } from '../../src/ops/alerts.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-database.ts';
import { serve, type ServingRelay } from '../commands/relay-process.ts';
import { operatorToken } from '../running-relay.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { canMount } from '../machine.ts';
import { startMailServer } from '../mail-server.ts';
import { onPort, sandboxApi, type SandboxApi } from '../sandbox-api.ts';
import { secret as webhookSecret } from '../webhooks/receiver.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { hasPrometheus, promtool, startPrometheus, type ActiveAlert, type Prometheus } from './prometheus.ts';

const rulesFile = fileURLToPath(new URL('../../deploy/prometheus/rules.yml', import.meta.url));
const rules = readFileSync(rulesFile, 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
const { groups } = parse(rules) as { groups: readonly { rules: readonly Rule[] }[] };
const allRules = groups.flatMap((group) => group.rules);

interface Dashboard {
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
  readonly panels: readonly {
    readonly title: string;
    readonly datasource?: { readonly uid: string };
    readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[];
  }[];
}
const dashboard = JSON.parse(
  readFileSync(new URL('../../deploy/grafana/dashboard.json', import.meta.url), 'utf8'),
) as Dashboard;

it('every rule has a severity, a summary and a runbook', () => {
  for (const { alert, labels, annotations } of allRules) {
    expect(labels['severity'], alert).toMatch(/^(critical|warning)$/);
    expect(annotations, alert).toEqual({ summary: expect.any(String), runbook: expect.any(String) });
  }
});

describe.skipIf(!hasPrometheus)('with Prometheus (the Debian package prometheus)', () => {
  it('the rules are valid, and fire after their time, not before', async () => {
    await promtool('check', 'rules', rulesFile);
    const tests = readFileSync(new URL('prometheus-rules.test.yml', import.meta.url), 'utf8');
    const tested = new Set([...tests.matchAll(/alertname: (\w+)/g)].map(([, name]) => name));
    expect(tested).toEqual(new Set(allRules.map(({ alert }) => alert)));
    const folder = scratchFolder();
    // promtool would compare the texts too: the test below looks at those.
    const bare = groups.map((group) => ({ ...group, rules: group.rules.map(({ annotations: _, ...rule }) => rule) }));
    writeFileSync(join(folder, 'rules.yml'), JSON.stringify({ groups: bare }));
    writeFileSync(join(folder, 'rules.test.yml'), tests);
    await promtool('test', 'rules', join(folder, 'rules.test.yml'));
  });

  it('every alert fires for a relay with its condition, none for a healthy one, and every panel has data', async () => {
    const webhook = await startWebhook();
    const relays = await startRelays(webhook.url);
    const targets = Object.values(relays).map(({ relay }) => new URL(relay.address).host);
    // What lasts for a second is enough here; the durations are tested above.
    const prometheus = await startPrometheus(rules.replaceAll(/for: \w+/g, 'for: 1s'), targets);
    await waitUntil(
      'every relay is scraped',
      async () => (await prometheus.query('newsletter_relay_store_up')).length === targets.length,
    );
    for (const { cause } of Object.values(relays)) await cause();

    const expected = Object.entries(relays).flatMap(([name, { relay, fires }]) =>
      fires.map((alert) => ({ name, alert, instance: new URL(relay.address).host })),
    );
    for (const { name, alert, instance } of expected)
      await waitUntil(`${alert} fires for the relay "${name}"`, async () =>
        (await prometheus.alerts()).some(
          ({ labels, state }) =>
            labels['alertname'] === alert && state === 'firing' && (labels['instance'] ?? instance) === instance,
        ),
      );
    const fired = new Set((await prometheus.alerts()).map(({ labels }) => labels['alertname']));
    const impossible = canMount() ? [] : ['NewsletterRelayDiskNearlyFull'];
    // None is here that Prometheus knows nothing of, that has erased nothing for a day, or has been read for an hour.
    expect(allRules.map(({ alert }) => alert).filter((name) => !fired.has(name) && !impossible.includes(name))).toEqual(
      ['NewsletterRelayMissing', 'NewsletterRelayLongReader', 'NewsletterRelayNothingErased'],
    );
    const healthy = new URL(relays.healthy.relay.address).host;
    expect((await prometheus.alerts()).filter(({ labels }) => labels['instance'] === healthy)).toEqual([]);
    for (const alert of await prometheus.alerts()) expectReadable(alert);

    await expectPanelsHaveData(prometheus);

    // The end of a condition: Prometheus and the relay's own alert both see it.
    relays.key.recover();
    const key = new URL(relays.key.relay.address).host;
    await waitUntil('the alert of the refused key is over', async () =>
      (await prometheus.alerts()).every(
        ({ labels }) => labels['instance'] !== key || labels['alertname'] !== 'NewsletterRelayKeyRefused',
      ),
    );
    await waitUntil('the relay reports the end', () => webhook.alerts.length === 2);
    expect(webhook.alerts).toMatchObject([
      { event: 'delivery_stalled', forms: ['default'] },
      { event: 'delivery_resumed', forms: ['default'] },
    ]);
  });
});

/** A relay, how its trouble is caused once it is scraped, and the alerts that must fire for it. */
interface TroubledRelay {
  readonly relay: ServingRelay;
  readonly cause: () => Promise<void>;
  readonly fires: readonly string[];
}

async function startRelays(webhook: string) {
  const signUp = async (relay: ServingRelay, count = 1, fields = {}): Promise<void> => {
    for (let n = 0; n < count; n += 1) expect((await relay.signUp(`person${n}@example.com`, fields)).status).toBe(202);
  };
  const mailServer = await startMailServer();
  const confirming = {
    RELAY_CONFIRMATION: 'true',
    RELAY_MAIL_FROM: 'news@shop.example',
    RELAY_PUBLIC_URL: 'https://signup.example',
  };
  const behind = async (
    api: SandboxApi,
    settings: Readonly<Record<string, string>> = {},
    folder = scratchFolder(),
    wrapper?: string,
  ): Promise<ServingRelay> =>
    serve(
      folder,
      { NEWSLETTER_API_URL: `${await onPort(api.fetch)}/v2`, RELAY_OPERATOR_TOKEN: operatorToken, ...settings },
      wrapper,
    );

  const works = sandboxApi();
  /** An API that answers every creation with this status. */
  const answering = (status: number): SandboxApi => {
    const api = sandboxApi();
    api.instead = (request) =>
      request.method === 'POST'
        ? Promise.resolve(
            Response.json({ status, statusText: 'no', errors: [{ message: 'No.', code: 'NO' }] }, { status }),
          )
        : api.sandbox.fetch(request);
    return api;
  };
  const keyApi = answering(401);

  const seeded = scratchFolder();
  const store = openSqliteStore(join(seeded, 'relay.db'));
  await store.accept({
    form: 'default',
    submission: { email: 'early@example.com' },
    suspected: null,
    needsConfirmation: false,
    origin: null,
    idempotencyKey: null,
    consent: null,
    receivedAt: Date.now() - 3_600_000,
  });
  await store.setPaused(true);
  await store.close();

  const [healthy, key, publication, down, dead, mail, webhooks, paused, full, gone, bots, strangers, unclear] =
    await Promise.all([
      behind(works),
      behind(keyApi, { RELAY_ALERT_WEBHOOK: webhook }),
      behind(answering(404)),
      behind(answering(503)),
      behind(answering(400)),
      // Nobody listens there.
      behind(works, { ...confirming, RELAY_SMTP_URL: 'smtp://127.0.0.1:9' }),
      behind(works, {
        // Nobody listens there.
        RELAY_WEBHOOK_URL: 'http://127.0.0.1:9/',
        RELAY_WEBHOOK_SECRET: webhookSecret,
        RELAY_WEBHOOK_PRIVATE_NETWORK: 'true',
      }),
      behind(works, {}, seeded),
      behind(works, {}, scratchFolder(), 'ulimit -f 3000; exec "$@"'),
      behind(works),
      behind(works),
      behind(works, { ...confirming, RELAY_SMTP_URL: mailServer.url }),
      behind(works),
    ]);
  const cramped: Readonly<Record<string, TroubledRelay>> = canMount() ? { cramped: await crampedRelay() } : {};

  return {
    ...cramped,
    healthy: { relay: healthy, cause: () => signUp(healthy, 3), fires: [] },
    key: {
      relay: key,
      cause: () => signUp(key),
      fires: ['NewsletterRelayKeyRefused'],
      recover: () => (keyApi.instead = null),
    },
    publication: { relay: publication, cause: () => signUp(publication), fires: ['NewsletterRelayPublicationRefused'] },
    down: { relay: down, cause: () => signUp(down), fires: ['NewsletterRelayApiDown'] },
    mail: { relay: mail, cause: () => signUp(mail), fires: ['NewsletterRelayMailFailing'] },
    webhooks: { relay: webhooks, cause: () => signUp(webhooks), fires: ['NewsletterRelayWebhooksFailing'] },
    dead: { relay: dead, cause: () => signUp(dead), fires: ['NewsletterRelayDeadLetters'] },
    paused: {
      relay: paused,
      cause: () => Promise.resolve(),
      fires: ['NewsletterRelayPaused', 'NewsletterRelayOldestWaiting'],
    },
    full: {
      relay: full,
      cause: () => fill(full),
      fires: ['NewsletterRelayStoreFailing', 'NewsletterRelayPostsFailing'],
    },
    // More than the others together, of whose signups a rule sees those of all relays.
    bots: { relay: bots, cause: () => signUp(bots, 500, { hp_field: 'x' }), fires: ['NewsletterRelayHoneypotFilled'] },
    strangers: { relay: strangers, cause: () => signUp(strangers, 60), fires: ['NewsletterRelayFewConfirmed'] },
    unclear: {
      relay: unclear,
      cause: () => signUp(unclear, 1, { consent: 'perhaps, if I may' }),
      fires: ['NewsletterRelayUnclearConsents'],
    },
    gone: {
      relay: gone,
      cause: () => Promise.resolve(void gone.child.kill('SIGKILL')),
      fires: ['NewsletterRelayDown'],
    },
  };
}

/** Posts until the store's file may grow no more, and then some. */
async function fill(relay: ServingRelay): Promise<void> {
  const longTexts = { utm_content: '🌷'.repeat(500), utm_term: '🌱'.repeat(500), utm_campaign: '🌻'.repeat(500) };
  let refused = 0;
  for (let n = 0; refused < 100; n += 1) {
    const { status } = await relay.signUp(`full${n}@example.com`, longTexts);
    expect([202, 503]).toContain(status);
    if (status === 503) refused += 1;
  }
}

/** A relay whose disk of 40 MB has less than 4 MB left, which is enough for its signups. */
async function crampedRelay(): Promise<TroubledRelay> {
  const folder = join(scratchFolder(), 'disk');
  mkdirSync(folder);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=40m', 'tmpfs', folder]);
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  writeFileSync(join(folder, 'other'), Buffer.alloc(37 * 1024 ** 2));
  const relay = await serve(folder, { RELAY_OPERATOR_TOKEN: operatorToken });
  return { relay, cause: () => Promise.resolve(), fires: ['NewsletterRelayDiskNearlyFull'] };
}

async function startWebhook(): Promise<{ readonly url: string; readonly alerts: Alert[] }> {
  const alerts: Alert[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => (text += String(part)));
    request.on('end', () => {
      alerts.push(JSON.parse(text) as Alert);
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void (server.closeAllConnections(), server.close()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, alerts };
}

/** The placeholders of an alert's texts are filled in. */
function expectReadable({ labels, annotations }: ActiveAlert): void {
  const name = labels['alertname'] ?? '';
  for (const text of Object.values(annotations)) {
    expect(text, name).not.toMatch(/\{\{|<no value>|<error/);
    expect(text, name).not.toMatch(/the form (;|for|has)|at (does|cannot|answers|has) /);
  }
}

/** Runs every query as Grafana would with "All" chosen, over the last minute. */
async function expectPanelsHaveData(prometheus: Prometheus): Promise<void> {
  const filled = (expression: string): string =>
    expression.replaceAll('$__rate_interval', '1m').replaceAll(/\$(job|form)\b/g, '.*');
  const panels = dashboard.panels.filter(({ targets }) => targets !== undefined);
  expect(panels.length).toBeGreaterThan(10);
  for (const { title, targets = [] } of panels) {
    for (const { expr, datasource } of targets) {
      expect(datasource.uid, title).toBe('${datasource}');
      const values = (await prometheus.query(filled(expr))).map(({ value: [, value] }) => Number(value));
      expect(values.some(Number.isFinite), `${title}: ${expr}`).toBe(true);
    }
  }
  const variables = dashboard.templating.list.filter(({ definition }) => definition !== undefined);
  expect(variables.map(({ name }) => name)).toEqual(['job', 'form']);
  for (const { name, definition = '' } of variables) {
    const [, selector = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(definition) ?? [];
    const values = (await prometheus.query(filled(selector))).map(({ metric }) => metric[label]);
    expect(new Set(values), name).toEqual(new Set([name === 'job' ? 'newsletter-relay' : 'default']));
  }
}
