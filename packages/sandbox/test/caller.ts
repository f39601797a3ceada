/** Calls a sandbox in process, the way a client would, and checks every answer against core's strict schemas. */
import { operation, type OperationId } from '@newsletter-kit/core/contract';
import { errorBody, schemas, type Answer } from '@newsletter-kit/core/schema';
import { createClient } from '@newsletter-kit/core';
import { expect, onTestFinished } from 'vitest';
import { strictly } from './strictly.ts';
import { apiKeys, createSandbox, publicationId, type Sandbox, type SandboxOptions } from '../src/index.ts';

export const base = 'http://sandbox.test/v2';
export const publicationPath = `/publications/${publicationId}`;
export const subscriptionsPath = `/publications/${publicationId}/subscriptions`;
export const customFieldsPath = `/publications/${publicationId}/custom_fields`;

/** Noon on 4 November 2026, UTC, standing still until it is advanced. */
export const noon = Date.UTC(2026, 10, 4, 12);

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A fresh sandbox whose clock stands still; closed when the test ends. */
export function fresh(options: SandboxOptions = {}): Sandbox {
  const sandbox = strictly(createSandbox({ now: () => noon, ...options }));
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Core's client of a sandbox, which tries nothing twice. */
export const clientOf = (sandbox: Sandbox, token: string = apiKeys.workspace) =>
  createClient({
    baseUrl: base,
    appUrl: 'http://sandbox.test',
    token,
    publicationId,
    fetch: sandbox.fetch,
    retry: false,
  });

/** Sends one request with the workspace key, unless `headers` say otherwise. A text goes out as it is, else JSON. */
export async function send(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const json = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const answer = await sandbox.fetch(/^\/(?:v2|_sandbox)/.test(path) ? `http://sandbox.test${path}` : base + path, {
    method,
    headers: { Authorization: `Bearer ${apiKeys.workspace}`, ...json, ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? null : (JSON.parse(text) as unknown) };
}

/** Calls a control endpoint, by its path below `/_sandbox`. */
export const control = (sandbox: Sandbox, method: string, path: string, body?: unknown): Promise<Answered> =>
  send(sandbox, method, `/_sandbox${path}`, body);

/** Sends a request that must succeed, and answers its body as the contract's schema reads it. */
export async function ask<Id extends OperationId>(
  sandbox: Sandbox,
  id: Id,
  path: string,
  body?: unknown,
): Promise<Answer<Id>> {
  const { method, success } = operation(id);
  const answered = await send(sandbox, method, path, body);
  expect(answered, JSON.stringify(answered.body)).toMatchObject({ status: success });
  return schemas[id].answer.parse(answered.body) as Answer<Id>;
}

export const create = (sandbox: Sandbox, body: object) => ask(sandbox, 'subscriptions.create', subscriptionsPath, body);

export const list = (sandbox: Sandbox, query: Readonly<Record<string, string | readonly string[]>> = {}) =>
  ask(sandbox, 'subscriptions.list', `${subscriptionsPath}?${search(query)}`);

export const addField = (sandbox: Sandbox, kind: string, display: string) =>
  ask(sandbox, 'customFields.create', customFieldsPath, { kind, display });

/** A query string; a list makes its name repeat. */
export function search(query: Readonly<Record<string, string | readonly string[]>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) for (const item of [value].flat()) parameters.append(name, item);
  return parameters.toString();
}

/** The error body, checked to be one of this status. */
export function errorsOf({ status, body }: Answered) {
  const error = errorBody.parse(body);
  expect(error.status).toBe(status);
  expect(error.statusText).toMatch(/^[a-z]+(_[a-z]+)*$/);
  expect(error.errors.length).toBeGreaterThan(0);
  return error.errors;
}
