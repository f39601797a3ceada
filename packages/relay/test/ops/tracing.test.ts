/** Traces of signups, received by a real OTLP collector. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLog } from '../../src/index.ts';
import { startTracing } from '../../src/ops/start-tracing.ts';
import { noTracing, type Tracing } from '../../src/ops/tracing.ts';
import { serve } from '../commands/relay-process.ts';
import { eventually } from '../eventually.ts';
import { linkIn, startMailServer } from '../mail-server.ts';
import { newSignup } from '../new-signup.ts';
import { apiKey, post, runRelay, type RelayParts, type RunningRelay } from '../running-relay.ts';
import { onPort, sandboxApi } from '../sandbox-api.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { otlpReceiver, type OtlpReceiver, type ReceivedSpan } from './otlp-receiver.ts';

const createPath = 'POST /publications/{publicationId}/subscriptions';
const bulkPath = 'POST /publications/{publicationId}/bulk_subscriptions';

/** Tracing as `serve` starts it with these variables. */
async function tracingWith(variables: Readonly<Record<string, string>>, logged: string[] = []): Promise<Tracing> {
  Object.assign(process.env, variables);
  onTestFinished(() => {
    for (const name of Object.keys(variables)) delete process.env[name];
  });
  const log = createLog({ level: 'debug', destination: { write: (line) => void logged.push(line) } });
  const tracing = await startTracing({ apiUrl: 'https://api.example.com/v2', log });
  onTestFinished(() => tracing.stop());
  return tracing;
}

interface Traced {
  readonly relay: RunningRelay;
  readonly receiver: OtlpReceiver;
  /** Waits until the API has so many signups. */
  delivered(count?: number): Promise<unknown>;
  /** Ends tracing and gives everything that was recorded. */
  spans(): Promise<readonly ReceivedSpan[]>;
}

async function traced(parts: RelayParts = {}, variables: Readonly<Record<string, string>> = {}): Promise<Traced> {
  const receiver = await otlpReceiver();
  const tracing = await tracingWith({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...variables });
  let known = 0;
  const relay = runRelay({
    delivery: { backoff: { firstMs: 1, maxMs: 10, maxRetryAfterMs: 10 } },
    ...parts,
    onEvent: ({ type }) => (known += type === 'delivered' ? 1 : 0),
    tracing,
  });
  return {
    relay,
    receiver,
    delivered: (count = 1) => eventually('everything is delivered', () => known === count),
    async spans() {
      await tracing.stop();
      return receiver.spans;
    },
  };
}

/** The one span with this name. */
function only(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const [found, ...others] = spans.filter((span) => span.name === name);
  if (found === undefined || others.length > 0) throw new Error(`There are ${others.length + (found ? 1 : 0)} ${name}`);
  return found;
}

