/** An engine on a scripted host. */
import { createEngine } from '../../src/engine/index.ts';
import { scriptedHost, type Scripted } from './scripted-host.ts';

export function calling(...script: readonly Scripted[]) {
  const host = scriptedHost(script);
  const engine = createEngine({ host, baseUrl: 'http://api.test/v2', token: 'key-0123456789', publicationId: 'pub_1' });
  return { host, engine, urls: () => host.sent.map(({ method, url }) => `${method} ${url}`) };
}

export const headers = {
  'x-request-id': 'req_7',
  'x-pagination-warning': 'Offset pagination is deprecated',
  'x-pagination-migration-guide': 'https://docs.test/cursors',
};
