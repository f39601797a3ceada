/** Alerts by webhook and command: when each condition begins and ends. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAlerts, type Alert, type AlertOptions } from '../../src/ops/alerts.ts';
import type { Suspicion } from '../../src/events.ts';
import { createLog } from '../../src/log.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';

const silent = createLog({ level: 'silent' });

/** A webhook that records alerts; it answers with `statuses` in turn, then with 200. */
async function webhook(statuses: number[] = []): Promise<{ readonly url: string; readonly told: Alert[] }> {
  const told: Alert[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => (text += String(part)));
    request.on('end', () => {
      const status = statuses.shift() ?? 200;
      if (status === 200) told.push(JSON.parse(text) as Alert);
      response.writeHead(status).end();
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void (server.closeAllConnections(), server.close()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/alerts`, told };
}

function alerts(options: Partial<AlertOptions>): ReturnType<typeof createAlerts> {
  const made = createAlerts({
    log: silent,
    gatherMs: 50,
    outageDelayMs: 50,
    ...options,
  });
  onTestFinished(() => made.stop());
  return made;
}

const scope = 'API key of the form "default"';
const forms = ['default'];

const dead = {
  type: 'deadLetter',
  signup: 'id',
  form: 'default',
  reason: 'The API refused the custom field "Age".',
} as const;

describe('an alert', () => {
  test('of dead letters combines those of a minute, with their number and the last reason', async () => {
    const { url, told } = await webhook();
    const { onEvent } = alerts({ webhook: url });
    for (let count = 0; count < 3; count += 1) onEvent(dead);
    await waitUntil('it is sent', () => told.length === 1);
    expect(told[0]).toMatchObject({ event: 'dead_letters', count: 3, message: expect.stringContaining('"Age"') });
  });

  test('of a failing store is sent after its delay, and again at the recovery', async () => {
    const { url, told } = await webhook();
    const { onEvent } = alerts({ webhook: url, storeDelayMs: 50 });
    onEvent({ type: 'storeFailed', reason: 'The store cannot be written: the disk is full; free some space.' });
    await waitUntil('it is sent', () => told.length === 1);
    onEvent({ type: 'storeRecovered' });
    await waitUntil('its end is sent', () => told.length === 2);
    expect(told).toMatchObject([
      { event: 'store_failing', message: expect.stringContaining('the disk is full') },
      { event: 'store_recovered' },
    ]);
  });

  test('of a store that recovers within the delay is not sent', async () => {
    const { url, told } = await webhook();
    const { onEvent, stop } = alerts({ webhook: url, storeDelayMs: 60_000 });
    onEvent({ type: 'storeFailed', reason: 'The database restarts.' });
    onEvent({ type: 'storeRecovered' });
    await stop();
    expect(told).toEqual([]);
  });

  test('is sent at once for a failure that needs the operator, and again at its end', async () => {
    const { url, told } = await webhook();
    const { onEvent } = alerts({ webhook: url, outageDelayMs: 60_000 });
    onEvent({
      type: 'circuitOpened',
      scope,
      forms,
      status: 401,
      cause: 'status 401',
      reason: 'Set a valid key.',
      needsOperator: true,
    });
    onEvent({
      type: 'circuitOpened',
      scope,
      forms,
      status: 401,
      cause: 'status 401',
      reason: 'Set a valid key.',
      needsOperator: true,
    });
    await waitUntil('it is sent', () => told.length === 1);
    onEvent({ type: 'circuitClosed', scope });
    await waitUntil('its end is sent', () => told.length === 2);
    expect(told.map(({ event }) => event)).toEqual(['delivery_stalled', 'delivery_resumed']);
  });

  test('of a temporary failure is sent only if the failure lasts', async () => {
    const { url, told } = await webhook();
    const brief = alerts({ webhook: url, outageDelayMs: 60_000 });
    brief.onEvent({
      type: 'circuitOpened',
      scope,
      forms,
      status: 503,
      cause: 'status 503',
      reason: 'The service is down.',
      needsOperator: false,
    });
    brief.onEvent({ type: 'circuitClosed', scope });
    const lasting = alerts({ webhook: url, outageDelayMs: 20 });
    lasting.onEvent({
      type: 'circuitOpened',
      scope,
      forms,
      status: null,
      cause: 'NetworkError',
      reason: 'Nobody answers.',
      needsOperator: false,
    });
    await waitUntil('it is sent', () => told.length > 0);
    expect(told.map(({ message }) => message)).toEqual(['Nobody answers.']);
  });

  test('of a refused publication is sent at once, also during an outage, lists its forms, and ends with that publication', async () => {
    const { url, told } = await webhook();
    const { onEvent } = alerts({ webhook: url, outageDelayMs: 60_000 });
    const refused = {
      type: 'circuitOpened',
      status: 404,
      cause: 'status 404',
      reason: 'No.',
      needsOperator: true,
    } as const;
    // Without an answer first: a failure that passes by itself is not reported yet.
    const jobs = { scope: 'publication pub_1', forms: ['jobs', 'careers'] };
    const events = { scope: 'publication pub_2', forms: ['events'] };
    onEvent({ ...refused, ...jobs, status: null, needsOperator: false });
    onEvent({ ...refused, ...jobs });
    onEvent({ ...refused, ...events });
    await waitUntil('both are told', () => told.length === 2);
    onEvent({ type: 'circuitClosed', scope: jobs.scope });
    await waitUntil('the end of one is sent', () => told.length === 3);
    onEvent({ ...refused, ...events });
    onEvent({ type: 'circuitClosed', scope: events.scope });
    await waitUntil('the end of the other is sent', () => told.length === 4);
    expect(told.map(({ event, forms: of }) => [event, of])).toEqual([
      ['delivery_stalled', ['jobs', 'careers']],
      ['delivery_stalled', ['events']],
      ['delivery_resumed', ['jobs', 'careers']],
      ['delivery_resumed', ['events']],
    ]);
  });

  test('of a mail server that refuses the account is sent at once, and again at its end', async () => {
    const { url, told } = await webhook();
    const { onEvent } = alerts({ webhook: url, outageDelayMs: 60_000 });
    onEvent({ type: 'mailCircuitOpened', reason: 'The mail server refuses the account.', needsOperator: true });
    await waitUntil('it is sent', () => told.length === 1);
    onEvent({ type: 'mailCircuitClosed' });
    await waitUntil('its end is sent', () => told.length === 2);
    expect(told).toMatchObject([
      { event: 'mail_failing', message: expect.stringContaining('refuses the account') },
      { event: 'mail_recovered' },
    ]);
  });

  test('of a form that has sent its mails of the hour is sent once, and again at its end', async () => {
    const { url, told } = await webhook();
    const { onEvent } = alerts({ webhook: url });
    for (let n = 0; n < 2; n += 1) onEvent({ type: 'mailsHeld', form: 'jobs', mailsPerHour: 1000 });
    await waitUntil('it is sent', () => told.length === 1);
    onEvent({ type: 'mailsResumed', form: 'other' });
    onEvent({ type: 'mailsResumed', form: 'jobs' });
    await waitUntil('its end is sent', () => told.length === 2);
    expect(told).toMatchObject([
      { event: 'mails_held', forms: ['jobs'], message: expect.stringContaining('1000 confirmation mails') },
      { event: 'mails_resumed', forms: ['jobs'] },
    ]);
  });

  test.each([
    ['a tenth of many', 11, 99, false],
    ['all of a few', 9, 0, false],
    ['a third of many', 15, 30, true],
    ['ten, and nothing else', 10, 0, true],
  ])('of a honeypot is sent where it holds %s', async (_, held, others, isSent) => {
    const { url, told } = await webhook();
    const made = alerts({ webhook: url });
    const accepted = (suspectedBecause: Suspicion | null): void =>
      made.onEvent({ type: 'accepted', form: 'jobs', suspectedBecause, needsConfirmation: false, tookMs: 1 });
    for (let n = 0; n < others; n += 1) accepted(n % 2 ? 'mail-domain' : null);
    for (let n = 0; n < held + 1; n += 1) accepted(n < held ? 'honeypot' : null);
    await made.stop();
    expect(told.map(({ event, forms: affected }) => [event, affected])).toEqual(
      isSent ? [['honeypot_filled', ['jobs']]] : [],
    );
  });

  test('of a honeypot has its end after a window in which it holds few', async () => {
    const { url, told } = await webhook();
    const { onEvent } = alerts({ webhook: url, honeypotWindowMs: 50 });
    for (let n = 0; n < 20; n += 1)
      onEvent({
        type: 'accepted',
        form: 'jobs',
        suspectedBecause: 'honeypot',
        needsConfirmation: false,
        tookMs: 1,
      });
    await waitUntil('its end is sent', () => told.length === 2);
    expect(told).toMatchObject([
      { event: 'honeypot_filled', forms: ['jobs'], message: expect.stringContaining('holds 10 of its last 10') },
      { event: 'honeypot_quiet', forms: ['jobs'] },
    ]);
  });

  test('is sent again where the webhook fails', async () => {
    const { url, told } = await webhook([500]);
    alerts({ webhook: url }).onEvent(dead);
    await waitUntil('it is sent', () => told.length === 1);
  });

  test('that is still being collected is sent when the relay stops', async () => {
    const { url, told } = await webhook();
    const made = alerts({ webhook: url, gatherMs: 60_000 });
    made.onEvent(dead);
    await made.stop();
    expect(told).toHaveLength(1);
  });

  test('is passed to a command on standard input, without the settings of the relay in its environment', async () => {
    const file = join(scratchFolder(), 'told');
    process.env['RELAY_SECRET_OF_TEST'] = 'must not be seen';
    onTestFinished(() => void delete process.env['RELAY_SECRET_OF_TEST']);
    alerts({ command: `{ cat; env; } > ${file}.new && mv ${file}.new ${file}` }).onEvent(dead);
    const text = await waitUntil('the command ran', () => readFileSync(file, 'utf8'));
    expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({ event: 'dead_letters', count: 1 });
    expect(text).toContain('RELAY_ALERT_EVENT=dead_letters');
    expect(text).not.toContain('must not be seen');
  });
});
