/** The signup trigger on a real port: its answers, its items, deduplication, honeypot and rate limit. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { operation } from '@newsletter-kit/core/contract';
import { attributionFields } from '@newsletter-kit/core/signup';
import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadBundle, type Bundle } from './bundle.ts';
import { hostSignup, loadSignupTrigger, post, type SignupHost, type SignupTrigger, site } from './signupHost.ts';
import { waitFor, waitUntil } from '../support/waits.ts';

const publicFields: readonly string[] = ['email', 'custom_fields', ...attributionFields];
const privilegedFields = operation('subscriptions.create').body.fields.filter((name) => !publicFields.includes(name));

let bundle: Bundle;
let node: SignupTrigger;
let host: SignupHost | undefined;
beforeAll(async () => {
  bundle = await loadBundle();
  node = loadSignupTrigger(bundle.folder);
});
afterEach(async () => {
  vi.useRealTimers();
  await host?.close();
  host = undefined;
});

async function open(parameters: Readonly<Record<string, unknown>> = {}, mode?: 'manual'): Promise<SignupHost> {
  return (host = await hostSignup(node, { allowedOrigins: site, ...parameters }, mode));
}

const addresses = ({ started }: SignupHost): unknown[] => started.map(({ email }) => email);

/** Status, headers without the date, and body. */
async function whole(response: Response): Promise<unknown> {
  return [response.status, [...response.headers].filter(([name]) => name !== 'date'), await response.text()];
}

describe('the output item', () => {
  it('is a SubscriptionRequest, with consent and origin under "signup"', async () => {
    const form = await open();
    const body = {
      email: ' Ada@EXAMPLE.com ',
      utm_source: 'fair',
      referral_code: 'Zq4',
      consent: 'I agree',
      token: 'spent',
      custom_fields: [
        { name: 'Topics', value: ['boats'] },
        { name: 'Team size', value: 3 },
      ],
    };
    expect((await post(form, body)).status).toBe(202);
    expect(form.started).toEqual([
      {
        email: 'Ada@example.com',
        utm_source: 'fair',
        referral_code: 'Zq4',
        custom_fields: body.custom_fields,
        signup: {
          fields: { Topics: ['boats'], 'Team size': 3 },
          consent: 'I agree',
          consent_given: null,
          origin: site,
          received_at: expect.any(String),
          suspected: false,
        },
      },
    ]);
  });

  it('has the page and the touches under "signup" too, of this website alone', async () => {
    const form = await open();
    const page = `${site}/join`;
    const touches = {
      touch_rule: 'utm',
      touch: 'last',
      first_touch: { at: '2026-01-05T00:00:00.000Z', rule: 'referrer', referring_site: 'https://news.example' },
      last_touch: { at: '2026-01-07T00:00:00.000Z', rule: 'utm', utm_source: 'fair' },
    };
    await post(form, { email: 'ada@example.com', utm_source: 'fair', audit: { page, ...touches } });
    await post(
      form,
      { email: 'bob@example.com', audit: { page: 'https://other.example/' } },
      { referer: `${page}?a=b` },
    );
    expect(form.started).toMatchObject([{ utm_source: 'fair', signup: { page, ...touches } }, { signup: { page } }]);
    expect(form.started.map((item) => Object.keys(item))).toEqual([
      ['email', 'utm_source', 'custom_fields', 'signup'],
      ['email', 'custom_fields', 'signup'],
    ]);
  });

  it.each([
    ['nein', [], null],
    ['on', [], true],
    ['I&nbsp;agree,\n <b>gladly</b>.', ['Another.', 'I agree, gladly.'], true],
    [undefined, 'I agree, gladly.', false],
  ])('says of the consent %j beside the sentences %j: %j', async (consent, consentSentences, given) => {
    const form = await open({ settings: { consentSentences } });
    expect((await post(form, { email: 'ada@example.com', consent })).status).toBe(202);
    const sent = consent?.replace('\n ', ' ') ?? null;
    expect(form.started).toMatchObject([{ signup: { consent: sent, consent_given: given } }]);
  });

  it('is none for a text that is no sentence of the form, where it has some', async () => {
    const form = await open({ settings: { consentSentences: ['I agree.'] } });
    expect((await post(form, { email: 'ada@example.com', consent: 'nein' })).status).toBe(400);
    expect(form.started).toEqual([]);
  });

  it('has no privileged field, in either encoding', async () => {
    const form = await open({ signupsPerAddress: 0, settings: { signupsPerMinute: 100_000 } });
    const value = fc.oneof(
      fc.boolean(),
      fc.constantFrom('on', 'premium', ''),
      fc.string(),
      fc.array(fc.string(), { maxLength: 3 }),
      fc.constant({ value: 'premium' }),
      fc.constant(null),
    );
    const names = [...privilegedFields, '__proto__', 'constructor', 'signup', 'publicationId', 'status', 'tags'];
    await fc.assert(
      fc.asyncProperty(
        fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] }),
        fc.boolean(),
        async (hostile, asForm) => {
          form.started.length = 0;
          const entries = { ...hostile, email: 'ada@example.com' };
          const sent = asForm
            ? post(
                form,
                new URLSearchParams(Object.entries(entries).map(([name, each]) => [name, String(each)])).toString(),
                { 'content-type': 'application/x-www-form-urlencoded' },
              )
            : post(form, entries);
          expect([202, 303]).toContain((await sent).status);
          const [item = {}] = form.started;
          expect(Object.keys(item).toSorted()).toEqual(['custom_fields', 'email', 'signup']);
          expect(item['signup']).toMatchObject({ origin: site, fields: {}, suspected: false });
        },
      ),
      { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 150) },
    );
  });

  it('has only the custom fields that the node accepts, and drops others without a refusal', async () => {
    const form = await open({ allowedFields: 'First Name, Topics' });
    await post(form, {
      email: 'ada@example.com',
      custom_fields: [
        { name: 'Topics', value: ['boats'] },
        { name: 'Team size', value: 3 },
      ],
    });
    await post(form, { email: 'bob@example.com', custom_fields: [{ name: 'Team size', value: 3 }] });
    expect(form.started.map((item) => item['custom_fields'])).toEqual([[{ name: 'Topics', value: ['boats'] }], []]);
  });
});

