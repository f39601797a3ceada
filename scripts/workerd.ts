/** Runs the relay's Worker in workerd, Cloudflare's runtime, on this machine. */
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fetch, Miniflare, type Request, Response } from 'miniflare';
import { build, esmExternalRequirePlugin } from 'vite';
import { root } from './root.ts';

/** The name of the Worker's bundle. */
const bundleName = 'worker.js';

/** As wrangler resolves packages, and the workspace's own as sources. */
const conditions = ['@newsletter-kit/source', 'workerd', 'worker', 'browser', 'module', 'import', 'default'];

/** Options of {@link startWorkerd}. */
export interface WorkerdOptions {
  /** Folder of the Durable Objects' storage. Default: in memory. */
  readonly storage?: string;
  /** Folder of the static assets. Default: none. */
  readonly assets?: string;
  /** Port on 127.0.0.1. Default: a free one. */
  readonly port?: number;
  /** Name of the exported class of Durable Objects, bound as RELAY_OBJECTS. Default `RelayObject`. */
  readonly className?: string;
  /** Variables and secrets of the Worker. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Answers, in JSON, requests of the Worker to a host that it cannot reach here. */
  readonly host?: { readonly name: string; answer(this: void, url: URL, body: string): unknown };
  /** Receives each line of the Worker's log. */
  readonly onLine?: (line: string) => void;
}

/**
 * Bundles the Worker from its sources, as wrangler does: with the conditions of workerd, and without Node's modules.
 *
 * @returns the code
 */
export async function bundleWorker(entry = 'packages/relay/src/worker/mail.ts'): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    root,
    publicDir: false,
    resolve: { conditions, mainFields: ['browser', 'module', 'main'] },
    ssr: { target: 'webworker', noExternal: true, resolve: { conditions } },
    build: {
      ssr: join(root, entry),
      write: false,
      target: 'es2024',
      minify: true,
      rolldownOptions: { output: { codeSplitting: false, entryFileNames: bundleName } },
    },
    plugins: [esmExternalRequirePlugin({ external: [...builtinModules, /^node:/] })],
  });
  const [output] = Array.isArray(result) ? result : [result];
  const chunk =
    output && 'output' in output ? output.output.find(({ fileName }) => fileName === bundleName) : undefined;
  if (chunk?.type !== 'chunk') throw new Error('The Worker was not bundled.');
  return chunk.code;
}

/** Starts workerd with the Worker, and resolves once it listens. */
export async function startWorkerd(
  script: string,
  { storage, assets, port = 0, className = 'RelayObject', variables = {}, host, onLine }: WorkerdOptions,
) {
  const workerd = new Miniflare({
    modules: true,
    script,
    compatibilityDate: '2026-07-01',
    compatibilityFlags: ['nodejs_compat'],
    host: '127.0.0.1',
    unsafeTriggerHandlers: true,
    port,
    bindings: variables,
    durableObjects: { RELAY_OBJECTS: { className, useSQLite: true } },
    ...(storage && { durableObjectsPersist: storage }),
    ...(assets && { assets: { directory: assets, routerConfig: { has_user_worker: true } } }),
    ...(host && {
      async outboundService(request: Request) {
        const url = new URL(request.url);
        return url.hostname === host.name ? Response.json(host.answer(url, await request.text())) : fetch(request);
      },
    }),
    handleRuntimeStdio(stdout: Readable, stderr: Readable) {
      for (const input of [stdout, stderr]) createInterface({ input }).on('line', (line) => onLine?.(line));
    },
  });
  const url = await workerd.ready;
  return {
    workerd,
    url: url.origin,
    /** Fires the cron trigger. */
    async runCron(): Promise<void> {
      const answer = await workerd.dispatchFetch('http://localhost/cdn-cgi/handler/scheduled');
      if (!answer.ok) throw new Error(`The cron trigger failed: ${await answer.text()}`);
    },
  };
}
