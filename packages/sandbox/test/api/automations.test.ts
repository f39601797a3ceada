import { expect, test } from 'vitest';
import { publicationId, type Sandbox } from '../../src/index.ts';
import { ask, create, errorsOf, fresh, list, publicationPath, send } from '../caller.ts';
import { known } from './known.ts';

const demo = () => fresh({ seed: 'demo' });
const day = 86_400_000;
const at = (automation: string, more = '') => `${publicationPath}/automations/${automation}${more}`;
const enroll = (sandbox: Sandbox, automation: string, body: object) =>
  send(sandbox, 'POST', at(automation, '/journeys'), body);
const journeyOf = async (sandbox: Sandbox, automation: string, email: string) =>
  (await ask(sandbox, 'journeys.list', at(automation, '/journeys?limit=100'))).data.find(
    (journey) => journey.email === email,
  );

test('stats are returned when expanded, and are sums over e-mails and journeys', async () => {
  const sandbox = demo();
  const { automation } = await known(sandbox);
  expect((await ask(sandbox, 'automations.get', at(automation))).data).not.toHaveProperty('stats');
  const { data } = await ask(sandbox, 'automations.get', at(automation, '?expand[]=stats'));
  const emails = (await ask(sandbox, 'automations.listEmails', at(automation, '/emails'))).data;
  const sum = (name: 'recipients' | 'delivered' | 'unique_opens') =>
    emails.reduce((all, email) => all + (email.stats?.email?.[name] ?? 0), 0);
  expect(data.stats?.journeys).toEqual({ running: 2, completed: 2, total: 5 });
  expect(data.stats?.email).toMatchObject({
    recipients: sum('recipients'),
    delivered: sum('delivered'),
    unique_opens: sum('unique_opens'),
  });
  expect(data.stats?.email?.open_rate).toBeCloseTo((100 * sum('unique_opens')) / sum('delivered'), 2);
  expect(emails.every((email) => email.stats?.clicks !== undefined)).toBe(true);
});

test('automations and journeys use offset paging with or without page; e-mails use cursors', async () => {
  const sandbox = demo();
  const { automation } = await known(sandbox);
  for (const path of [`${publicationPath}/automations?limit=1`, at(automation, '/journeys?limit=1')]) {
    const plain = await send(sandbox, 'GET', path);
    expect(Object.keys(plain.body as object)).toEqual(['data', 'limit', 'page', 'total_results', 'total_pages']);
    expect(plain.headers.get('x-pagination-warning')).toBeNull();
    const paged = await send(sandbox, 'GET', `${path}&page=2`);
    expect(paged.body).toMatchObject({ page: 2, limit: 1 });
    expect(paged.headers.get('x-pagination-warning')).toMatch(/deprecated/);
  }
  const met: string[] = [];
  for (let cursor = '', n = 0; n < 10; n += 1) {
    const page = await ask(
      sandbox,
      'automations.listEmails',
      at(automation, `/emails?limit=1${cursor && `&cursor=${cursor}`}`),
    );
    met.push(...page.data.map((email) => email.id));
    cursor = page.next_cursor ?? '';
    if (!page.has_more) break;
  }
  expect(met).toEqual(
    (await ask(sandbox, 'automations.listEmails', at(automation, '/emails'))).data.map((email) => email.id),
  );
  expect(met).toHaveLength(4);
});

test('journeys are filtered by status, and all of them listed by default', async () => {
  const sandbox = fresh({
    seed: {
      publications: [
        {
          id: publicationId,
          name: 'P',
          automations: [
            {
              name: 'A',
              trigger_events: ['api'],
              emails: [{ subject_line: 'One', wait: 'P1D' }],
              journeys: [{ email: 'a@example.com' }, { email: 'b@example.com', status: 'completed' }],
            },
          ],
          subscriptions: [{ email: 'a@example.com' }, { email: 'b@example.com' }],
        },
      ],
    },
  });
  const [automation] = (await ask(sandbox, 'automations.list', `${publicationPath}/automations`)).data;
  const statuses = async (query: string) =>
    (await ask(sandbox, 'journeys.list', `${publicationPath}/automations/${automation?.id}/journeys${query}`)).data
      .map(({ status }) => status)
      .toSorted();
  expect(await statuses('')).toEqual(['completed', 'in_progress']);
  expect(await statuses('?status=all')).toEqual(['completed', 'in_progress']);
  expect(await statuses('?status=completed')).toEqual(['completed']);
});

