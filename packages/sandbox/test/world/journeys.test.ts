import { expect, test } from 'vitest';
import { publicationId, type Sandbox, type Seed } from '../../src/index.ts';
import { known } from '../api/known.ts';
import {
  control,
  ask,
  create,
  errorsOf,
  fresh,
  list,
  noon,
  publicationPath,
  send,
  subscriptionsPath,
} from '../caller.ts';

const seed: Seed = {
  publications: [
    {
      id: publicationId,
      name: 'P',
      automations: [
        {
          name: 'Welcome',
          trigger_events: ['api'],
          emails: [
            { subject_line: 'One', wait: 'PT0S' },
            { subject_line: 'Skipped', wait: 'PT1H', status: 'inactive' },
            { subject_line: 'Two', wait: 'P2D' },
          ],
        },
        { name: 'Empty', status: 'live', trigger_events: ['signup', 'api'] },
        { name: 'Draft', status: 'draft', trigger_events: ['api'] },
        { name: 'Closed', trigger_events: ['signup'] },
      ],
      subscriptions: [
        { email: 'ada@example.com', emails_received: 1, open_rate: 50, click_through_rate: 10 },
        ...(['pending', 'paused', 'needs_attention', 'invalid', 'inactive'] as const).map((status) => ({
          email: `${status}@example.com`,
          status,
        })),
      ],
    },
  ],
};
const day = 86_400_000;

async function automations(sandbox: Sandbox): Promise<Readonly<Record<string, string>>> {
  const { data } = await ask(sandbox, 'automations.list', `${publicationPath}/automations`);
  return Object.fromEntries(data.map(({ name, id }) => [name, id]));
}
const at = (id: string | undefined, below = '') => `${publicationPath}/automations/${id}${below}`;
const enroll = (sandbox: Sandbox, automation: string, body: object) =>
  send(sandbox, 'POST', at(automation, '/journeys'), body);
const journeys = async (sandbox: Sandbox, id: string | undefined) =>
  (await ask(sandbox, 'journeys.list', at(id, '/journeys?limit=100'))).data;
const subjects = async (sandbox: Sandbox) => {
  const { body } = await control(sandbox, 'GET', '/inbox');
  return (body as { data: readonly { subject: string; kind: string }[] }).data
    .map(({ kind, subject }) => `${kind}: ${subject}`)
    .toReversed();
};

test('a journey sends the active e-mails, each after its wait, and then is completed', async () => {
  const sandbox = fresh({ seed });
  const { Welcome } = await automations(sandbox);
  const { data: journey } = await ask(sandbox, 'journeys.enroll', at(Welcome, '/journeys'), {
    email: 'ADA@example.com',
  });
  expect((await ask(sandbox, 'journeys.get', at(Welcome, `/journeys/${journey.id}`))).data).toEqual(journey);
  expect(journey).toEqual({
    id: expect.stringMatching(/^aj_/),
    automation_id: Welcome,
    subscription_id: (await list(sandbox, { email: 'ada@example.com' })).data[0]?.id,
    email: 'ada@example.com',
    status: 'in_progress',
    started_at: noon / 1000,
    completed_at: null,
  });
  expect(await subjects(sandbox)).toEqual(['automation: One']);
  sandbox.clock.advance(2 * day - 1);
  expect((await journeys(sandbox, Welcome))[0]?.status).toBe('in_progress');
  expect(await subjects(sandbox)).toEqual(['automation: One']);
  sandbox.clock.advance(1);
  expect(await journeys(sandbox, Welcome)).toMatchObject([
    { status: 'completed', started_at: noon / 1000, completed_at: (noon + 2 * day) / 1000 },
  ]);
  expect(await subjects(sandbox)).toEqual(['automation: One', 'automation: Two']);
  const { data } = await ask(sandbox, 'automations.listEmails', at(Welcome, '/emails'));
  expect(
    data.map((email) => [email.subject_line, email.first_sent_at, email.last_sent_at, email.stats?.email?.recipients]),
  ).toEqual([
    ['One', noon / 1000, noon / 1000, 1],
    ['Skipped', null, null, 0],
    ['Two', (noon + 2 * day) / 1000, (noon + 2 * day) / 1000, 1],
  ]);
});

