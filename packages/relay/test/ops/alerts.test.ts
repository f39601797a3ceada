import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAlerts, type Alert, type AlertOptions } from '../../src/ops/alerts.ts';
import { createLog } from '../../src/ops/log.ts';
import { eventually } from '../eventually.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';

const silent = createLog({ level: 'silent' });

/** Somebody who is told; answers with `statuses` in turn, then with 200. */
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
  const made = createAlerts({ log: silent, gatherMs: 50, patienceMs: 50, ...options });
  onTestFinished(() => made.stop());
  return made;
}

const scope = 'API key of the form "default"';
const forms = ['default'];

const dead = {
  what: 'dead',
  signup: 'id',
  form: 'default',
  reason: 'The API refused the custom field "Age".',
} as const;

describe('an alert', () => {
  test('of dead letters is one for all that died within a minute, with their number and the last reason', async () => {
    const { url, told } = await webhook();
    const { notice } = alerts({ webhook: url });
    for (let count = 0; count < 3; count += 1) notice(dead);
    await eventually('it is told', () => told.length === 1);
    expect(told[0]).toMatchObject({ event: 'dead_letters', count: 3, message: expect.stringContaining('"Age"') });
  });

  test('of a store that fails comes after its patience, and once more when it is over', async () => {
    const { url, told } = await webhook();
    const { notice } = alerts({ webhook: url, storePatienceMs: 50 });
    notice({ what: 'storeFailed', reason: 'The store cannot be written: the disk is full; make room on it.' });
    await eventually('it is told', () => told.length === 1);
    notice({ what: 'storeWorks' });
    await eventually('its end is told', () => told.length === 2);
    expect(told).toMatchObject([
      { event: 'store_failing', message: expect.stringContaining('the disk is full') },
      { event: 'store_recovered' },
    ]);
  });

  test('of a store that works again within its patience does not come', async () => {
    const { url, told } = await webhook();
    const { notice, stop } = alerts({ webhook: url, storePatienceMs: 60_000 });
    notice({ what: 'storeFailed', reason: 'The database restarts.' });
    notice({ what: 'storeWorks' });
    await stop();
    expect(told).toEqual([]);
  });

  test('comes at once where only a person can mend it, and once more when it is over', async () => {
    const { url, told } = await webhook();
    const { notice } = alerts({ webhook: url, patienceMs: 60_000 });
    notice({
      what: 'stalled',
      forms,
      status: 401,
      trouble: 'status 401',
      reason: 'Set a valid key.',
      needsOperator: true,
    });
    notice({
      what: 'stalled',
      forms,
      status: 401,
      trouble: 'status 401',
      reason: 'Set a valid key.',
      needsOperator: true,
    });
    await eventually('it is told', () => told.length === 1);
    notice({ what: 'flowing', scope });
    await eventually('its end is told', () => told.length === 2);
    expect(told.map(({ event }) => event)).toEqual(['delivery_stalled', 'delivery_resumed']);
  });

  test('of a trouble that passes by itself comes only where it lasts', async () => {
    const { url, told } = await webhook();
    const brief = alerts({ webhook: url, patienceMs: 60_000 });
    brief.notice({
      what: 'stalled',
      forms,
      status: 503,
      trouble: 'status 503',
      reason: 'The service is down.',
      needsOperator: false,
    });
    brief.notice({ what: 'flowing', scope });
    const lasting = alerts({ webhook: url, patienceMs: 20 });
    lasting.notice({
      what: 'stalled',
      forms,
      status: null,
      trouble: 'NetworkError',
      reason: 'Nobody answers.',
      needsOperator: false,
    });
    await eventually('it is told', () => told.length > 0);
    expect(told.map(({ message }) => message)).toEqual(['Nobody answers.']);
  });

  test('is told again where the webhook fails', async () => {
    const { url, told } = await webhook([500]);
    alerts({ webhook: url }).notice(dead);
    await eventually('it is told', () => told.length === 1);
  });

  test('that is still gathered is told when the relay stops', async () => {
    const { url, told } = await webhook();
    const made = alerts({ webhook: url, gatherMs: 60_000 });
    made.notice(dead);
    await made.stop();
    expect(told).toHaveLength(1);
  });

  test('runs a command with the alert on its standard input, and with none of the relay’s settings', async () => {
    const file = join(scratchFolder(), 'told');
    process.env['RELAY_SECRET_OF_TEST'] = 'must not be seen';
    onTestFinished(() => void delete process.env['RELAY_SECRET_OF_TEST']);
    alerts({ command: `{ cat; env; } > ${file}.new && mv ${file}.new ${file}` }).notice(dead);
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
