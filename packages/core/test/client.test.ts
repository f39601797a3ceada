import { readFileSync } from 'node:fs';
import process from 'node:process';
import { inspect } from 'node:util';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { operations } from '../src/contract/index.ts';
import {
  createClient,
  createFetchHost,
  deviationText,
  InvalidAnswerError,
  InvalidRequestError,
  type Deviation,
  type FetchInit,
  type PagePromise,
  type Subscription,
} from '../src/index.ts';

const options = { baseUrl: 'http://api.test/v2', publicationId: 'pub_1', token: 'k', retry: false } as const;
const thrownBy = (make: () => unknown): unknown => {
  try {
    return make();
  } catch (error) {
    return error;
  }
};
const answering = (body: unknown) => async () => Response.json(body);

describe('the client', () => {
  it('has a method for every operation of the contract and no other', () => {
    const { engine: _engine, request: _request, ...resources } = createClient(options);
    const methods = Object.entries(resources).flatMap(([resource, verbs]) =>
      Object.keys(verbs).map((verb) => `${resource}.${verb}`),
    );
    const login = ['startLogin', 'finishLogin', 'refreshTokens', 'revokeTokens', 'introspectToken', 'readTokenInfo'];
    expect(methods.sort()).toEqual(
      [...operations.map(({ id }) => id as string), ...[...login, 'tokenSource'].map((name) => `oauth.${name}`)].sort(),
    );
  });

  it('types arguments and answers by the schemas', () => {
    const client = createClient({ ...options, fetch: answering({ data: [] }) });
    expectTypeOf(client.subscriptions.list).returns.toEqualTypeOf<PagePromise<Subscription>>();
    expectTypeOf(client.subscriptions.create).parameter(0).toHaveProperty('email').toEqualTypeOf<string>();
    expectTypeOf(client.journeys.enroll).parameter(0).toHaveProperty('automationId').toEqualTypeOf<string>();
    expectTypeOf(client.customFields.list)
      .parameter(0)
      .toEqualTypeOf<{ publicationId?: string | undefined } | undefined>();
    // @ts-expect-error -- a field that does not exist; a list is not asked for before it is awaited
    void client.subscriptions.list({ order: 'asc' });
    expectTypeOf({ utm_source: 'x' }).not.toExtend<Parameters<typeof client.subscriptions.create>[0]>();
  });

  it('returns the authorization URL', () => {
    const { oauth } = createClient({ ...options, appUrl: 'http://app.test/' });
    const address = oauth.authorize({
      client_id: 'c',
      redirect_uri: 'http://localhost/back',
      response_type: 'code',
      scope: 'subscriptions:read automations:read',
    });
    expect(address).toBe(
      'http://app.test/oauth/authorize?client_id=c&redirect_uri=http%3A%2F%2Flocalhost%2Fback&response_type=code&scope=subscriptions%3Aread%20automations%3Aread',
    );
  });

  it.each(['', 'api.test/v2', 'http://api.test', 'http://api.test/v1', 'ftp://api.test/v2', undefined as never])(
    'refuses the base URL %j',
    (baseUrl) => {
      expect(() => createClient({ ...options, baseUrl })).toThrow('ends with /v2');
    },
  );

  it.each(['http://api.test/v2', ' http://api.test/v2 ', 'HTTP://API.test:80/v2//\n'])(
    'calls the same address for the base URL %j',
    async (baseUrl) => {
      const called: string[] = [];
      const fetch = async (url: string) => {
        called.push(url);
        return Response.json({ data: [] });
      };
      const client = createClient({ ...options, baseUrl, appUrl: ` ${baseUrl} `, fetch });
      await client.customFields.list();
      await client.request('GET', '/x');
      expect(called).toEqual(['http://api.test/v2/publications/pub_1/custom_fields', 'http://api.test/v2/x']);
      const redirect = { client_id: 'c', redirect_uri: 'http://localhost', response_type: 'code' } as const;
      expect(client.oauth.authorize(redirect)).toMatch(/^http:\/\/api\.test\/v2\/oauth\/authorize\?/);
    },
  );

  it.each([
    ['http://ada:s3cret@api.test/v2', 'must be without user name and password'],
    ['http://s3cret@api.test/v2', 'must be without user name and password'],
    ['http://api.test/v2?key=s3cret', 'must be without query and fragment'],
    ['http://api.test/v2#s3cret', 'must be without query and fragment'],
    ['ftp://ada:s3cret@api.test/v2', 'must be an http(s) address'],
  ])('refuses the address %s and does not repeat it', (address, text) => {
    const oauth = { clientId: 'c', redirectUri: 'http://localhost' };
    for (const [setting, given] of [
      ['baseUrl', { baseUrl: address }],
      ['appUrl', { appUrl: address }],
      ['appUrl', { appUrl: address.replace('http:', 'https:'), oauth }],
    ] as const) {
      const error = thrownBy(() => createClient({ ...options, ...given }));
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain(setting);
      if (!('oauth' in given)) expect(String(error)).toContain(text);
      expect(inspect(error)).not.toMatch(/s3cret|ada:/);
    }
  });

  it('sends its extra headers with every request, below those of a call', async () => {
    const sent: unknown[] = [];
    const client = createClient({
      ...options,
      appUrl: 'http://127.0.0.1',
      oauth: { clientId: 'c', redirectUri: 'http://localhost' },
      extraHeaders: { 'X-Site': 'shop', 'User-Agent': 'shop/1', Authorization: 'Bearer other' },
      fetch: async (_url, { headers }) => {
        sent.push([headers['x-site'], headers['user-agent'], headers['authorization']]);
        return Response.json({ data: [], access_token: 't', token_type: 'Bearer' });
      },
    });
    await client.customFields.list();
    await client.customFields.list({}, { extraHeaders: { 'x-site': 'other', 'user-agent': 'job/2' } });
    await client.request('GET', '/x', { headers: { 'X-SITE': 'raw' } });
    await client.oauth.refreshTokens({ refreshToken: 'r', scopes: [] });
    expect(sent).toEqual([
      ['shop', 'shop/1', 'Bearer k'],
      ['other', 'job/2', 'Bearer k'],
      ['raw', 'shop/1', 'Bearer k'],
      ['shop', 'shop/1', 'Bearer other'],
    ]);
  });

  it('names itself, its version and Node as user agent', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      readonly version: string;
    };
    const agents: unknown[] = [];
    const fetch = async (_url: string, { headers }: FetchInit) => {
      agents.push(headers['user-agent']);
      return Response.json({ data: [] });
    };
    await createClient({ ...options, fetch }).customFields.list();
    await createClient({ ...options, host: createFetchHost({ fetch }) }).customFields.list();
    const agent = `newsletter-kit/${version} node/${process.versions.node}`;
    expect(agents).toEqual([agent, agent]);
  });

  it.each([
    [{ bun: '1.4.0', node: '24.3.0' }, /^newsletter-kit\/\S+ bun\/1\.4\.0$/],
    [{ deno: '2.9.1', node: '24.2.0' }, /^newsletter-kit\/\S+ deno\/2\.9\.1$/],
    [{}, undefined],
    [undefined, undefined],
  ])('names the runtime %j', async (versions, agent) => {
    vi.stubGlobal('process', versions && { versions });
    const module = new URL(`../src/hosts/user-agent.ts?${JSON.stringify(versions)}`, import.meta.url).href;
    const { userAgent } = (await import(module)) as { readonly userAgent?: string };
    vi.unstubAllGlobals();
    if (agent) expect(userAgent).toMatch(agent);
    else expect(userAgent).toBeUndefined();
  });

  it('returns the warnings of an answer', async () => {
    const warnings = [{ message: 'No such field', code: 'X' }];
    const data = { id: 'sub_1', email: 'a@example.com', status: 'active', created: 1 };
    const client = createClient({ ...options, fetch: answering({ data, warnings }) });
    expect(await client.subscriptions.create({ email: 'a@example.com' })).toEqual({ data, warnings });
  });

  it.each([true, false])('sends the normalised address, with validation: %s', async (validate) => {
    const sent: unknown[] = [];
    const fetch = async (url: string, { body }: FetchInit) => {
      sent.push(body === undefined ? new URL(url).searchParams.get('email') : (JSON.parse(body) as object));
      return Response.json({
        data: body === undefined ? [] : { id: 'sub_1', email: 'x', status: 'active', created: 1 },
      });
    };
    const { subscriptions, deletionRequests } = createClient({ ...options, fetch, validate });
    const email = ' Ada+News@BÜCHER.example ';
    await subscriptions.create({ email });
    await subscriptions.list({ email });
    await deletionRequests.create({ email });
    await subscriptions.list({ email: ' ' });
    const normalised = 'Ada+News@bücher.example';
    expect(sent).toEqual([{ email: normalised }, normalised, { email: normalised }, ' ']);
  });

  it.each([new Date(0), Number.NaN, 1n, [1]])('says what a custom field takes in place of %s', async (value) => {
    const call = createClient({ ...options, fetch: answering({}) }).subscriptions.create({
      email: 'ada@example.com',
      custom_fields: [{ name: 'Born', value: value as never }],
    });
    await expect(call).rejects.toThrow(
      '"custom_fields[0].value" must be a text, a number, true, false or a list of texts.',
    );
  });

  it('rejects an invalid request before it is sent, with field and remedy but without the value', async () => {
    const client = createClient({ ...options, fetch: answering({}) });
    const call = client.subscriptions.create({
      email: 'ada at example',
      custom_fields: [{ name: 'Topics', value: { a: 1 } as never }],
    });
    const error: unknown = await call.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(String(error)).toContain('"email" must be an e-mail address such as name@example.com');
    expect(String(error)).toContain('"custom_fields[0].value"');
    expect(String(error)).not.toContain('ada at example');
  });

  it('sends names that it does not know, also in lists, tells them, and refuses those that are nearly known', async () => {
    const sent: unknown[] = [];
    const told: Deviation[] = [];
    const client = createClient({
      ...options,
      fetch: async (_url, { body }) => {
        sent.push(JSON.parse(body ?? ''));
        return Response.json({ data: { id: 'sub_1' } });
      },
      onDeviation: (deviation) => told.push(deviation),
    });
    const ada = { email: ' Ada@EXAMPLE.com ', stripe_customer_id: 'cus_1', custom_fields: [{ name: 'City', hue: 1 }] };
    await client.subscriptions.create(ada);
    const subscriptions = [ada, { ...ada, vip: { __proto__: null, a: 1 } }];
    await client.subscriptions.bulkCreate({ subscriptions });
    const read = { ...ada, email: 'Ada@example.com' };
    expect(sent).toEqual([read, { subscriptions: [read, { ...read, vip: { a: 1 } }] }]);
    expect(
      told
        .filter(({ part }) => part === 'request')
        .map(deviationText)
        .toSorted(),
    ).toEqual(
      [
        ['bulkCreate', 'subscriptions[].custom_fields[].hue'],
        ['bulkCreate', 'subscriptions[].stripe_customer_id'],
        ['bulkCreate', 'subscriptions[].vip'],
        ['create', 'custom_fields[].hue'],
        ['create', 'stripe_customer_id'],
      ].map(([verb, field]) => `subscriptions.${verb}: sent "${field}": is not in the specification; sent as it is.`),
    );
    const misspelt = { subscriptions: [ada, { ...ada, double_opt_overide: 'on' as const }] };
    await expect(client.subscriptions.bulkCreate(misspelt)).rejects.toThrow(
      /: "subscriptions\[1\]\.double_opt_overide" is not known here; did you mean "double_opt_override"\?$/,
    );
    const wrong = { ...ada, email: 'none' };
    await expect(client.subscriptions.create(wrong)).rejects.toThrow('"email" must be an e-mail address');
    expect(sent).toHaveLength(2);
  });

  it('sends the customer id under the name of the service', async () => {
    const sent: unknown[] = [];
    const client = createClient({
      ...options,
      customerIdField: 'stripe_customer_id',
      fetch: async (_url, { body }) => {
        sent.push(JSON.parse(body ?? ''));
        return Response.json({ data: { id: 'sub_1' } });
      },
    });
    const request = { email: 'ada@example.com', payments_customer_id: 'cus_1' };
    await client.subscriptions.create(request);
    await client.subscriptions.bulkCreate({ subscriptions: [request, { email: 'b@example.com' }] });
    const read = { email: 'ada@example.com', stripe_customer_id: 'cus_1' };
    expect(sent).toEqual([read, { subscriptions: [read, { email: 'b@example.com' }] }]);
  });

  it('gives an answer of another shape as it came, and tells each field once', async () => {
    const odd = { data: { id: 7, name: 'Welcome', more: true } };
    const told: Deviation[] = [];
    const client = createClient({
      ...options,
      fetch: answering(odd),
      onDeviation: (deviation) => told.push(deviation),
    });
    expect(await client.automations.get({ automationId: 'aut_1' })).toEqual(odd);
    const { data, warnings } = await client.automations.get({ automationId: 'aut_1' }).withResponse();
    expect(data).toEqual(odd);
    const fields = ['data.id', 'data.status', 'data.trigger_events'];
    expect(told.map(({ field }) => field)).toEqual(fields);
    expect(warnings).toEqual(
      ['expected string', 'expected string', 'expected array'].map((problem, index) => ({
        code: 'deviation',
        message: expect.stringContaining(`"${fields[index]}": ${problem}`) as string,
      })),
    );
    const trusting = createClient({ ...options, fetch: answering(odd), validate: false });
    expect((await trusting.automations.get({ automationId: 'aut_1' }).withResponse()).warnings).toEqual([]);
  });

  it('rejects an answer without data', async () => {
    for (const data of [undefined, null, [], 'x']) {
      const call = createClient({ ...options, retry: false, fetch: answering({ data }) }).automations.get({
        automationId: 'a',
      });
      await expect(call).rejects.toBeInstanceOf(InvalidAnswerError);
    }
  });
});