test('each e-mail of a journey counts as received, and lowers the rates', async () => {
  const sandbox = fresh({ seed });
  const { Welcome } = await automations(sandbox);
  await ask(sandbox, 'journeys.enroll', at(Welcome, '/journeys'), { email: 'ada@example.com' });
  const events: string[] = [];
  sandbox.subscribe((event) => {
    if (event.type === 'subscription') events.push(`subscription ${event.change}`);
    if (event.type === 'message') events.push(event.type);
  });
  sandbox.settle();
  expect(events).toEqual(['message', 'subscription updated']);
  const [ada] = (await list(sandbox, { email: 'ada@example.com', 'expand[]': 'stats' })).data;
  expect(ada?.stats).toEqual({ emails_received: 2, open_rate: 25, click_through_rate: 5 });
});

test('an automation without e-mails completes a journey at once', async () => {
  const sandbox = fresh({ seed });
  const { Empty } = await automations(sandbox);
  await ask(sandbox, 'journeys.enroll', at(Empty, '/journeys'), { email: 'ada@example.com' });
  expect(await journeys(sandbox, Empty)).toMatchObject([{ status: 'completed', completed_at: noon / 1000 }]);
  expect(await subjects(sandbox)).toEqual([]);
});

test.each([
  ['inactive', 'exited_early', 0],
  ['invalid', 'exited_early', 0],
  ['pending', 'in_progress', 0],
  ['paused', 'in_progress', 0],
  ['needs_attention', 'in_progress', 0],
])('the journey of a subscriber who is %s is %s', async (status, expected, sent) => {
  const sandbox = fresh({ seed });
  const { Welcome } = await automations(sandbox);
  await ask(sandbox, 'journeys.enroll', at(Welcome, '/journeys'), { email: `${status}@example.com` });
  expect((await journeys(sandbox, Welcome))[0]?.status).toBe(expected);
  expect(await subjects(sandbox)).toHaveLength(sent);
});

test('a journey waits a day at a time for a subscriber to become active, and exits after 30 days', async () => {
  const sandbox = fresh({ seed });
  const { Welcome } = await automations(sandbox);
  await ask(sandbox, 'journeys.enroll', at(Welcome, '/journeys'), { email: 'pending@example.com' });
  const next = async () =>
    ((await control(sandbox, 'GET', '/clock')).body as { due: { next: { at: string } | null } }).due.next;
  expect(await next()).toEqual({ at: new Date(noon + day).toISOString(), kind: 'journey.step' });
  sandbox.clock.advance(30 * day - 1);
  expect((await journeys(sandbox, Welcome))[0]?.status).toBe('in_progress');
  sandbox.clock.advance(1);
  expect(await journeys(sandbox, Welcome)).toMatchObject([
    { status: 'exited_early', completed_at: (noon + 30 * day) / 1000 },
  ]);
  expect(await next()).toBeNull();
});

test('a subscriber who confirms after some days gets the e-mails, and the wait starts anew', async () => {
  const sandbox = fresh({ seed });
  const { Welcome } = await automations(sandbox);
  await ask(sandbox, 'journeys.enroll', at(Welcome, '/journeys'), { email: 'pending@example.com' });
  sandbox.clock.advance(20 * day);
  await create(sandbox, { email: 'pending@example.com', double_opt_override: 'off' });
  sandbox.clock.advance(day);
  expect(await subjects(sandbox)).toEqual(['automation: One']);
  sandbox.clock.advance(2 * day);
  expect(await subjects(sandbox)).toEqual(['automation: One', 'automation: Two']);
  expect((await journeys(sandbox, Welcome))[0]?.status).toBe('completed');
});

test('a journey that begins with the subscription waits for the check of the address', async () => {
  const sandbox = fresh({ seed });
  const { Welcome = '' } = await automations(sandbox);
  await create(sandbox, { email: 'new@example.com', automation_ids: [Welcome] });
  sandbox.clock.advance(499);
  expect(await subjects(sandbox)).toEqual([]);
  sandbox.clock.advance(1);
  expect(await subjects(sandbox)).toEqual(['automation: One']);
});

test('a subscriber who unsubscribes between two e-mails gets no further one', async () => {
  const sandbox = fresh({ seed });
  const { Welcome } = await automations(sandbox);
  await ask(sandbox, 'journeys.enroll', at(Welcome, '/journeys'), { email: 'ada@example.com' });
  const { data } = await list(sandbox, { email: 'ada@example.com' });
  await send(sandbox, 'PATCH', subscriptionsPath, { subscription_ids: [data[0]?.id], new_status: 'inactive' });
  sandbox.clock.advance(3 * day);
  expect(await subjects(sandbox)).toEqual(['automation: One']);
  expect(await journeys(sandbox, Welcome)).toMatchObject([
    { status: 'exited_early', completed_at: (noon + 2 * day) / 1000 },
  ]);
});

