/**
 * Measures the size of a client for a page or an edge function: five calls, without and with the check of requests and
 * answers, as a bundler leaves it.
 */
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { reportFigures, type Figure } from '../figure.ts';

const entry = 'five-operations';
const options = `baseUrl: 'https://api.example.com/v2', token: 'key', publicationId: 'pub_1'`;

/** @param imports - the names that the code of the engine uses */
async function size(engine: string, imports: string): Promise<Figure> {
  const source = `
    import { ${imports} } from '@newsletter-kit/core';
    const engine = ${engine};
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
    // Vite's library mode does not remove white space from modules.
    build: {
      write: false,
      lib: { entry, formats: ['es'] },
      rolldownOptions: { output: { minify: true } },
    },
  });
  const [output] = Array.isArray(built) ? built : [built];
  const chunks = output && 'output' in output ? output.output.filter((each) => each.type === 'chunk') : [];
  const first = chunks.filter(({ isEntry }) => isEntry);
  const loaded = chunks.filter((each) => first.some((one) => one === each || one.imports.includes(each.fileName)));
  if (first.length !== 1 || loaded.some(({ code }) => /zod/i.test(code)))
    throw new Error('The bundle is not what was asked for.');
  const sum = (sizes: readonly number[]): number => sizes.reduce((a, b) => a + b);
  return {
    value: sum(loaded.map(({ code }) => gzipSync(code, { level: 9 }).length)) / 1000,
    detail: `${sum(loaded.map(({ code }) => code.length)).toLocaleString('en')} B minified`,
  };
}

const bare = await size(`createEngine({ host: createFetchHost(), ${options} })`, 'createEngine, createFetchHost');
const validating = await size(
  `createClient({ host: createFetchHost(), ${options} }).engine`,
  'createClient, createFetchHost',
);
reportFigures({
  client: {
    value: bare.value,
    detail: `all 39 operations, pacer and retries included, over bare fetch; ${bare.detail}`,
  },
  validating: {
    value: validating.value,
    detail: `of createClient over bare fetch; ${validating.detail}`,
  },
});
