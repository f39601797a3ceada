/** Polls while the service is away: what passes by itself is waited for, and told where it lasts. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Run } from './context.ts';
import { triggerWorld } from './triggerWorld.ts';

const world = triggerWorld();
let workflows = 0;
let run: Partial<Run> & { readonly errors: Error[]; readonly log: string[] };
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: world.now });
  // The memory of the process belongs to a workflow.
  run = { workflowId: `w${(workflows += 1)}`, errors: [], log: [], pollBudgetMs: 30 };
});
afterEach(() => void vi.useRealTimers());

const minutes = (count: number): number => count * 60_000;
function pass(ms: number): void {
  vi.advanceTimersByTime(ms);
  world.now += ms;
}

type Service = Run['sandbox']['fetch'];
const answer =
  (body: string, status: number, headers: Record<string, string> = {}): Service =>
  async () =>
    new Response(body, { status, headers });
const broken =
  (code: string): Service =>
  () =>
    Promise.reject(Object.assign(new Error(code), { code }));

/** What a service does that is away for a while. */
const outages: readonly { readonly what: string; readonly fetch: Service; readonly misdirected?: true }[] = [
  { what: 'refuses connections', fetch: broken('ECONNREFUSED') },
  { what: 'has no name', fetch: broken('ENOTFOUND') },
  { what: 'does not answer in time', fetch: broken('ETIMEDOUT') },
  { what: 'breaks off', fetch: broken('ECONNRESET') },
  { what: 'is behind an untrusted certificate', fetch: broken('CERT_HAS_EXPIRED'), misdirected: true },
  { what: 'has no requests left', fetch: answer('{}', 429, { 'retry-after': '120' }) },
  { what: 'answers 500', fetch: answer('{}', 500) },
  { what: 'answers 503 with a page', fetch: answer('<h1>Back soon</h1>', 503) },
  {
    what: 'answers 200 with a page',
    fetch: answer('<h1>Welcome</h1>', 200, { 'content-type': 'text/html' }),
    misdirected: true,
  },
  { what: 'answers a list without its list', fetch: answer('{"data":{}}', 200), misdirected: true },
  { what: 'redirects to a login', fetch: answer('', 302, { location: 'http://portal.test/login' }), misdirected: true },
];

const everyEvent = [
  'subscriptionBecameActive',
  'subscriptionCreated',
  'subscriptionStatusChanged',
  'subscriptionUnsubscribed',
  'subscriptionUpdated',
];

const through = (fetch: Service): Partial<Run> => ({ ...run, sandbox: { fetch } });

describe.each(outages)('a service that $what', ({ fetch }) => {
  const away = () => through(fetch);

  // One reads the newest subscriptions, the other scans the whole list too.
  it.each([{ events: ['subscriptionCreated'] }, { events: everyEvent }])(
    'does not end a trigger with $events that has a state, whoever starts n8n',
    async ({ events }) => {
      await world.poll(events, run);
      pass(minutes(1));
      await world.subscribe('meanwhile@example.com');
      const before = world.keptText();
      for (const activation of ['init', 'activate', 'update', 'leadershipChange'] as const)
        expect(await world.poll(events, { ...away(), activation })).toBeNull();
      expect(world.keptText()).toBe(before);
      expect(run.errors).toEqual([]);
      expect(run.log).toContainEqual(expect.stringMatching(/The next poll tries again/));
      // A pause that the service asks for.
      pass(minutes(2));
      expect(await world.poll(events, run)).toContain('meanwhile@example.com');
      expect((await world.poll(events, run)) ?? []).toEqual([]);
    },
  );

  it('fails a poll by hand, with a remedy', async () => {
    // By hand, the engine waits as a person would.
    vi.useRealTimers();
    vi.useFakeTimers({ now: world.now });
    const failed = world.poll('subscriptionCreated', { ...away(), mode: 'manual' });
    void vi.advanceTimersByTimeAsync(minutes(10));
    await expect(failed).rejects.toMatchObject({
      description: expect.stringMatching(/./),
    });
  });
});

it.each(outages.filter(({ misdirected }) => !misdirected))(
  'a service that $what does not stop a workflow from being published: what is new is reported',
  async ({ fetch }) => {
    await world.subscribe('before@example.com');
    pass(minutes(10));
    expect(await world.poll('subscriptionCreated', through(fetch))).toBeNull();
    await world.subscribe('meanwhile@example.com');
    pass(minutes(1));
    expect(await world.poll('subscriptionCreated', through(fetch))).toBeNull();
    pass(minutes(1));
    expect(await world.poll('subscriptionCreated', run)).toEqual(['meanwhile@example.com']);
    expect(await world.poll('subscriptionCreated', run)).toBeNull();
  },
);

it.each(outages.filter(({ misdirected }) => misdirected))(
  'a service that $what stops a workflow from being published the first time, with a remedy',
  async ({ fetch }) => {
    await expect(world.poll('subscriptionCreated', through(fetch))).rejects.toMatchObject({
      description: expect.stringMatching(/./),
    });
  },
);

const away = () => through(broken('ECONNREFUSED'));

