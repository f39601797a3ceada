/**
 * `npm run n8n`: a real n8n with the nodes, the sandbox, a site with a signup form, and what stands in for the services
 * of the example workflows, until Ctrl-C. The user's changes are kept.
 */
import { globSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { UserError } from './user-error.mjs';
import { launch, serveUntilStopped } from './launch.ts';
import { freePort } from '../test/support/free-ports.ts';
import { assertPortsFree, portsFromEnvironment, type PortPlan } from './ports.ts';
import { root } from './root.ts';
import { servers, serverUrl } from './servers.ts';
import {
  planImports,
  readWorkflow,
  sandboxCredential,
  sandboxOAuth2Credential,
  type ImportRecord,
  type Imports,
  type StandIns,
} from './n8n/examples.ts';
import { installN8n } from './n8n/install.ts';
import { installPackage, linkWorkflowPackage } from './n8n/pack.ts';
import { run, start as startProgram } from './program.ts';
import { settingsOf, setUpOwner, signIn, storedOwner, untilReady } from './n8n/server.ts';
import { buildIfStale } from './build.ts';

const command = 'npm run n8n';
/** The path of the signup workflow's webhook, to which the form of the demo site posts. */
const signupPath = '/webhook/signup';

const plans = servers.filter(({ name }) => name !== 'relay');
/** Mails, CRMs and a database of the example workflows. Its dependencies are those of the tests. */
const standIns = {
  name: 'stand-ins',
  portVariable: 'STAND_INS_PORT',
  usualPort: 4030,
} as const satisfies PortPlan;
const editor = { name: 'editor', portVariable: 'N8N_PORT', usualPort: 5678 } as const satisfies PortPlan;

/** @returns false where a server did not start or ended by itself */
export function startN8n(args: readonly string[]): Promise<boolean> {
  return serveUntilStopped({
    command,
    farewell: 'Stopped. Your workflows are kept for the next time.',
    async start(started, stopping) {
      const folder = readFolder(args);
      const listeners: readonly PortPlan<'sandbox' | 'relay' | 'demo' | 'editor' | 'stand-ins'>[] = [
        editor,
        ...plans,
        standIns,
      ];
      const chosen = portsFromEnvironment(listeners, process.env);
      await assertPortsFree(listeners, chosen, command);
      // No relay runs here: n8n itself receives the signups.
      const ports = { ...chosen, relay: chosen.editor };
      const url = serverUrl(ports.editor);

      const n8n = await installN8n({ signal: stopping });
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await buildIfStale('n8n');
      await timed('Installing the nodes in n8n', () => installPackage(folder, stopping));
      await linkWorkflowPackage(folder, n8n.command);

      const addresses = { demo: ports.demo, sandbox: ports.sandbox, mails: ports['stand-ins'] };
      const { filled, ...services } = await timed('Starting mails, CRMs and a database of the examples', () =>
        startStandIns(folder, ports['stand-ins'], stopping),
      );
      started(services);
      const env = {
        ...settingsOf({ userFolder: folder, port: ports.editor, broker: await freePort() }),
        N8N_LOG_OUTPUT: 'console,file',
        N8N_LOG_FILE_LOCATION: join(folder, 'n8n.log'),
        ...filled.env,
      };
      await importOnce(folder, await examples(addresses, filled), (...args) =>
        run(n8n.node, [n8n.command, ...args], { env, signal: stopping }),
      );

      for (const plan of plans) {
        await timed(`Starting the ${plan.name}`, async () => {
          const settings = {
            ports,
            relayStore: '',
            sandboxStore: join(folder, 'sandbox.db'),
            receiver: 'n8n' as const,
            signupEndpoint: `${url}${signupPath}`,
            command,
          };
          started(await launch(plan, settings, () => undefined));
        });
        if (stopping.aborted) return;
      }
      await timed('Starting n8n (ten seconds; a minute where this machine is busy)', async () => {
        const running = startProgram(n8n.node, [n8n.command, 'start'], { env, signal: stopping });
        const ended = running.ended.then((how) => `ended with ${how}; its last lines were\n${running.output()}\n`);
        started({ name: 'editor', ended, stop: () => running.stop() });
        await untilReady(url, running);
      });
      console.log(await greeting(folder, url, addresses));
    },
  });
}

/** `--folder DIR` takes another folder than the usual one. */
function readFolder(args: readonly string[]): string {
  try {
    return resolve(
      root,
      parseArgs({ args: [...args], options: { folder: { type: 'string', default: join('.cache', 'n8n') } } }).values
        .folder,
    );
  } catch (error) {
    throw new UserError(
      error instanceof Error ? error.message : String(error),
      `Run "${command}" or "${command} -- --folder DIR".`,
    );
  }
}

async function timed<Result>(title: string, work: () => Promise<Result>): Promise<Result> {
  console.log(`▸ ${title}`);
  const begun = Date.now();
  const result = await work();
  console.log(`✓ Done in ${((Date.now() - begun) / 1000).toFixed(1)} s`);
  return result;
}

/**
 * Mails, CRMs and a database of the example workflows, in a process of their own: their parts belong to the tests.
 */
async function startStandIns(folder: string, port: number, stopping: AbortSignal) {
  const ready = Promise.withResolvers<StandIns>();
  const running = startProgram(process.execPath, [join(root, 'test', 'n8n', 'harness', 'standIns.ts')], {
    env: { PORT: String(port), FOLDER: folder },
    signal: stopping,
    onLine: (line) => (line.startsWith('{') ? ready.resolve(JSON.parse(line) as StandIns) : console.log(line)),
  });
  const ended = running.ended.then((how) => `ended with ${how}`);
  const filled = await Promise.race([
    ready.promise,
    ended.then((how) => Promise.reject(new Error(`standIns.ts ${how}:\n${running.output()}`))),
  ]);
  return { name: standIns.name, ended, stop: () => running.stop(), filled };
}

async function examples(
  ports: { readonly demo: number; readonly sandbox: number },
  standIns: StandIns,
): Promise<Imports> {
  const files = globSync('examples/workflows/*.json', { cwd: root }).toSorted();
  const sandboxUrl = serverUrl(ports.sandbox);
  return {
    credentials: [...standIns.credentials, sandboxOAuth2Credential(sandboxUrl), sandboxCredential(sandboxUrl)],
    workflows: await Promise.all(
      files.map(async (file) => readWorkflow(await readFile(join(root, file), 'utf8'), ports, standIns)),
    ),
  };
}

/** @param cli - runs n8n's command line; it takes seconds each time */
async function importOnce(folder: string, all: Imports, cli: (...args: string[]) => Promise<unknown>): Promise<void> {
  const kept = join(folder, 'imported.json');
  const { record, ...planned } = planImports(
    all,
    JSON.parse(await readFile(kept, 'utf8').catch(() => '{}')) as ImportRecord,
  );
  for (const [kind, files] of Object.entries({ credentials: planned.credentials, workflow: planned.workflows })) {
    if (files.length === 0) continue;
    await timed(`Importing ${files.map(({ name }) => `"${name}"`).join(', ')}`, async () => {
      const file = join(folder, `import-${kind}.json`);
      await writeFile(file, JSON.stringify(files), { mode: 0o600 });
      await cli(`import:${kind}`, `--input=${file}`);
      await rm(file);
    });
  }
  await writeFile(kept, JSON.stringify(record));
}

async function greeting(
  folder: string,
  url: string,
  { demo, sandbox, mails }: { readonly demo: number; readonly sandbox: number; readonly mails: number },
): Promise<string> {
  const owner = await storedOwner(join(folder, 'owner.json'));
  await setUpOwner(url, owner);
  const account = (await signIn(url, owner)).ok
    ? `sign in as ${owner.email} with ${owner.password}`
    : 'sign in as you did before';
  const place = relative(root, folder).startsWith('..') ? folder : relative(root, folder);
  return `
  n8n        ${url}/home/workflows  – ${account}
  Demo site  ${serverUrl(demo)}  – its form posts to n8n
  Sandbox    ${serverUrl(sandbox)}  – the newsletter API
  Emails     ${serverUrl(mails)}  – what the examples send; their CRMs are stand-ins on this machine, too

Open ${url}/workflow/signupForm, press Publish, and subscribe on the demo site: the signup
appears under Executions and in the sandbox. Or follow docs/src/content/docs/start/n8n.md.
Everything is kept in ${place}; delete that folder to start again. Ctrl-C stops everything.
`;
}
