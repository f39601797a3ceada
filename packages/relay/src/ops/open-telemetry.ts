/** {@link Tracing} with OpenTelemetry: exports spans as OTLP over HTTP, in JSON. Loaded only where it is configured. */
import process from 'node:process';
import { ApiError } from '@newsletter-kit/core';
import { operation as operationOf } from '@newsletter-kit/core/contract';
import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span as OtelSpan,
  type SpanContext,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type IdGenerator,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import type { Log } from './log.ts';
import type { Span, TracedSignup, Tracing } from './tracing.ts';

/** Time limit for the export of the last spans when the relay stops, in milliseconds. */
const lastExportMs = 2000;

/** Failed exports are logged at most once in this time, in milliseconds. */
const logEveryMs = 60_000;

export function createTracing({ apiUrl, log }: { readonly apiUrl: string; readonly log: Log }): Tracing {
  logDiagnostics(log);
  const ids = new TraceIds();
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'newsletter-relay' }))
      // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(process.env, log),
    idGenerator: ids,
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const tracer = provider.getTracer('@newsletter-kit/relay');
  const { hostname, port, protocol } = new URL(apiUrl);
  const server = { 'server.address': hostname, 'server.port': Number(port) || (protocol === 'https:' ? 443 : 80) };

  const delivery = ({ form, trace: parent }: TracedSignup, attempt: number, linked: readonly SpanContext[] = []) =>
    tracer.startSpan(
      'deliver signup',
      {
        attributes: { 'newsletter.form': form, 'newsletter.attempt': attempt },
        links: linked.map((context) => ({ context })),
      },
      within(parseTraceparent(parent)),
    );

  async function stop(): Promise<void> {
    const timeout = new Promise<void>((resolve) => setTimeout(resolve, lastExportMs).unref());
    const ended = provider
      .shutdown()
      .catch((error: unknown) => log.warn({ reason: nameOf(error) }, 'the last traces could not be sent'));
    await Promise.race([ended, timeout]);
  }
  let stopped: Promise<void> | null = null;

  return {
    post(form, header) {
      const route = form === 'default' ? '/signup' : `/signup/${form}`;
      const attributes = { 'http.request.method': 'POST', 'http.route': route, 'newsletter.form': form };
      const parent = parseTraceparent(header('traceparent'));
      const span = ids.use(parent ? null : traceIdOf(header('idempotency-key')), () =>
        tracer.startSpan(`POST ${route}`, { kind: SpanKind.SERVER, attributes }, within(parent)),
      );
      return toSpan(span);
    },
    delivery: (signup, attempt) => toSpan(delivery(signup, attempt)),
    mail({ form, trace: parent }) {
      const attributes = { 'newsletter.form': form };
      const context = within(parseTraceparent(parent));
      return toSpan(tracer.startSpan('send confirmation mail', { kind: SpanKind.CLIENT, attributes }, context));
    },
    batch(signups) {
      const batch = tracer.startSpan(
        'deliver batch',
        { attributes: { 'newsletter.signups': signups.length } },
        ROOT_CONTEXT,
      );
      const deliveries = signups.map((signup) => delivery(signup, 1, [batch.spanContext()]));
      return toSpan(batch, deliveries);
    },
    confirmed({ form, trace: parent }) {
      const context = parseTraceparent(parent);
      if (context === null) return;
      const attributes = { 'newsletter.form': form };
      tracer.startSpan('confirm signup', { attributes }, within(context)).end();
    },
    async call(span, operation, send) {
      const { method, path } = operationOf(operation);
      const attributes = { 'http.request.method': method, 'url.template': path, ...server };
      const context = within(parseTraceparent(span.traceparent));
      const client = tracer.startSpan(`${method} ${path}`, { kind: SpanKind.CLIENT, attributes }, context);
      try {
        return await send({ traceparent: toTraceparent(client.spanContext()) });
      } catch (error) {
        if (error instanceof ApiError) client.setAttribute('http.response.status_code', error.status);
        // The class of the error: its message may repeat what was sent.
        client.setAttribute('error.type', error instanceof ApiError ? String(error.status) : nameOf(error));
        client.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        client.end();
      }
    },
    stop: () => (stopped ??= stop()),
  };
}

