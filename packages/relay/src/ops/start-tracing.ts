/** Loads OpenTelemetry if its standard environment variables ask for traces. */
import process from 'node:process';
import type { Log } from './log.ts';
import { noTracing, type Tracing } from './tracing.ts';

/** The standard variables that turn tracing on: either names where traces are sent. */
const endpoints = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;

/**
 * Starts tracing where OpenTelemetry's standard variables ask for it.
 *
 * @param apiUrl - root address of the API, for the spans of its calls
 */
export async function startTracing({ apiUrl, log }: { readonly apiUrl: string; readonly log: Log }): Promise<Tracing> {
  const value = (name: string): string => process.env[name]?.trim() ?? '';
  const isOff = value('OTEL_SDK_DISABLED').toLowerCase() === 'true' || value('OTEL_TRACES_EXPORTER') === 'none';
  if (isOff || endpoints.every((name) => value(name) === '')) return noTracing;
  const { createTracing } = await import('./open-telemetry.ts');
  return createTracing({ apiUrl, log });
}
