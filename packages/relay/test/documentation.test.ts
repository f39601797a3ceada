/** The pages about the relay: their examples agree with the code. */
import { readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { createProgram, defineCommand } from '@newsletter-kit/command-line';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readSmtpUrl } from '../src/config/smtp-url.ts';
import { readConfig, settings } from '../src/index.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';
import { newsletterRelay } from '../src/command-line.ts';
import type { EventListener } from '../src/index.ts';
import { waitUntil } from '../../../test/support/waits.ts';
import { formPost, post, runRelay } from './running-relay.ts';
import { sandboxApi } from './sandbox-api.ts';

const read = (page: string): string =>
  readFileSync(new URL(`../../../docs/src/content/docs/${page}.md`, import.meta.url), 'utf8');
const settingsPage = read('relay/settings');
const monitoring = read('operate/monitoring');
const required = ['NEWSLETTER_API_URL', 'NEWSLETTER_API_KEY', 'NEWSLETTER_PUBLICATION_ID', 'RELAY_ALLOWED_ORIGINS'];

it('shows a valid configuration in the README', () => {
  const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, block = ''] = /```sh.*\n((?:export .*\n)+)/.exec(text) ?? [];
  const variables = Object.fromEntries(
    block
      .trim()
      .split('\n')
      .map((line) => line.replace('export ', '').split(/=(.*)/s).slice(0, 2) as [string, string]),
  );
  expect(Object.keys(variables)).toEqual([...required, 'RELAY_PORT']);
  expect(readConfig(variables).forms['default']?.origins.size).toBeGreaterThan(0);
});

it('shows a valid file with two forms', () => {
  const [, text = ''] = /```yaml\n(# relay\.yaml\n[^`]+)```/.exec(settingsPage) ?? [];
  const file = join(scratchFolder(), 'relay.yaml');
  writeFileSync(file, text);
  const { forms } = readConfig({ RELAY_CONFIG: file, NEWSLETTER_API_KEY: 'sandbox-key' });
  expect(
    Object.values(forms).map(({ name, pinned, protection }) => [name, Object.keys(pinned), protection.token]),
  ).toEqual([
    ['default', ['double_opt_override'], false],
    ['jobs', ['double_opt_override', 'automation_ids'], true],
  ]);
});

it('lists the retention of each kind of record', () => {
  const said = [...read('privacy').matchAll(/\| (\d+|until)[^|]*\(`(RELAY_\w+_DAYS)`\)/g)].map(
    ([, days = '', name]) => [name, days === 'until' ? 'never' : days],
  );
  const kept = settings.filter(({ name }) => name.endsWith('_DAYS'));
  expect(Object.fromEntries(said)).toEqual(Object.fromEntries(kept.map((each) => [each.name, each.default])));
});

it('shows a consent checkbox whose sentence is stored in the ledger', async () => {
  const page = read('concepts/consent');
  const [, value = ''] = /name="consent" value="([^"]+)"/.exec(page) ?? [];
  const [, RELAY_CONSENT_SENTENCES = ''] = /^RELAY_CONSENT_SENTENCES='(.+)'$/m.exec(page) ?? [];
  const relay = runRelay({ settings: { RELAY_CONSENT_SENTENCES } });
  await relay.fetch(formPost({ email: 'ada@example.com', consent: value }));
  expect((await relay.store.person('ada@example.com')).consents).toMatchObject([{ kind: 'given', sentence: value }]);
  expect(value.length).toBeGreaterThan(20);
});

it('shows a valid form with a confirmation', () => {
  const [, text = ''] =
    /```yaml\n(# relay\.yaml with a confirmation\n[^`]+)```/.exec(read('relay/double-opt-in')) ?? [];
  const file = join(scratchFolder(), 'relay.yaml');
  writeFileSync(file, text);
  const { forms, mail } = readConfig({ RELAY_CONFIG: file, NEWSLETTER_API_KEY: 'sandbox-key' });
  expect(mail).toMatchObject({ server: { host: 'mail.example.com', auth: { user: 'relay@example.com' } } });
  expect(forms['default']?.confirmation).toMatchObject({
    from: { name: 'Example News', address: 'news@example.com' },
    text: null,
  });
});

it('shows valid addresses of mail servers', () => {
  const [, table = ''] =
    /\| Connection of `RELAY_SMTP_URL` \|\n\|[-|]+\|\n((?:\|.*\n)+)/.exec(read('relay/double-opt-in')) ?? [];
  const servers = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, url = '']) =>
    readSmtpUrl(url.replace('…', 'smtps://mail.example')),
  );
  expect(servers.map((server) => [server?.port, server?.requireTLS, server?.ignoreTLS, server?.tls])).toEqual([
    [465, false, false, { rejectUnauthorized: true }],
    [587, true, false, { rejectUnauthorized: true }],
    [587, false, false, { rejectUnauthorized: true }],
    [25, false, true, { rejectUnauthorized: true }],
    [1025, false, true, { rejectUnauthorized: true }],
    [465, false, false, { rejectUnauthorized: false }],
  ]);
});

it('shows the scrape configuration that the alerting rules name', () => {
  const text = readFileSync(new URL('../deploy/prometheus/rules.yml', import.meta.url), 'utf8');
  const [, shown = ''] = /```yaml\n(rule_files[^`]+)```/.exec(monitoring) ?? [];
  const commented = text.match(/^# {3}.*$/gm)?.map((line) => line.slice(4)) ?? [];
  expect(parse(shown)).toEqual(parse(commented.join('\n')));
});

it('shows a listener of events that makes a span of each delivery', async () => {
  const [, example = ''] = /```ts\n([^]*?)```/.exec(monitoring) ?? [];
  const code = `data:text/javascript,${encodeURIComponent(stripTypeScriptTypes(example))}`;
  const { spansOf } = (await import(/* @vite-ignore */ code)) as { spansOf: (tracer: object) => EventListener };
  const ended: [string, { readonly startTime: number }][] = [];
  const startSpan = (...span: (typeof ended)[0]) => ({ end: () => void ended.push(span) });
  const before = Date.now();
  const relay = runRelay({ api: sandboxApi().fetch, onEvent: spansOf({ startSpan }) });
  relay.start();
  await relay.fetch(post({ email: 'ada@example.com' }));
  await waitUntil('it is delivered', () => ended.length === 1);
  expect(ended).toEqual([
    ['deliver signup', { startTime: expect.any(Number) as number, attributes: { 'newsletter.form': 'default' } }],
  ]);
  const startTime = ended[0]?.[1].startTime;
  expect(startTime).toBeGreaterThanOrEqual(before);
  expect(startTime).toBeLessThanOrEqual(Date.now());
});

it('shows valid commands', async () => {
  const lines = Array.from(read('relay/commands').matchAll(/^\| `([^`]+)` \|/gm), ([, line = '']) => line);
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) {
    const [name = '', ...words] = line.split(' > ')[0]?.match(/"[^"]*"|\S+/g) ?? [];
    const program = createProgram(newsletterRelay, null);
    const command = program.commands.find((each) => each.name() === name) as Command | undefined;
    expect(command, line).toBeDefined();
    if (!command) continue;
    await defineCommand(newsletterRelay, command, null);
    const { operands, unknown } = command.parseOptions(words);
    expect(unknown, line).toEqual([]);
    expect(operands.length, line).toBeLessThanOrEqual(command.registeredArguments.length);
  }
});
