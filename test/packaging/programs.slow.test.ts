/**
 * Programs with core in under twenty lines each: they compile against the packed package and run on every supported
 * Node, on Bun and on Deno; those that use no files also run in Cloudflare's runtime and in a browser.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serve, type ServerType } from '@hono/node-server';
import { consent, createSandbox } from '@newsletter-kit/sandbox';
import { build } from 'vite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { sandboxAccount } from '../../scripts/servers.ts';
import { installLocked } from '../../scripts/n8n/locked.ts';
import { useBrowser } from '../e2e/use-browser.ts';
import { installPacked, type Installation } from './installed.ts';
import { bringRuntimes, type Runtimes } from './runtimes.ts';

const execute = promisify(execFile);
const sources = join(import.meta.dirname, 'programs');

/** What each program prints, a line per call of `print`. */
const everywhere = {
  list: ['pending number'],
  create: [
    'ada@example.com landing spring',
    'Custom field "Shoe size" does not exist on this publication; its value was dropped.',
  ],
  enroll: ['ada@example.com in_progress'],
  'oauth-login': ['true'],
  errors: [
    'typo ["\\"email\\" must be an e-mail address such as name@example.com"]',
    'stranger 401',
    'offline NetworkError true',
  ],
  abort: ['stopped after 25'],
  paging: ['200 5 true', 'false', '["x-pagination-warning","x-pagination-migration-guide"]'],
  'own-transport': ['2 true'],
} as const;
/** These need a file system, or Node's SQLite. */
const onNode = {
  'csv-import': ['row 3: "email" must be an e-mail address such as name@example.com', 'complete 1'],
  'watch-into-database': ['[{"email":"ada@example.com"}]'],
} as const;
const names = [...Object.keys(everywhere), ...Object.keys(onNode)];

let installed: Installation;
let runtimes: Runtimes;
let sandbox: ReturnType<typeof createSandbox>;
let server: ServerType;
let url: string;
beforeAll(async () => {
  [installed, runtimes] = await Promise.all([installPacked(), bringRuntimes()]);
  sandbox = createSandbox({ seed: 'demo' });
  server = serve({
    fetch: (request) => own[new URL(request.url).pathname]?.(request) ?? sandbox.fetch(request),
    hostname: '127.0.0.1',
    port: 0,
  });
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await cp(sources, join(installed.folder, 'programs'), { recursive: true });
});
afterAll(async () => {
  server?.close();
  sandbox?.close();
  await Promise.all([installed?.remove(), runtimes?.remove()]);
});
beforeEach(() => sandbox.reset());

/** What the server answers beside the sandbox. */
const own: Readonly<Record<string, (request: Request) => Response | Promise<Response>>> = {
  // A page of the sandbox's own origin: the API sends no CORS headers, as a key has no place in a browser.
  '/page': () => new Response('<!doctype html><title>Programs</title>', { headers: { 'content-type': 'text/html' } }),
  // The person at the login page: answers where the browser came back to.
  async '/sign-in'(request) {
    const back = await consent(fetch, new URL(request.url).searchParams.get('url') ?? '');
    return new Response(back.href);
  },
};

const setting = (): string => JSON.stringify({ url, ...sandboxAccount });

/** Runs a program and returns what it printed; the same source in every runtime. */
const runner = `
export async function run(program, { url, key, publicationId }) {
  const lines = [];
  await program({
    options: { baseUrl: url + '/v2', token: key, publicationId },
    appUrl: url,
    signIn: async (address) => (await fetch(url + '/sign-in?url=' + encodeURIComponent(address))).text(),
    print: (...values) => lines.push(values.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join(' ')),
  });
  return lines;
}
`;

it('are written in under twenty lines', async () => {
  for (const name of names) {
    const code = await readFile(join(sources, `${name}.ts`), 'utf8');
    const lines = code.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('/**'));
    expect(lines.length, name).toBeLessThan(20);
  }
});

it('compile against the packed package', async () => {
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    target: 'es2024',
    lib: ['es2024', 'dom'],
    module: 'nodenext',
    types: ['node'],
    typeRoots: [join(root, 'test', 'node_modules', '@types')],
    allowImportingTsExtensions: true,
    noEmit: true,
  };
  await writeFile(join(installed.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['programs'] }));
  const { stdout } = await execute(join(root, 'node_modules', '.bin', 'tsc'), ['--project', installed.folder]).catch(
    (error: { readonly stdout: string }) => error,
  );
  expect(stdout).toBe('');
});

