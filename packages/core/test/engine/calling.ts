/** An engine on a scripted host. */
import { createEngine, type EngineOptions } from '../../src/engine/index.ts';
import { scriptedHost, type Scripted } from './scripted-host.ts';

/** An engine whose service gives these answers. */
export function engineOn(script: readonly Scripted[], options: Partial<EngineOptions> = {}) {
  const host = scriptedHost(script);
  return { host, engine: createEngine({ host, baseUrl: 'http://api.test/v2', publicationId: 'pub_1', ...options }) };
}

/** The same with a token. */
export function calling(...script: readonly Scripted[]) {
  const { host, engine } = engineOn(script, { token: 'key-0123456789' });
  return { host, engine, urls: () => host.sent.map(({ method, url }) => `${method} ${url}`) };
}

export const headers = {
  'x-request-id': 'req_7',
  'x-pagination-warning': 'Offset pagination is deprecated',
  'x-pagination-migration-guide': 'https://docs.test/cursors',
};