describe('a signup', () => {
  it('has one trace from the post to the API call, which gets its context; log lines contain its id', async () => {
    const api = sandboxApi();
    const passedOn: (string | null)[] = [];
    const { relay, delivered, spans } = await traced({
      api: (input, init) => {
        const request = new Request(input, init);
        passedOn.push(request.headers.get('traceparent'));
        return api.fetch(request);
      },
    });
    const key = randomUUID();
    expect((await relay.fetch(post({ email: 'ada@example.com' }, { 'idempotency-key': key }))).status).toBe(202);
    relay.start();
    await delivered();

    const all = await spans();
    const traceId = key.replaceAll('-', '');
    expect(new Set(all.map((span) => span.traceId))).toEqual(new Set([traceId]));
    const received = only(all, 'POST /signup');
    const delivery = only(all, 'deliver signup');
    const call = only(all, createPath);
    expect(all).toHaveLength(3);
    expect([received.parentSpanId, delivery.parentSpanId, call.parentSpanId]).toEqual([
      null,
      received.spanId,
      delivery.spanId,
    ]);
    expect([received.kind, call.kind]).toEqual([2, 3]);
    expect(received).toMatchObject({
      service: 'newsletter-relay',
      attributes: { 'http.request.method': 'POST', 'http.route': '/signup', 'http.response.status_code': 202 },
    });
    expect(call.attributes).toMatchObject({ 'server.address': 'api.example.com', 'server.port': 443 });
    expect(passedOn).toEqual([`00-${traceId}-${call.spanId}-01`]);
    const lines = relay.logged.map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const msg of ['kept', 'delivered'])
      expect(lines.find((line) => line['msg'] === msg)).toMatchObject({ trace_id: traceId });
  });

  it('continues the trace of the page', async () => {
    const { relay, delivered, spans } = await traced({ api: sandboxApi().fetch });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await relay.fetch(post({ email: 'ada@example.com' }, { traceparent, 'idempotency-key': randomUUID() }));
    relay.start();
    await delivered();
    const all = await spans();
    expect(new Set(all.map(({ traceId }) => traceId))).toEqual(new Set(['0af7651916cd43dd8448eb211c80319c']));
    expect(only(all, 'POST /signup').parentSpanId).toBe('b7ad6b7169203331');
  });

  it.each([
    ['no header', {}],
    ['a key that is no UUID', { 'idempotency-key': 'the form of today' }],
    ['a key of zeros', { 'idempotency-key': '00000000-0000-0000-0000-000000000000' }],
    ['a malformed context', { traceparent: '00-0af7651916cd43dd8448eb211c80319c-01' }],
    ['a context of zeros', { traceparent: '00-00000000000000000000000000000000-b7ad6b7169203331-01' }],
  ])('with %s begins a trace of its own', async (_, headers) => {
    const { relay, spans } = await traced();
    for (const email of ['ada@example.com', 'bob@example.com']) await relay.fetch(post({ email }, headers));
    const posts = (await spans()).filter(({ name }) => name === 'POST /signup');
    expect(posts.map(({ parentSpanId }) => parentSpanId)).toEqual([null, null]);
    expect(new Set(posts.map(({ traceId }) => traceId)).size).toBe(2);
    for (const { traceId } of posts) expect(traceId).toMatch(/^(?!0+$)[0-9a-f]{32}$/);
  });

  it('has a span per attempt with its failure, without an address, a key or the API’s text', async () => {
    const api = sandboxApi();
    let attempts = 0;
    const { relay, receiver, delivered, spans } = await traced({
      api: (input, init) => {
        attempts += 1;
        if (attempts > 1) return api.fetch(input, init);
        const errors = [{ message: 'zoe.quimby@mail.example is on hold.', code: 'ON_HOLD' }];
        return Promise.resolve(Response.json({ status: 429, statusText: 'no', errors }, { status: 429 }));
      },
    });
    const body = { email: 'zoe.quimby@mail.example', custom_fields: [{ name: 'Job', value: 'engineer' }] };
    await relay.fetch(post(body, { 'idempotency-key': randomUUID() }));
    relay.start();
    await delivered();
    expect((await relay.fetch(post({ email: 'nobody' }))).status).toBe(400);
    const all = await spans();
    const calls = all.filter(({ name }) => name === createPath);
    expect(calls.map(({ failed, attributes }) => [failed, attributes['http.response.status_code']])).toEqual([
      [true, 429],
      [false, undefined],
    ]);
    const deliveries = all.filter(({ name }) => name === 'deliver signup');
    expect(deliveries.map(({ failed, attributes }) => [failed, attributes['newsletter.attempt']])).toEqual([
      [true, 1],
      [false, 2],
    ]);
    expect(
      all
        .filter(({ name }) => name === 'POST /signup')
        .map(({ attributes }) => attributes['http.response.status_code']),
    ).toEqual([202, 400]);
    expect(receiver.text()).not.toMatch(/mail\.example|quimby|nobody|engineer|on hold/i);
    expect(receiver.text()).not.toContain(apiKey);
  });

  it('sent in bulk has its delivery and its confirmation in its own trace, linked with the batch', async () => {
    const api = sandboxApi();
    const { relay, delivered, spans } = await traced({
      api: api.fetch,
      delivery: {
        bulk: { above: 12, lookAfterMs: 1000 },
        backoff: { firstMs: 1, maxMs: 10, maxRetryAfterMs: 10 },
      },
    });
    for (let n = 0; n < 12; n += 1)
      await relay.fetch(post({ email: `person${n}@example.com` }, { 'idempotency-key': randomUUID() }));
    relay.start();
    await delivered(12);
    const all = await spans();
    const batch = only(all, 'deliver batch');
    expect(only(all, bulkPath)).toMatchObject({ traceId: batch.traceId, parentSpanId: batch.spanId });
    const posts = all.filter(({ name }) => name === 'POST /signup');
    const linked = all.filter(({ name, links }) => name === 'deliver signup' && links?.[0]?.spanId === batch.spanId);
    expect(batch.attributes['newsletter.signups']).toBe(12);
    expect(linked).toHaveLength(12);
    for (const { traceId, parentSpanId } of linked)
      expect(posts).toContainEqual(expect.objectContaining({ traceId, spanId: parentSpanId }));
    const confirmed = new Set(all.filter(({ name }) => name === 'confirm signup').map(({ traceId }) => traceId));
    expect(confirmed).toEqual(new Set(linked.map(({ traceId }) => traceId)));
  });

  it('that needs confirmation has its mail and its delivery in one trace', async () => {
    const mail = await startMailServer();
    const { relay, delivered, receiver, spans } = await traced({
      api: sandboxApi().fetch,
      settings: {
        RELAY_CONFIRMATION: 'true',
        RELAY_SMTP_URL: mail.url,
        RELAY_MAIL_FROM: 'news@shop.example',
        RELAY_PUBLIC_URL: 'https://signup.example',
        RELAY_SECRET: 'a-secret-of-the-relay-0123456789',
      },
    });
    relay.start();
    const key = randomUUID();
    await relay.fetch(post({ email: 'zoe.quimby@mail.example' }, { 'idempotency-key': key }));
    const link = linkIn(await eventually('the mail', () => mail.received[0]));
    expect((await relay.fetch(new Request(link, { method: 'POST', redirect: 'manual' }))).status).toBe(303);
    await delivered();
    expect((await spans()).map(({ name, traceId }) => [name, traceId]).sort()).toEqual(
      [createPath, 'POST /signup', 'deliver signup', 'send confirmation mail'].map((name) => [
        name,
        key.replaceAll('-', ''),
      ]),
    );
    expect(receiver.text()).not.toMatch(/quimby/i);
    expect(receiver.text()).not.toContain(new URL(link).pathname);
  });

  it('has one trace through a running relay, exported when the relay stops at the latest', async () => {
    const receiver = await otlpReceiver();
    const api = sandboxApi();
    const relay = await serve(scratchFolder(), {
      NEWSLETTER_API_URL: `${await onPort(api.fetch)}/v2`,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces`,
      OTEL_SERVICE_NAME: 'signups',
    });
    const key = randomUUID();
    await relay.signUp('ada@example.com', {}, { 'idempotency-key': key });
    await eventually('it is delivered', () => relay.output().includes('"msg":"delivered"'));
    relay.child.kill('SIGTERM');
    expect((await relay.ended).code).toBe(0);
    expect(receiver.spans.map(({ name, traceId, service }) => [name, traceId, service]).sort()).toEqual(
      [createPath, 'POST /signup', 'deliver signup'].map((name) => [name, key.replaceAll('-', ''), 'signups']),
    );
  });
});

describe('tracing', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };

  it.each([
    [{}],
    [{ OTEL_SERVICE_NAME: 'signups' }],
    [{ ...endpoint, OTEL_SDK_DISABLED: 'true' }],
    [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }],
  ])('is off with %o', async (variables) => {
    expect(await tracingWith(variables)).toBe(noTracing);
  });

  it.each([
    ['loads neither SDK nor exporter where it is not configured', {}, 0],
    ['loads them where it is', endpoint, 1],
  ])('%s', async (_, variables, least) => {
    // Reports what is loaded; the API, which does nothing by itself, comes with prom-client.
    const hook = `import { registerHooks } from 'node:module'; registerHooks({ resolve(specifier, context, next) {
      if (/@opentelemetry.(sdk|exporter)/.test(specifier)) process.stderr.write('loads ' + specifier + '\\n');
      return next(specifier, context);
    } });`;
    const relay = await serve(scratchFolder(), {
      ...variables,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
    });
    relay.child.kill('SIGTERM');
    const { stderr } = await relay.ended;
    const loaded = stderr.match(/loads @opentelemetry/g)?.length ?? 0;
    expect(Math.min(loaded, 1)).toBe(least);
  });

  it('samples as OTEL_TRACES_SAMPLER says, and passes that on', async () => {
    const receiver = await otlpReceiver();
    const sampler = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };
    const tracing = await tracingWith({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...sampler });
    const wished = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const span = tracing.post('default', (name) => (name === 'traceparent' ? wished : null));
    expect(span.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-00$/);
    span.end({ status: 202 });
    await tracing.stop();
    expect(receiver.spans).toEqual([]);
  });

  it('logs an unknown sampler, and records everything', async () => {
    const receiver = await otlpReceiver();
    const logged: string[] = [];
    const tracing = await tracingWith(
      { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_TRACES_SAMPLER: 'often' },
      logged,
    );
    tracing.post('jobs', () => null).end({ status: 503 });
    await tracing.stop();
    expect(receiver.spans).toMatchObject([{ name: 'POST /signup/jobs', failed: true }]);
    expect(logged.join('')).toContain('"sampler":"often"');
  });

  it('to a collector that does not answer delays neither signups nor the end of the relay', async () => {
    const tracing = await tracingWith(endpoint);
    const relay = runRelay({ api: sandboxApi().fetch, tracing });
    relay.start();
    expect((await relay.fetch(post({ email: 'ada@example.com' }))).status).toBe(202);
    await eventually('it is delivered', async () => (await relay.store.counts()).delivered === 1);
    await tracing.stop();
  });

  it('ignores a stored text that is no trace context', async () => {
    const receiver = await otlpReceiver();
    const tracing = await tracingWith({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
    for (const trace of [null, 'no context']) {
      tracing.delivery(newSignup('ada@example.com', { trace }), 1).end();
      tracing.confirmed(newSignup('ada@example.com', { trace }));
    }
    await tracing.stop();
    expect(receiver.spans.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
      ['deliver signup', null],
      ['deliver signup', null],
    ]);
  });
});