test('an automation that is a draft or has no API trigger takes no enrollment, and one that is live does', async () => {
  const sandbox = fresh({ seed });
  const { Draft = '', Closed = '', Empty = '' } = await automations(sandbox);
  await create(sandbox, { email: 'new@example.com', automation_ids: [Draft, Closed, Empty, Empty] });
  expect(sandbox.requests().at(-1)?.reasons).toEqual([
    'Created a subscription with status validating.',
    ...[Draft, Closed].map((id) => `Not enrolled in ${id}: it has no active Add by API trigger.`),
  ]);
  expect(await journeys(sandbox, Draft)).toEqual([]);
  expect(await journeys(sandbox, Empty)).toHaveLength(1);
});

/** An automation whose e-mails were read, with a journey in progress and one that is completed. */
const read: Seed = {
  publications: [
    {
      id: publicationId,
      name: 'P',
      automations: [
        {
          name: 'A',
          trigger_events: ['api'],
          emails: [
            {
              subject_line: '1',
              wait: 'P1D',
              recipients: 5,
              delivered: 3,
              opens: 4,
              unique_opens: 1,
              links: [{ url: 'https://a.example', clicks: 3, unique_clicks: 1 }],
            },
            {
              subject_line: '2',
              wait: 'P1D',
              recipients: 3,
              delivered: 3,
              clicks: 9,
              unique_clicks: 1,
              unsubscribes: 2,
              spam_reports: 1,
            },
          ],
          journeys: [{ email: 'a@example.com' }, { email: 'b@example.com', status: 'completed' }],
        },
      ],
      subscriptions: [{ email: 'a@example.com' }, { email: 'b@example.com' }],
    },
  ],
};

test('automation stats count the journeys and are sums and rates of the e-mails', async () => {
  const sandbox = fresh({ seed: read });
  const { A } = await automations(sandbox);
  expect((await ask(sandbox, 'automations.get', at(A))).data).not.toHaveProperty('stats');
  const { data } = await ask(sandbox, 'automations.get', at(A, '?expand[]=stats'));
  expect(data.stats).toEqual({
    journeys: { running: 1, completed: 1, total: 2 },
    email: {
      recipients: 8,
      delivered: 6,
      opens: 4,
      unique_opens: 1,
      open_rate: 16.67,
      clicks: 9,
      unique_clicks: 1,
      click_rate: 16.67,
      unsubscribes: 2,
      spam_reports: 1,
    },
  });
  const emails = await ask(sandbox, 'automations.listEmails', at(A, '/emails'));
  expect(emails.data.map(({ stats }) => stats?.clicks)).toEqual([
    [{ url: 'https://a.example', total_clicks: 3, total_unique_clicks: 1, total_click_through_rate: 100 }],
    [],
  ]);
});

test('journeys are filtered by status, and all of them listed by default', async () => {
  const sandbox = fresh({ seed: read });
  const { A } = await automations(sandbox);
  const statuses = async (query: string) =>
    (await ask(sandbox, 'journeys.list', at(A, `/journeys${query}`))).data.map(({ status }) => status).toSorted();
  expect(await statuses('')).toEqual(['completed', 'in_progress']);
  expect(await statuses('?status=all')).toEqual(['completed', 'in_progress']);
  expect(await statuses('?status=completed')).toEqual(['completed']);
});

test('a second enrollment is refused while the first is in progress, and accepted afterwards', async () => {
  const sandbox = fresh({ seed: 'demo' });
  const { automation, subscription } = await known(sandbox);
  await enroll(sandbox, automation, { email: subscription.email });
  const second = await enroll(sandbox, automation, { email: subscription.email });
  expect([second.status, errorsOf(second)[0]?.code]).toEqual([400, 'ALREADY_ENROLLED']);
  sandbox.clock.advance(11 * day);
  expect((await enroll(sandbox, automation, { email: subscription.email })).status).toBe(200);
});

test('double_opt_override off makes a pending subscriber active as it enrolls them', async () => {
  const sandbox = fresh({ seed: 'demo' });
  const { automation } = await known(sandbox);
  const pending = (await list(sandbox, { status: 'pending', limit: '1' })).data[0];
  await enroll(sandbox, automation, { subscription_id: pending?.id, double_opt_override: 'off' });
  expect((await list(sandbox, { email: pending?.email ?? '' })).data[0]?.status).toBe('active');
});