describe('a refusal', () => {
  const json = JSON.stringify({ email: 'ada@example.com' });
  const large = JSON.stringify({ email: 'ada@example.com', utm_source: 'x'.repeat(8_200) });
  it.each<[string, number, string | Uint8Array, Record<string, string>]>([
    ['another origin', 403, json, { origin: 'https://www.example.com.evil.example' }],
    ['a body too large', 413, large, {}],
    ['plain text', 415, json, { 'content-type': 'text/plain' }],
    ['a compressed body', 415, json, { 'content-encoding': 'gzip' }],
    ['bytes that are not UTF-8', 400, new Uint8Array([0x22, 0xff, 0x22]), {}],
    ['no address', 400, '{"email":""}', {}],
  ])('%s: %i', async (_, status, body, headers) => {
    const form = await open();
    const response = await post(form, body, headers);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      status,
      statusText: expect.any(String),
      errors: [{ message: expect.any(String), code: expect.any(String) }],
    });
    expect(response.headers.get('vary')).toBe('Origin');
    expect(response.headers.get('access-control-allow-origin')).toBe(status === 403 ? null : site);
    expect([form.started, form.kept]).toEqual([[], '{}']);
  });

  it('is sent before the end of a body of unknown size', async () => {
    const form = await open();
    const sent = request(form.endpoint, {
      method: 'POST',
      headers: { origin: site, 'content-type': 'application/json' },
    });
    sent.on('error', () => undefined);
    // The body never ends: the answer must come before.
    for (let chunk = 0; chunk < 9; chunk += 1) sent.write('x'.repeat(1_000));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    sent.destroy();
    expect(response.statusCode).toBe(413);
  });

  it('is an HTML page for a visitor without JavaScript', async () => {
    const form = await open();
    const response = await post(form, 'email=ada', {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'text/html',
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
  });

  it('is 503 with Retry-After where the parameters are invalid, and logs no e-mail address', async () => {
    const form = await open({ allowedOrigins: 'nowhere' });
    const response = await post(form, { email: 'ada@example.com' });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(form.logged).toEqual([expect.stringContaining('503 (ParameterMismatch)')]);
    expect(form.logged.join()).not.toContain('@');
  });

  it('is 429 with Retry-After beyond the rate limit, until the next minute', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T10:00:15Z') });
    const form = await open({ settings: { signupsPerMinute: 2 } });
    const statuses = [];
    for (const name of ['a', 'b', 'c']) {
      const response = await post(form, { email: `${name}@example.com` });
      statuses.push([response.status, response.headers.get('retry-after')]);
    }
    expect(statuses).toEqual([
      [202, null],
      [202, null],
      [429, '45'],
    ]);
    vi.setSystemTime(Date.parse('2026-11-20T10:01:00Z'));
    expect((await post(form, { email: 'c@example.com' })).status).toBe(202);
    expect(addresses(form)).toEqual(['a@example.com', 'b@example.com', 'c@example.com']);
  });
});

describe('a visitor without JavaScript', () => {
  const asForm = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
  it.each([
    ['to the configured page', 'https://www.example.com/thanks', 'https://www.example.com/thanks'],
    ['to the front page of the website, where none is configured', '', 'https://www.example.com/'],
  ])('is redirected %s', async (_, thanksUrl, location) => {
    const form = await open({ thanksUrl });
    const response = await post(form, 'email=ada%40example.com', asForm);
    expect([response.status, response.headers.get('location')]).toEqual([303, location]);
    expect(addresses(form)).toEqual(['ada@example.com']);
  });
});

