/**
 * What the API refuses. Mistakes are made in requests that succeed, one at a time; what every refusal has in common is
 * tested. `refusals.txt` has each error once, word for word, because users act on it, and which of the odd values are
 * taken; `npm test -- -u PATH` of this file writes it.
 */
import { operation, type Operation } from '@newsletter-kit/core/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exampleRequest } from '../../src/api/nearest.ts';
import { apiKeys, createSandbox, type Exchange, type SandboxOptions } from '../../src/index.ts';
import { bodyExamples } from '../../src/openapi/examples.ts';
import {
  customFieldsPath,
  errorsOf,
  fresh,
  noon,
  publicationPath,
  send,
  subscriptionsPath,
  type Answered,
} from '../caller.ts';
import { strictly } from '../strictly.ts';
import { exerciseOf, ids, none, world, type ApiId, type Request, type World } from './exercises.ts';

/** Values of every type, and texts that mean something nowhere. */
const wrongValues: readonly unknown[] = [
  null,
  true,
  7,
  1.5,
  '',
  'x',
  [],
  ['x'],
  [7],
  [{}],
  {},
  { name: 'x', value: {} },
];
const wrongTexts = ['', 'x', '0', '101', '-1', '1e1', '0x0a', '+10', ' 1', '10.0', '2026/02/30'];

interface Mistake extends Request {
  /** The parameter or field that is wrong, and its value; undefined where more is. */
  readonly field?: string;
  readonly value?: unknown;
}

type Json = Readonly<Record<string, unknown>>;

/** The places of a body: declared fields, and what the example has inside of them. */
function placesOf(value: unknown, declared: readonly string[] = [], path: readonly (string | number)[] = []) {
  const inner: (readonly (string | number)[])[] = declared.map((name) => [...path, name]);
  if (typeof value === 'object' && value !== null)
    for (const [key, each] of Object.entries(value)) {
      const place = [...path, Array.isArray(value) ? Number(key) : key];
      if (!declared.includes(key)) inner.push(place);
      inner.push(...placesOf(each, [], place));
    }
  return inner;
}

function replaced(value: unknown, [step, ...rest]: readonly (string | number)[], by: unknown): unknown {
  if (step === undefined) return by;
  if (Array.isArray(value)) return value.with(Number(step), replaced(value[Number(step)], rest, by));
  return { ...(value as Json), [step]: replaced((value as Json)[step], rest, by) };
}

const written = (path: readonly (string | number)[]): string =>
  path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('');

/** Requests that differ in one place from one that succeeds. */
function mistakesIn(id: ApiId, there: World['there']): readonly Mistake[] {
  const { success, bad } = exerciseOf(id);
  const good = success(there);
  const { body: declared, query }: Operation = operation(id);
  const body = declared ? { ...bodyExamples[id], ...(good.body as Json | undefined) } : undefined;
  const wrong: Mistake[] = bad ? [bad(there)] : [];
  for (const name of Object.keys(good.params ?? {})) wrong.push({ ...good, params: { ...good.params, [name]: none } });
  wrong.push({ ...good, params: { ...good.params, publicationId: `pub_${none}` } });
  for (const name of query)
    for (const text of wrongTexts)
      wrong.push({
        ...good,
        query: `?${encodeURIComponent(name)}=${encodeURIComponent(text)}`,
        field: name,
        value: text,
      });
  for (const place of placesOf(body, declared?.fields))
    for (const value of wrongValues)
      wrong.push({ ...good, body: replaced(body, place, value), field: written(place), value });
  if (declared)
    for (const whole of ['', ' \n', '{"email"', '[]', 'null', '"x"', '['.repeat(5000), '{}'])
      wrong.push({ ...good, body: whole });
  for (const key of ['Bearer wrong', '', `Basic ${apiKeys.workspace}`, `Bearer ${apiKeys.restricted}`])
    wrong.push({ ...good, headers: { Authorization: key } });
  return wrong;
}

interface Refusal {
  readonly id: ApiId;
  readonly mistake: Mistake;
  readonly answered: Answered;
  readonly entry: Exchange;
}

