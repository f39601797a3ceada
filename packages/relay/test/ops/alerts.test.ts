/** Alerts by webhook: when each condition begins and ends. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAlerts, type Alert, type AlertOptions } from '../../src/ops/alerts.ts';
import type { FailingEvent } from '../../src/events.ts';
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

/** That the API refuses a key, unless it says otherwise. */
const failing = (more: Partial<FailingEvent> = {}): FailingEvent => ({
  type: 'failing',
  what: 'api',
  scope: 'API key of the form "default"',
  forms: ['default'],
  reason: 'Set a valid key.',
  needsOperator: true,
  ...more,
});
const works = ({ what, scope }: FailingEvent) => ({ type: 'works', what, scope }) as const;

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

  test.each([
    [
      'a failing store',
      failing({ what: 'store', scope: '', forms: [], needsOperator: false }),
      'store_failing',
      'store_recovered',
    ],
    ['a refused key', failing(), 'delivery_stalled', 'delivery_resumed'],
    ['an outage that lasts', failing({ needsOperator: false }), 'delivery_stalled', 'delivery_resumed'],
    [
      'a mail server that refuses the account',
      failing({ what: 'mailServer', scope: '' }),
      'mail_failing',
      'mail_recovered',
    ],
    ['a form that holds mails', failing({ what: 'mails', scope: 'default' }), 'mails_held', 'mails_resumed'],
  ] as const)('of %s is sent once, with the reason, and again at its end', async (_, event, begin, end) => {
    const { url, told } = await webhook();
    const { onEvent } = alerts({ webhook: url, storeDelayMs: 50 });
    for (let n = 0; n < 2; n += 1) onEvent(event);
    await waitUntil('it is sent', () => told.length === 1);
    onEvent(works({ ...event, scope: 'another' }));
    onEvent(works(event));
    await waitUntil('its end is sent', () => told.length === 2);
    expect(told).toMatchObject([
      { event: begin, forms: event.forms, message: expect.stringContaining('Set a valid key.') as string },
      { event: end, forms: event.forms },
    ]);
  });

  test('of what passes before its time is not sent, nor of webhooks', async () => {
    const { url, told } = await webhook();
    const { onEvent, stop } = alerts({ webhook: url, storeDelayMs: 60_000, outageDelayMs: 60_000 });
    for (const what of ['store', 'api', 'mailServer'] as const) {
      const event = failing({ what, needsOperator: false });
      onEvent(event);
      onEvent(works(event));
    }
    onEvent(failing({ what: 'webhooks' }));
    await stop();
    expect(told).toEqual([]);
  });

  test('of a refused publication is sent at once, also during an outage, and ends with that publication', async () => {
    const { url, told } = await webhook();
    const { onEvent } = alerts({ webhook: url, outageDelayMs: 60_000 });
    const jobs = failing({ scope: 'publication pub_1', forms: ['jobs', 'careers'] });
    const events = failing({ scope: 'publication pub_2', forms: ['events'] });
    // Without an answer first: a failure that passes by itself is not reported yet.
    for (const event of [{ ...jobs, needsOperator: false }, jobs, events, works(jobs), events, works(events)])
      onEvent(event);
    await waitUntil('all are told', () => told.length === 4);
    expect(told.map(({ event, forms: of }) => `${event} ${of.join(' ')}`).toSorted()).toEqual([
      'delivery_resumed events',
      'delivery_resumed jobs careers',
      'delivery_stalled events',
      'delivery_stalled jobs careers',
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