/** @param parts - spans that end together with it */
function toSpan(span: OtelSpan, parts: readonly OtelSpan[] = []): Span {
  const context = span.spanContext();
  return {
    traceparent: toTraceparent(context),
    logFields: { trace_id: context.traceId },
    end({ status, failure } = {}) {
      for (const each of [span, ...parts]) {
        if (status !== undefined) each.setAttribute('http.response.status_code', status);
        if (failure !== undefined || (status !== undefined && status >= 500))
          each.setStatus({ code: SpanStatusCode.ERROR, ...(failure !== undefined && { message: failure }) });
        each.end();
      }
    },
  };
}

function within(parent: SpanContext | null): Context {
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
}

/** Any version but `ff`: later ones begin with the same fields (W3C Trace Context, section 4.3). */
const traceparent = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** @returns null without a valid header */
function parseTraceparent(text: string | null): SpanContext | null {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.exec(text?.trim() ?? '') ?? [];
  if (!/[1-9a-f]/.test(traceId) || !/[1-9a-f]/.test(spanId)) return null;
  const isSampled = (Number.parseInt(flags, 16) & TraceFlags.SAMPLED) !== 0;
  return { traceId, spanId, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
}

function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${(traceFlags & TraceFlags.SAMPLED).toString(16)}`;
}

/** The digits of an idempotency key that is a UUID, as the signup tag sends; null for any other key. */
function traceIdOf(idempotencyKey: string | null): string | null {
  const key = idempotencyKey?.trim().toLowerCase() ?? '';
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key)) return null;
  const digits = key.replaceAll('-', '');
  return /[1-9a-f]/.test(digits) ? digits : null;
}

/** Random ids, except for a given trace id. */
class TraceIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #named: string | null = null;

  /** A span without a parent that `begin` starts gets this trace id. */
  use<T>(traceId: string | null, begin: () => T): T {
    this.#named = traceId;
    try {
      return begin();
    } finally {
      this.#named = null;
    }
  }

  generateTraceId = (): string => this.#named ?? this.#random.generateTraceId();
  generateSpanId = (): string => this.#random.generateSpanId();
}

/** The sampler that OTEL_TRACES_SAMPLER names. */
function samplerOf(variables: NodeJS.ProcessEnv, log: Log): Sampler {
  const name = variables['OTEL_TRACES_SAMPLER']?.trim() || 'parentbased_always_on';
  const [, isParentBased, root = ''] = /^(parentbased_)?(.*)$/.exec(name) ?? [];
  const argument = variables['OTEL_TRACES_SAMPLER_ARG']?.trim() || '1';
  const roots: Readonly<Record<string, () => Sampler>> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(Number(argument)),
  };
  const make = Object.hasOwn(roots, root) ? roots[root] : undefined;
  if (make === undefined || !(Number(argument) >= 0 && Number(argument) <= 1)) {
    log.warn({ sampler: name }, 'OTEL_TRACES_SAMPLER or its _ARG is not known; every trace is recorded');
    return new ParentBasedSampler({ root: new AlwaysOnSampler() });
  }
  return isParentBased ? new ParentBasedSampler({ root: make() }) : make();
}

/** Logs OpenTelemetry's own warnings, at a limited rate. */
function logDiagnostics(log: Log): void {
  let next = 0;
  const warn = (...texts: unknown[]): void => {
    if (Date.now() < next) return;
    next = Date.now() + logEveryMs;
    log.warn({ reason: texts.map(String).join(' ').slice(0, 300) }, 'OpenTelemetry reports trouble');
  };
  const silent = (): void => {};
  const level = { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true };
  diag.setLogger({ error: warn, warn, info: silent, debug: silent, verbose: silent }, level);
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}