test('an enrolled subscriber gets each e-mail after its wait, then completes the journey', async () => {
  const sandbox = demo();
  const { automation, subscription } = await known(sandbox);
  const sent = async () =>
    (await ask(sandbox, 'automations.listEmails', at(automation, '/emails'))).data.map(
      (email) => email.stats?.email?.recipients ?? 0,
    );
  const received = async () =>
    (await list(sandbox, { email: subscription.email, 'expand[]': 'stats' })).data[0]?.stats?.emails_received ?? 0;
  const [before, had] = [await sent(), await received()];
  const answered = await enroll(sandbox, automation, { email: subscription.email.toUpperCase() });
  const { data } = await ask(
    sandbox,
    'journeys.get',
    at(automation, `/journeys/${(answered.body as { data: { id: string } }).data.id}`),
  );
  expect(data).toEqual({
    id: expect.stringMatching(/^aj_/),
    automation_id: automation,
    subscription_id: subscription.id,
    email: subscription.email,
    status: 'in_progress',
    started_at: expect.any(Number),
    completed_at: null,
  });
  const changes = async () => (await sent()).map((n, index) => n - (before[index] ?? 0));
  // Two journeys of the demo step in these days as well.
  expect((await changes())[0]).toBe(1);
  sandbox.clock.advance(3 * day);
  expect((await changes())[1]).toBe(2);
  sandbox.clock.advance(6 * day);
  expect((await journeyOf(sandbox, automation, subscription.email))?.status).toBe('in_progress');
  sandbox.clock.advance(day);
  expect(await journeyOf(sandbox, automation, subscription.email)).toMatchObject({
    status: 'completed',
    completed_at: (data.started_at ?? 0) + 10 * 86_400,
  });
  expect((await changes())[3]).toBe(0);
  expect(await received()).toBe(had + 3);
});

test('an unsubscribed subscriber exits the journey early', async () => {
  const sandbox = demo();
  const { automation, subscription } = await known(sandbox);
  await enroll(sandbox, automation, { subscription_id: subscription.id });
  await send(sandbox, 'PATCH', `${publicationPath}/subscriptions`, {
    subscription_ids: [subscription.id],
    new_status: 'inactive',
  });
  sandbox.clock.advance(4 * day);
  expect((await journeyOf(sandbox, automation, subscription.email))?.status).toBe('exited_early');
  expect(
    (await ask(sandbox, 'journeys.list', at(automation, '/journeys?status=exited_early'))).data.map(
      (journey) => journey.email,
    ),
  ).toContain(subscription.email);
});

test('a journey waits for a pending subscriber, at most a month', async () => {
  const sandbox = demo();
  const { automation } = await known(sandbox);
  await create(sandbox, { email: 'slow@example.com', double_opt_override: 'on', automation_ids: [automation] });
  sandbox.clock.advance(20 * day);
  expect((await journeyOf(sandbox, automation, 'slow@example.com'))?.status).toBe('in_progress');
  sandbox.clock.advance(20 * day);
  expect((await journeyOf(sandbox, automation, 'slow@example.com'))?.status).toBe('exited_early');
});

test('automation_ids enroll a new subscriber; an automation without an active Add by API trigger is skipped, and the log says so', async () => {
  const sandbox = demo();
  const { automation, otherAutomation } = await known(sandbox);
  const { data } = await create(sandbox, {
    email: 'new@example.com',
    automation_ids: [automation, otherAutomation, automation],
  });
  expect(await journeyOf(sandbox, automation, 'new@example.com')).toMatchObject({
    subscription_id: data.id,
    status: 'in_progress',
  });
  expect(await journeyOf(sandbox, otherAutomation, 'new@example.com')).toBeUndefined();
  expect(
    sandbox
      .requests()
      .find((entry) => entry.operation === 'subscriptions.create')
      ?.reasons.join(),
  ).toContain(`Not enrolled in ${otherAutomation}`);
});

test('a second enrollment is refused while the first is in progress, and accepted afterwards', async () => {
  const sandbox = demo();
  const { automation, subscription } = await known(sandbox);
  await enroll(sandbox, automation, { email: subscription.email });
  const second = await enroll(sandbox, automation, { email: subscription.email });
  expect([second.status, errorsOf(second)[0]?.code]).toEqual([400, 'ALREADY_ENROLLED']);
  sandbox.clock.advance(11 * day);
  expect((await enroll(sandbox, automation, { email: subscription.email })).status).toBe(200);
});

test('double_opt_override off makes a pending subscriber active as it enrolls them', async () => {
  const sandbox = demo();
  const { automation } = await known(sandbox);
  const pending = (await list(sandbox, { status: 'pending', limit: '1' })).data[0];
  await enroll(sandbox, automation, { subscription_id: pending?.id, double_opt_override: 'off' });
  expect((await list(sandbox, { email: pending?.email ?? '' })).data[0]?.status).toBe('active');
});