describe('an outage', () => {
  it('is told after 15 minutes, and then every hour', async () => {
    await world.poll('subscriptionCreated', run);
    const told: number[] = [];
    for (let minute = 0; minute <= 140; minute += 1, pass(minutes(1))) {
      const before = run.errors.length;
      expect(await world.poll('subscriptionCreated', away())).toBeNull();
      if (run.errors.length > before) told.push(minute);
    }
    expect(told).toEqual([15, 75, 135]);
    expect(run.errors[1]).toMatchObject({
      description: expect.stringMatching(/This has lasted for 75 minutes\. The trigger goes on polling/),
    });
  });

  it('is over with the first answer', async () => {
    await world.poll('subscriptionCreated', run);
    for (let times = 0; times < 3; times += 1) {
      await world.poll('subscriptionCreated', away());
      pass(minutes(14));
      await world.poll('subscriptionCreated', away());
      await world.poll('subscriptionCreated', run);
    }
    expect(run.errors).toEqual([]);
  });

  it('is told although somebody sets the clock back', async () => {
    await world.poll('subscriptionCreated', run);
    await world.poll('subscriptionCreated', away());
    pass(minutes(16));
    vi.setSystemTime(world.now - minutes(600));
    await world.poll('subscriptionCreated', away());
    expect(run.errors).toHaveLength(1);
  });

  it('that begins within a poll is noted too', async () => {
    await world.poll('subscriptionStatusChanged', run);
    const fetch: Service = async (input, init) =>
      String(input).includes('direction=asc') ? new Response('{}', { status: 503 }) : world.sandbox.fetch(input, init);
    for (let minute = 0; minute < 17; minute += 1, pass(minutes(1)))
      await world.poll('subscriptionStatusChanged', { ...run, sandbox: { fetch } });
    expect(run.errors).toHaveLength(1);
  });

  it('keeps the state of the activation where n8n would forget it', async () => {
    expect(await world.pollItems('subscriptionCreated', { ...away(), activation: 'update' })).toEqual([]);
  });

  it('learns the list with the next polls', async () => {
    world.reset(300);
    const [id = ''] = await world.subscribe('leaves@example.com');
    pass(minutes(1));
    expect(await world.poll(everyEvent, away())).toBeNull();
    await world.poll(everyEvent, run);
    await world.change(id, { unsubscribe: true });
    expect(await world.poll(everyEvent, run)).toEqual(['leaves@example.com', 'leaves@example.com']);
  });
});

describe('a refusal', () => {
  const refusals = [400, 401, 403, 404];

  it.each(refusals)('with %i ends an activation, and a later poll', async (status) => {
    world.sandbox.faults.add({ match: 'subscriptions.list', effect: { status } });
    await expect(world.poll('subscriptionCreated', run)).rejects.toMatchObject({ httpCode: String(status) });
    world.sandbox.faults.clear();
    await world.poll('subscriptionCreated', run);
    world.sandbox.faults.add({ match: 'subscriptions.list', effect: { status } });
    await expect(world.poll('subscriptionCreated', run)).rejects.toMatchObject({ httpCode: String(status) });
  });

  it.each(refusals)('with %i while n8n starts is told, and the trigger lives on', async (status) => {
    await world.poll('subscriptionCreated', run);
    pass(minutes(1));
    await world.subscribe('meanwhile@example.com');
    world.sandbox.faults.add({ match: 'subscriptions.list', effect: { status } });
    for (const activation of ['init', 'leadershipChange'] as const)
      expect(await world.poll('subscriptionCreated', { ...run, activation })).toBeNull();
    expect(run.errors).toMatchObject([{ httpCode: String(status) }]);
    world.sandbox.faults.clear();
    expect(await world.poll('subscriptionCreated', { ...run, activation: 'init' })).toEqual(['meanwhile@example.com']);
  });

  it.each(refusals)('with %i that lasts is told once, and then every hour: 25 times a day', async (status) => {
    const context = world.context('subscriptionCreated', run);
    await world.pollWith(context);
    world.sandbox.faults.add({ match: 'subscriptions.list', effect: { status }, times: null });
    const told: number[] = [];
    for (let minute = 0; minute < 24 * 60; minute += 5, pass(minutes(5))) {
      const before = run.errors.length;
      expect(await world.pollWith(context)).toBeNull();
      if (run.errors.length > before) told.push(minute);
    }
    expect(told).toEqual(Array.from({ length: 24 }, (_, hour) => hour * 60));
    world.sandbox.faults.clear();
    await world.subscribe('meanwhile@example.com');
    expect((await world.pollWith(context))?.map(({ json }) => json['email'])).toEqual(['meanwhile@example.com']);
  });

  it('that comes and goes is told once an hour too', async () => {
    const context = world.context('subscriptionCreated', run);
    await world.pollWith(context);
    for (let minute = 0; minute < 120; minute += 1, pass(minutes(1))) {
      if (minute % 2 === 0) world.sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 401 } });
      await world.pollWith(context);
      world.sandbox.faults.clear();
    }
    expect(run.errors).toHaveLength(2);
  });

  it('ends the next activation too, however recently it was told', async () => {
    const context = world.context('subscriptionCreated', run);
    await world.pollWith(context);
    world.sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 401 }, times: null });
    await world.pollWith(context);
    await expect(world.poll('subscriptionCreated', run)).rejects.toMatchObject({ httpCode: '401' });
  });
});

it('gets no request while the service asks for a pause, of an hour at most, and a lasting one is told', async () => {
  await world.poll('subscriptionCreated', run);
  let requests = 0;
  const busy = through(async () => {
    requests += 1;
    return new Response('{}', { status: 429, headers: { 'retry-after': '86400' } });
  });
  for (let minute = 0; minute < 60; minute += 1, pass(minutes(1)))
    expect(await world.poll('subscriptionCreated', busy)).toBeNull();
  expect([requests, run.errors.length]).toEqual([1, 1]);
  await world.subscribe('meanwhile@example.com');
  expect(await world.poll('subscriptionCreated', run)).toEqual(['meanwhile@example.com']);
});
