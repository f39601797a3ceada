/**
 * Measures the size of a client for a page or an edge function: five calls, without a schema library, as a bundler
 * leaves it.
 */
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { reportFigures, type Figure } from '../figure.ts';

const entry = 'five-operations';

/** @param host - the function that makes the host */
async function size(host: 'createFetchHost' | 'createKyHost'): Promise<Figure> {
  const source = `
    import { createEngine, ${host} } from '@newsletter-kit/core';
    const engine = createEngine({ host: ${host}(), baseUrl: 'https://api.example.com/v2', token: 'key', publicationId: 'pub_1' });
    export const create = (email) => engine.call('subscriptions.create', { email });
    export const list = () => engine.list('subscriptions.list', {});
    export const importMany = (subscriptions) => engine.call('subscriptions.bulkCreate', { subscriptions });
    export const enroll = (automationId, email) => engine.call('journeys.enroll', { automationId, email });
    export const fields = () => engine.list('customFields.list', {});
  `;
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    root: fileURLToPath(new URL('../..', import.meta.url)),
    plugins: [
      {
        name: entry,
        enforce: 'pre',
        resolveId: (id) => (id.endsWith(entry) ? `\0${entry}` : null),
        load: (id) => (id === `\0${entry}` ? source : null),
      },
    ],
    build: { write: false, minify: true, lib: { entry, formats: ['es'] } },
  });
  const [output] = Array.isArray(built) ? built : [built];
  const chunk = output && 'output' in output ? output.output[0] : undefined;
  if (!chunk || /zod/i.test(Object.keys(chunk.modules).join()))
    throw new Error('The bundle is not what was asked for.');
  return {
    value: gzipSync(chunk.code, { level: 9 }).length / 1000,
    detail: `${chunk.code.length.toLocaleString('en')} B minified`,
  };
}

const bare = await size('createFetchHost');
const ky = await size('createKyHost');
reportFigures({
  client: {
    value: bare.value,
    detail: `all 39 operations, pacer and retries included, over bare fetch; ${bare.detail}. With the host on ky ${ky.value.toFixed(1)} kB`,
  },
});
