/** Alerts by webhook and command: when each condition begins and ends. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAlerts, type Alert, type AlertOptions } from '../../src/ops/alerts.ts';
import { createLog } from '../../src/ops/log.ts';
import type { Overview } from '../../src/store/overview.ts';
import { eventually } from '../eventually.ts';
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

/** Nothing waits. */
const idle: Overview = {
  counts: { unconfirmed: 0, review: 0, waiting: 0, sent: 0, delivered: 0, dead: 0 },
  due: 0,
  oldestWaitingSince: null,
  forms: [],
  deadByReason: [],
};

function alerts(options: Partial<AlertOptions>): ReturnType<typeof createAlerts> {
  const made = createAlerts({
    log: silent,
    store: { overview: () => Promise.resolve(idle), paused: () => Promise.resolve(false) },
    disk: () => Promise.resolve(null),
    gatherMs: 50,
    outageDelayMs: 50,
    backlogDelayMs: 50,
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
    await eventually('it is sent', () => told.length === 1);
    expect(told[0]).toMatchObject({ event: 'dead_letters', count: 3, message: expect.stringContaining('"Age"') });
  });

  test('of a failing store is sent after its delay, and again at the recovery', async () => {
    const { url, told } = await webhook();
    const { onEvent } = alerts({ webhook: url, storeDelayMs: 50 });
    onEvent({ type: 'storeFailed', reason: 'The store cannot be written: the disk is full; free some space.' });
    await eventually('it is sent', () => told.length === 1);
    onEvent({ type: 'storeRecovered' });
    await eventually('its end is sent', () => told.length === 2);
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
    await eventually('it is sent', () => told.length === 1);
    onEvent({ type: 'circuitClosed', scope });
    await eventually('its end is sent', () => told.length === 2);
    expect(told.map(({ event }) => event)).toEqual(['key_refused', 'key_accepted']);
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
    await eventually('it is sent', () => told.length > 0);
    expect(told.map(({ message }) => message)).toEqual(['Nobody answers.']);
  });

  test('of a refused publication lists its forms, and ends with that publication', async () => {
    const { url, told } = await webhook();
    const { onEvent } = alerts({ webhook: url, outageDelayMs: 60_000 });
    const refused = {
      type: 'circuitOpened',
      status: 404,
      cause: 'status 404',
      reason: 'No.',
      needsOperator: true,
    } as const;
    // Without an answer first: that is not reported once the API has answered.
    const jobs = { scope: 'publication pub_1', forms: ['jobs', 'careers'] };
    const events = { scope: 'publication pub_2', forms: ['events'] };
    onEvent({ ...refused, ...jobs, status: null, needsOperator: false });
    onEvent({ ...refused, ...jobs });
    onEvent({ ...refused, ...events });
    await eventually('both are told', () => told.length === 2);
    onEvent({ type: 'circuitClosed', scope: jobs.scope });
    await eventually('the end of one is sent', () => told.length === 3);
    onEvent({ ...refused, ...events });
    onEvent({ type: 'circuitClosed', scope: events.scope });
    await eventually('the end of the other is sent', () => told.length === 4);
    expect(told.map(({ event, forms: of }) => [event, of])).toEqual([
      ['publication_refused', ['jobs', 'careers']],
      ['publication_refused', ['events']],
      ['publication_accepted', ['jobs', 'careers']],
      ['publication_accepted', ['events']],
    ]);
  });

  test('of signups that wait too long is sent once per form, mentions a pause of delivery, and ends', async () => {
    const { url, told } = await webhook();
    let now = Date.parse('2026-03-01T12:00:00Z');
    let isPaused = true;
    let waiting = [
      { form: 'default', open: 2, oldestSince: now - 16 * 60_000 },
      { form: 'jobs', open: 1, oldestSince: now - 60_000 },
    ];
    let asked = 0;
    alerts({
      webhook: url,
      checkMs: 5,
      now: () => now,
      store: {
        overview: () => Promise.resolve({ ...idle, forms: waiting }),
        paused: () => ((asked += 1), Promise.resolve(isPaused)),
      },
    });
    await eventually('the first is sent', () => told.length === 1);
    const before = asked;
    await eventually('it is checked again', () => asked > before + 2);
    isPaused = false;
    now += 20 * 60_000;
    await eventually('the second is sent', () => told.length === 2);
    waiting = waiting.slice(1);
    await eventually('the end of the first is sent', () => told.length === 3);
    expect(told).toMatchObject([
      {
        event: 'signups_waiting',
        forms: ['default'],
        message: expect.stringMatching(/16 minutes, with 2 in line.*paused/),
      },
      {
        event: 'signups_waiting',
        forms: ['jobs'],
        message: expect.stringMatching(/21 minutes, with 1 in line.*status/),
      },
      { event: 'signups_delivered', forms: ['default'] },
    ]);
  });

  test('of signups that wait too long is not sent for an old one that was redriven and is delivered at once', async () => {
    const { url, told } = await webhook();
    const old = [{ form: 'default', open: 1, oldestSince: 0 }];
    let asked = 0;
    const { stop } = alerts({
      webhook: url,
      checkMs: 5,
      backlogDelayMs: 60_000,
      store: {
        overview: () => Promise.resolve({ ...idle, forms: (asked += 1) === 2 ? old : [] }),
        paused: () => Promise.resolve(false),
      },
    });
    await eventually('it is checked again', () => asked > 4);
    await stop();
    expect(told).toEqual([]);
  });

  test('of a mail server that refuses the account is sent at once, and again at its end', async () => {
    const { url, told } = await webhook();
    const { onEvent } = alerts({ webhook: url, outageDelayMs: 60_000 });
    onEvent({ type: 'mailCircuitOpened', reason: 'The mail server refuses the account.', needsOperator: true });
    await eventually('it is sent', () => told.length === 1);
    onEvent({ type: 'mailCircuitClosed' });
    await eventually('its end is sent', () => told.length === 2);
    expect(told).toMatchObject([
      { event: 'mail_failing', message: expect.stringContaining('refuses the account') },
      { event: 'mail_recovered' },
    ]);
  });

  test('of a disk that is nearly full is sent before the disk is full, and ends with free space', async () => {
    const { url, told } = await webhook();
    let availableBytes = 40_000_000;
    alerts({ webhook: url, checkMs: 5, disk: () => Promise.resolve({ availableBytes, sizeBytes: 10_000_000_000 }) });
    await eventually('it is sent', () => told.length === 1);
    availableBytes = 5_000_000_000;
    await eventually('its end is sent', () => told.length === 2);
    expect(told).toMatchObject([
      { event: 'disk_nearly_full', message: expect.stringContaining('40 MB') },
      { event: 'disk_has_room' },
    ]);
  });

  test('of posts answered with 503 is sent above a share, and ends five minutes after the last one', async () => {
    const { url, told } = await webhook();
    let now = Date.parse('2026-03-01T12:00:00Z');
    let asked = 0;
    const { onEvent } = alerts({
      webhook: url,
      checkMs: 5,
      now: () => now,
      disk: () => ((asked += 1), Promise.resolve(null)),
    });
    const checked = async (): Promise<void> => {
      const before = asked;
      await eventually('it is checked', () => asked > before + 1);
    };
    const kept = { type: 'accepted', form: 'default', suspected: false, tookMs: 1 } as const;
    const refused = { type: 'refused', form: 'default', status: 503, codes: ['UNAVAILABLE'] } as const;
    for (let count = 0; count < 100; count += 1) onEvent(kept);
    for (let count = 0; count < 50; count += 1) onEvent({ ...refused, status: 403 });
    for (let count = 0; count < 5; count += 1) onEvent(refused);
    await checked();
    expect(told).toEqual([]);
    onEvent(refused);
    await eventually('it is sent', () => told.length === 1);
    now += 4 * 60_000;
    await checked();
    expect(told).toHaveLength(1);
    now += 60_000;
    await eventually('its end is sent', () => told.length === 2);
    expect(told).toMatchObject([
      { event: 'posts_failing', message: expect.stringContaining('6 posts of the last five minutes') },
      { event: 'posts_kept' },
    ]);
  });

  test('is sent again where the webhook fails', async () => {
    const { url, told } = await webhook([500]);
    alerts({ webhook: url }).onEvent(dead);
    await eventually('it is sent', () => told.length === 1);
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
    const text = await eventually('the command ran', () => {
      try {
        return readFileSync(file, 'utf8');
      } catch {
        return undefined;
      }
    });
    expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({ event: 'dead_letters', count: 1 });
    expect(text).toContain('RELAY_ALERT_EVENT=dead_letters');
    expect(text).not.toContain('must not be seen');
  });
});