describe('a signup with a filled honeypot', () => {
  it('is answered as accepted and starts no execution, and does not block the person', async () => {
    const form = await open();
    const bot = await whole(await post(form, { email: 'ada@example.com', hp_field: 'http://spam.example' }));
    expect(bot).toEqual(await whole(await post(form, { email: 'ada@example.com' })));
    expect(addresses(form)).toEqual(['ada@example.com']);
  });
});

describe('the limit per address', () => {
  it.each([
    { outcome: 'was saved', first: 'answered', tries: [202, 202, 202, 202], starts: [1, 1, 1, 0] },
    { outcome: 'was saved, its answer lost', first: 'lost', tries: [202, 202, 202], starts: [1, 1, 0] },
    { outcome: 'was not saved', first: 'unsaved', tries: [500, 202, 202, 202, 202], starts: [0, 1, 1, 1, 0] },
    {
      outcome: 'was not saved, its answer lost',
      first: 'lost, unsaved',
      tries: [202, 202, 202, 202],
      starts: [1, 1, 1, 0],
    },
  ])('lets a visitor try again where the first execution $outcome', async ({ first, tries, starts }) => {
    const form = await open();
    if (first.startsWith('lost')) {
      const visit = new AbortController();
      const saved = Promise.withResolvers<void>();
      form.save = async (response) => {
        visit.abort();
        await once(response, 'close');
        saved.resolve();
        if (first === 'lost, unsaved') throw new Error('The database is down');
      };
      await expect(post(form, { email: 'ada@example.com' }, {}, visit.signal)).rejects.toThrow();
      await waitFor('the save has ended', saved.promise);
      await waitUntil('the execution has started', () => form.started.length === (first === 'lost' ? 1 : 0));
    }
    const seen = [];
    for (const [index] of tries.entries()) {
      form.started.length = 0;
      form.save = async () => {
        if (index === 0 && first === 'unsaved') throw new Error('The database is down');
      };
      const { status } = await post(form, { email: 'ada@example.com', utm_source: `try ${index}` });
      seen.push([status, form.started.length]);
    }
    expect(seen).toEqual(tries.map((status, index) => [status, starts[index]]));
    await post(form, { email: 'another@example.com' });
    expect(addresses(form)).toContain('another@example.com');
  });

  it('counts a mailbox in any spelling, concurrent posts included, and answers all of them alike', async () => {
    const form = await open();
    const spellings = ['ada@gmail.com', 'ADA@gmail.com', ' a.d.a@GoogleMail.com ', 'ada＠gmail.com'];
    const answers = await Promise.all(
      Array.from({ length: 103 }, (_, index) =>
        post(form, { email: spellings[index] ?? `a.da+${index}@gmail.com` }).then(whole),
      ),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(form.started).toHaveLength(3);
  });

  it('frees each turn after an hour', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T10:00:00Z') });
    const form = await open({ signupsPerAddress: 2 });
    const startsAt = async (time: string): Promise<number> => {
      vi.setSystemTime(Date.parse(`2026-11-20T${time}Z`));
      form.started.length = 0;
      await post(form, { email: 'ada@example.com' });
      return form.started.length;
    };
    expect(await startsAt('10:00:00')).toBe(1);
    expect(await startsAt('10:30:00')).toBe(1);
    expect(await startsAt('10:59:59')).toBe(0);
    expect(await startsAt('11:00:00')).toBe(1);
    expect(await startsAt('11:29:59')).toBe(0);
    expect(await startsAt('11:30:00')).toBe(1);
  });

  it('does not count a robot’s posts against a person', async () => {
    const form = await open({ settings: { honeypot: 'pass' } });
    for (let count = 0; count < 5; count += 1) await post(form, { email: 'ada@example.com', hp_field: 'x' });
    await post(form, { email: 'ada@example.com' });
    expect(form.started.map(({ signup }) => (signup as { suspected: boolean }).suspected)).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it('is off in the editor’s test mode', async () => {
    const form = await open({}, 'manual');
    for (let count = 0; count < 5; count += 1) await post(form, { email: 'ada@example.com' });
    expect(form.started).toHaveLength(5);
  });

  it('stores hashes, never an e-mail address', async () => {
    const form = await open();
    await post(form, { email: 'linus@example.com' });
    const kept = JSON.parse(form.kept) as { passedOn: Record<string, number> };
    expect(Object.keys(kept.passedOn)).toEqual([expect.stringMatching(/^[0-9a-f]{24}$/)]);
    expect(form.kept).not.toContain('linus');
  });
});

describe('saving the execution', () => {
  it('lets the next attempt with the same key start an execution after a failed save', async () => {
    const form = await open();
    form.save = () => Promise.reject(new Error('The database is down'));
    const key = { 'idempotency-key': 'one-attempt' };
    expect((await post(form, { email: 'ada@example.com' }, key)).status).toBe(500);
    form.save = async () => undefined;
    expect((await post(form, { email: 'ada@example.com' }, key)).status).toBe(202);
    expect((await post(form, { email: 'ada@example.com' }, key)).status).toBe(202);
    expect(form.started).toHaveLength(1);
  });

  it.each([
    ['with the same key', {}, { 'idempotency-key': 'one-attempt' }],
    ['that would be one too many', { signupsPerAddress: 1 }, {}],
  ])('holds a post %s until the save ends, and starts an execution where it fails', async (_, parameters, headers) => {
    const form = await open(parameters);
    let saves = 0;
    let fail: (error: Error) => void = () => undefined;
    form.save = () => {
      saves += 1;
      return saves === 1 ? new Promise((_, reject) => (fail = reject)) : Promise.resolve();
    };
    const first = post(form, { email: 'ada@example.com' }, headers);
    await waitUntil('the first is being saved', () => saves === 1);
    const second = post(form, { email: 'ada@example.com' }, headers);
    await waitUntil('the node reads the second', () => form.posts === 2);
    // Whatever comes later is taken meanwhile.
    expect((await post(form, { email: 'bob@example.com' })).status).toBe(202);
    expect(saves).toBe(2);
    fail(new Error('The database is down'));
    expect([(await first).status, (await second).status]).toEqual([500, 202]);
    expect(addresses(form)).toEqual(['bob@example.com', 'ada@example.com']);
  });

  it('starts an execution for each of two people with the same key', async () => {
    const form = await open({ signupsPerAddress: 0 });
    const key = { 'idempotency-key': 'one-attempt' };
    for (const email of ['ada@example.com', 'ada@example.com', 'bob@example.com']) await post(form, { email }, key);
    expect(addresses(form)).toEqual(['ada@example.com', 'bob@example.com']);
    await post(form, { email: 'ada@example.com' }, { 'idempotency-key': 'another-attempt' });
    expect(addresses(form)).toEqual(['ada@example.com', 'bob@example.com', 'ada@example.com']);
  });
});

describe('publishing the workflow', () => {
  const create = (parameters: Readonly<Record<string, unknown>>): Promise<boolean> =>
    node.webhookMethods.default.create.call({
      getNodeParameter: (name: string, fallback: unknown) => parameters[name] ?? fallback,
      getNode: () => ({
        id: '1',
        name: 'Signup',
        type: 'newsletterSignupTrigger',
        typeVersion: 1,
        position: [0, 0],
        parameters: {},
      }),
    });

  it.each([
    [{ allowedOrigins: '' }, '"Allowed Origins" is empty'],
    [{ allowedOrigins: 'https://www.example.com/blog' }, 'scheme and host alone'],
    [{ allowedOrigins: 'https://*.example.com' }, 'a browser sends no origin with a *'],
    [{ allowedOrigins: '*' }, 'a browser sends no origin with a *'],
    [{ allowedOrigins: 'www.example.com/blog' }, 'scheme and host alone'],
    [{ allowedOrigins: 'my site' }, 'scheme and host alone'],
    [{ allowedOrigins: site, thanksUrl: '/thanks' }, 'whole address'],
    [{ allowedOrigins: site, signupsPerAddress: -1 }, '"Signups per Address and Hour" must be a number'],
  ])('is refused with %j', async (parameters, message) => {
    await expect(create(parameters)).rejects.toThrow(message);
  });

  it('accepts origins with upper case, a trailing slash, and as a list', async () => {
    await expect(create({ allowedOrigins: ['https://WWW.example.com/', 'http://127.0.0.1:4000'] })).resolves.toBe(true);
    await expect(create({ allowedOrigins: 'https://www.example.com, https://example.com' })).resolves.toBe(true);
  });

  it.each([
    ['www.example.com', 'https://www.example.com'],
    ['WWW.Example.com/', 'https://www.example.com'],
    ['www.example.com:8443', 'https://www.example.com:8443'],
    ['https://www.example.com:443', 'https://www.example.com'],
    ['https://www.example.com.', 'https://www.example.com'],
    ['www.example.com.', 'https://www.example.com'],
    ['https://www.example.com.:8443', 'https://www.example.com:8443'],
    ['localhost:4000', 'http://localhost:4000'],
    ['127.0.0.1:4000', 'http://127.0.0.1:4000'],
  ])('takes %s for the origin %s', async (entered, origin) => {
    const form = await open({ allowedOrigins: entered });
    expect((await post(form, { email: 'ada@example.com' }, { origin })).status).toBe(202);
  });
});
