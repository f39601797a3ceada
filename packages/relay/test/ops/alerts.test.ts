/** Alerts by webhook: when each condition begins and ends. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAlerts, type Alert, type AlertOptions } from '../../src/ops/alerts.ts';
import { createLog } from '../../src/log.ts';
import { waitUntil } from '../../../../test/support/waits.ts';

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
});