/** Runs a program in a process of its own. @returns what it printed */
async function runProgram(name: string, [command, ...flags]: readonly [string, ...string[]]): Promise<unknown> {
  const folder = await mkdtemp(join(installed.folder, 'run-'));
  await writeFile(join(folder, 'people.csv'), 'Mail,Notes\nada@example.com,\nbo.example.com,asked at the fair\n');
  await writeFile(join(folder, 'runner.mjs'), runner);
  const code = `
    import program from '../programs/${name}.ts';
    import { run } from './runner.mjs';
    console.log(JSON.stringify(await run(program, ${setting()})));
  `;
  await writeFile(join(folder, 'start.mjs'), code);
  const { stdout } = await execute(command, [...flags, 'start.mjs'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder },
  });
  await rm(folder, { recursive: true });
  return JSON.parse(stdout);
}

describe.each(['22', '24', '26'] as const)('on Node %s', (major) => {
  it.each(Object.entries({ ...everywhere, ...onNode }))('%s', async (name, expected) => {
    const command = [runtimes.nodes[major], '--disable-warning=ExperimentalWarning'] as const;
    expect(await runProgram(name, command)).toEqual(expected);
  });
});

/** The packages that bring Bun and Deno are those in which the relay is tested. */
const others = join(root, 'test/examples/runtimes');
const commands = {
  Bun: [join(others, 'node_modules/.bin/bun'), 'run'],
  Deno: [join(others, 'node_modules/deno/deno'), 'run', '--allow-all', '--quiet'],
} as const;

describe.each(Object.entries(commands))('on %s', (runtime, command) => {
  beforeAll(
    () => installLocked({ folder: others, title: 'Deno and Bun (200 MB)', needs: 'the npm registry' }),
    10 * 60_000,
  );

  // Bun has no node:sqlite.
  const programs = Object.entries({ ...everywhere, ...onNode }).filter(
    ([name]) => runtime !== 'Bun' || name !== 'watch-into-database',
  );
  it.each(programs)('%s', async (name, expected) => {
    expect(await runProgram(name, command)).toEqual(expected);
  });
});

/** Bundles the programs that need no files, with `main` as the entry. */
async function bundle(main: string, conditions: readonly string[]): Promise<string> {
  const folder = join(installed.folder, 'bundle');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'runner.mjs'), runner);
  const imports = Object.keys(everywhere).map((name, index) => `import p${index} from '../programs/${name}.ts';`);
  const table = Object.keys(everywhere).map((name, index) => `'${name}': p${index}`);
  const code = `${imports.join('\n')}\nimport { run } from './runner.mjs';\nconst programs = { ${table.join(', ')} };\n${main}`;
  await writeFile(join(folder, 'entry.mjs'), code);
  const built = await build({
    configFile: false,
    logLevel: 'error',
    root: folder,
    resolve: { conditions: [...conditions] },
    build: {
      write: false,
      target: 'es2024',
      minify: false,
      lib: { entry: join(folder, 'entry.mjs'), formats: ['es'] },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  const [output] = Array.isArray(built) ? built : [built];
  if (!output || !('output' in output)) throw new Error('Vite built nothing.');
  return output.output[0].code;
}

/** The little of Miniflare that is used; its package stands outside the workspace. */
interface Workerd {
  dispatchFetch(url: string, init?: RequestInit): Promise<Response>;
  dispose(): Promise<void>;
}

describe("in Cloudflare's runtime", () => {
  let workerd: Workerd;
  beforeAll(async () => {
    const folder = join(import.meta.dirname, 'workerd');
    await installLocked({ folder, title: "Cloudflare's runtime", needs: 'the npm registry' });
    const script = await bundle(
      `export default { async fetch(request) {
        const { name, setting } = await request.json();
        return Response.json(await run(programs[name], setting));
      } };`,
      ['workerd', 'worker', 'browser'],
    );
    const { Miniflare } = createRequire(join(folder, 'package.json'))('miniflare') as {
      readonly Miniflare: new (options: object) => Workerd;
    };
    workerd = new Miniflare({ modules: true, script, compatibilityDate: '2026-07-01' });
  });
  afterAll(() => workerd?.dispose());

  it.each(Object.entries(everywhere))('%s', async (name, expected) => {
    const body = `{"name":${JSON.stringify(name)},"setting":${setting()}}`;
    const response = await workerd.dispatchFetch('http://worker.test/', { method: 'POST', body });
    const text = await response.text();
    expect(response.status, text).toBe(200);
    expect(JSON.parse(text)).toEqual(expected);
  });
});

describe('in a browser', () => {
  const session = useBrowser();
  let code: string;
  beforeAll(async () => {
    code = await bundle('globalThis.runProgram = (name, setting) => run(programs[name], setting);', ['browser']);
  });

  it.each(Object.entries(everywhere))('%s', async (name, expected) => {
    const tab = await session.browser.newPage();
    await tab.goto(`${url}/page`);
    await tab.addScriptTag({ type: 'module', content: code });
    await tab.waitForFunction('globalThis.runProgram');
    expect(await tab.evaluate(`runProgram(${JSON.stringify(name)}, ${setting()})`)).toEqual(expected);
    await tab.close();
  });
});