let made: World;
let restore: () => void;
/** The whole content, as text. */
let content: () => string;
let before = '';
const refusals: Refusal[] = [];
/** Values of fields that are taken, by operation and field. */
const taken = new Map<string, unknown[]>();

/** The last request in the log, with its body. */
function lastEntry(): Exchange {
  const { n = 0 } = made.sandbox.requests().at(-1) ?? {};
  const exchange = made.sandbox.exchange(n);
  if (!exchange) throw new Error('The log has no request.');
  return exchange;
}

beforeAll(async () => {
  const sandbox = strictly(createSandbox({ seed: 'demo', now: () => noon }));
  made = await world(sandbox);
  const { id: start } = sandbox.snapshots.take();
  restore = () => void sandbox.snapshots.restore(start);
  content = () => {
    const { id } = sandbox.snapshots.take();
    const lines = [...sandbox.snapshots.export(id)];
    sandbox.snapshots.remove(id);
    return lines.join('');
  };
  before = content();
  for (const id of ids)
    for (const mistake of mistakesIn(id, made.there)) {
      const answered = await made.call(id, mistake);
      if (answered.status >= 300) refusals.push({ id, mistake, answered, entry: lastEntry() });
      else {
        restore();
        const field = `${id} ${mistake.field ?? ''}`;
        if (mistake.field !== undefined) taken.set(field, [...(taken.get(field) ?? []), mistake.value]);
      }
    }
});
afterAll(() => made.sandbox.close());

test('a refused request stores nothing', async () => {
  restore();
  for (const { id, mistake } of refusals) await made.call(id, mistake);
  expect(content()).toBe(before);
});

test('a refusal has a documented status and the error body, and repeats no key', () => {
  for (const { id, mistake, answered, entry } of refusals) {
    const documented: readonly number[] = operation(id).errors;
    expect(
      documented.filter((status) => status !== 500),
      `${id} ${JSON.stringify(mistake)}`,
    ).toContain(answered.status);
    errorsOf(answered);
    expect(entry).toMatchObject({ operation: id, status: answered.status });
    expect(JSON.stringify([answered.body, entry])).not.toContain(apiKeys.workspace);
  }
});

test('a wrong value is refused by the name of its field', () => {
  for (const { mistake, answered } of refusals)
    if (mistake.field !== undefined && answered.status === 400)
      expect(errorsOf(answered)[0]?.message).toContain(`"${mistake.field.replace('[]', '')}`);
});

/** What is left where only the sender knows a record, a cursor or a name that is not taken. */
const unknowable = ['NOT_FOUND', 'NOT_FOUND_ON_PUBLICATION', 'INVALID_PATTERN', 'INVALID_CURSOR', 'ALREADY_EXISTS'];

test('the nearest valid request is of the same operation, holds no value that was sent, and is accepted', async () => {
  let accepted = 0;
  for (const { id, mistake, entry } of refusals) {
    const { method, path } = operation(id);
    const { nearest, target, request } = entry;
    expect(nearest?.request).toBe(`${method} /v2${path}`);
    expect(JSON.stringify(nearest)).not.toMatch(/@(?!example\.com)|sandbox-key/);
    const example = nearest && exampleRequest(nearest, { target, body: request?.body ?? null });
    if (!example || nearest.change.length === 0) continue;
    const again = await send(made.sandbox, method, example.target, example.body ?? undefined);
    if (again.status < 300) {
      accepted += 1;
      restore();
    } else
      for (const { code } of errorsOf(again))
        expect(unknowable, `${id} ${JSON.stringify(mistake)} ${example.body}`).toContain(code);
  }
  expect(accepted).toBeGreaterThan(refusals.length * 0.8);
});

