/** Correcting the time of day, by hand or by NTP, changes no wait, no deadline and no duration. */
import { describe, expect, it } from 'vitest';
import { TimeoutError, type AttemptEvent, type Host } from '../../src/engine/index.ts';
import { engineOn } from './calling.ts';
import { json, scriptedHost, type Scripted } from './scripted-host.ts';

const hour = 3_600_000;

function calling(byMs: number, ...script: readonly Scripted[]) {
  const scripted = scriptedHost(script);
  const events: AttemptEvent[] = [];
  const host: Host = {
    ...scripted,
    async send(request) {
      const answer = await scripted.send(request);
      scripted.setClock(byMs);
      return answer;
    },
  };
  const { engine } = engineOn([], { host, onAttempt: (event) => events.push(event) });
  const get = (totalTimeoutMs?: number) =>
    engine.call('automations.get', { automationId: 'aut_1' }, { totalTimeoutMs, retry: { retries: 1 } });
  return { get, events, slept: scripted.slept, sent: scripted.sent };
}

describe.each([
  ['back', -hour],
  ['forward', hour],
])('a clock that is set %s', (_, byMs) => {
  it('changes no pause that the service asks for', async () => {
    const { get, slept } = calling(byMs, { status: 429, headers: { 'retry-after': '10' } }, json({ data: {} }));
    await get();
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBe(10_000);
  });

  it('changes no deadline', async () => {
    const { get, sent } = calling(byMs, { status: 503, headers: { 'retry-after': '10' } }, json({ data: {} }));
    await get(11_000);
    expect(sent.map(({ timeoutMs }) => timeoutMs)).toEqual([11_000, 1_000]);
    await expect(calling(byMs, { status: 429, headers: { 'retry-after': '10' } }).get(9_000)).rejects.toSatisfy(
      (error) => !(error instanceof TimeoutError),
    );
  });

  it('changes no reported duration', async () => {
    const { get, events } = calling(byMs, json({ data: {} }));
    await get();
    expect(events.map(({ durationMs }) => durationMs)).toEqual([0]);
  });
});