/** Requests that are no mistake in one place of one that succeeds. */
const others: readonly (readonly [method: string, path: string, body?: unknown, headers?: Record<string, string>])[] = [
  ['GET', '/newsletters'],
  ['GET', '/v2/../publications/x/subscriptions'],
  ['GET', `${subscriptionsPath}/`],
  ['GET', '/publications//subscriptions'],
  ['POST', '/v2/..', {}],
  ['DELETE', customFieldsPath],
  ['FROBNICATE', subscriptionsPath],
  ['GET', `${subscriptionsPath}?cursor=x&page=1`],
  ['GET', `${subscriptionsPath}?email=%ff`],
  ['GET', `${subscriptionsPath}?limit=5&colour=%ff`],
  ['GET', `${subscriptionsPath}?status=active&creation_date=2026%2F02%2F30`],
  ['POST', subscriptionsPath, { email: 'a@b.example', premium_tier_ids: [`tier_${none}`] }],
  ['POST', subscriptionsPath, { email: 'a@b.example', newsletter_list_ids: [`nl_list_${none}`] }],
  ['POST', subscriptionsPath, { email: 'a@b.example', automation_ids: [`aut_${none}`] }],
  ['POST', subscriptionsPath, { email: 'a@b.example', complimentary_gift_id: `comp_access_${none}` }],
  ['POST', subscriptionsPath, { email: 'a@b.example', stripe_customer_id: 'x' }],
  ...[apiKeys.workspace, `Bearer ${apiKeys.workspace} x`, `Bearer ${apiKeys.workspace.toUpperCase()}`].map(
    (Authorization) => ['GET', subscriptionsPath, undefined, { Authorization }] as const,
  ),
  ['POST', subscriptionsPath, undefined, { 'Content-Type': 'application/json' }],
  ['POST', subscriptionsPath, '{}', { 'Content-Type': 'application/x-www-form-urlencoded' }],
  ['POST', subscriptionsPath, '{}', { 'Content-Type': `x-application/json; note=${'x'.repeat(100)}` }],
  ['POST', subscriptionsPath, JSON.stringify({ email: 'x'.repeat(9 * 1024 * 1024) })],
  ['POST', subscriptionsPath, '{"email":"a@b.example","custom_fields":[{"name":"City","value":1e999}]}'],
  ['POST', subscriptionsPath, { email: 'a@example.com, b@example.com', tier: 'gold', utm_source: 1 }],
  ['POST', `${publicationPath}/data_privacy/deletion_requests`, { email: 'stranger@example.com' }],
  ['GET', `${publicationPath}/subscriptions/by_email/x`],
];
/** Settings under which a list is refused. */
const settings: readonly (readonly [SandboxOptions, path: string])[] = [
  [{ profile: { limit: 0, windowSeconds: 60 } }, subscriptionsPath],
  [{ profile: { limit: 0, windowSeconds: 90 } }, subscriptionsPath],
  [{ assumptions: { data_deletion: 'not_enabled' } }, `${publicationPath}/data_privacy/deletion_requests`],
  [{ assumptions: { publication_list: 'absent' } }, '/publications'],
];

test('every error is in refusals.txt, word for word', async () => {
  const { sandbox, there, call } = made;
  const answers = refusals.map(({ answered }) => answered);
  for (const [method, path, body, headers] of others) answers.push(await send(sandbox, method, path, body, headers));
  for (const [options, path] of settings) answers.push(await send(fresh(options), 'GET', path));
  const { automation, subscription } = there;
  const enroll = (body: object) => call('journeys.enroll', { params: { automationId: automation }, body });
  await enroll({ email: subscription.email });
  answers.push(
    await enroll({ email: subscription.email }),
    await enroll({ email: 'stranger@example.com' }),
    await enroll({ email: 'grace@example.org', subscription_id: subscription.id }),
  );
  const { success } = exerciseOf('deletionRequests.create');
  await call('deletionRequests.create', success(there));
  answers.push(await call('deletionRequests.create', success(there)));
  const lines = answers.flatMap((answered) =>
    errorsOf(answered).map(({ code, message }) => `${answered.status} ${code} ${message.replace(/^"[^"]*"/, '"…"')}`),
  );
  const values = [...taken].map(
    ([field, all]) => `${field} takes ${all.map((each) => JSON.stringify(each)).join(' ')}`,
  );
  const inventory = [...[...new Set(lines)].toSorted(), '', ...values, ''].join('\n');
  await expect(inventory).toMatchFileSnapshot('refusals.txt');
});
