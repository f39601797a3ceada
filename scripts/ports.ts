/** Reads the servers' ports from the environment and checks that they are free before anything starts. */
import { createServer } from 'node:net';
import * as z from 'zod';
import { UserError } from './user-error.mjs';
import { serverUrl } from './servers.ts';

/** A server's port: the variable that sets it and its default. */
export interface PortPlan<Name extends string = string> {
  /** The server's name in messages, and the key of its port. */
  readonly name: Name;
  readonly portVariable: string;
  readonly usualPort: number;
}

/**
 * Reads the ports from the environment; a port that is not set has its default.
 *
 * @throws UserError where a variable holds no port or two servers would share one
 */
export function portsFromEnvironment<Name extends string>(
  plans: readonly PortPlan<Name>[],
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<Name, number>> {
  const chosen = new Map<number, string>();
  const ports = plans.map(({ name, portVariable: variable, usualPort: usual }) => {
    const text = environment[variable] || String(usual);
    const value = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > 65_535) {
      throw new UserError(
        `${variable} is "${text}", which is not a port.`,
        `Set it to a number from 1 to 65535, for example ${variable}=${usual}.`,
      );
    }
    const taken = chosen.get(value);
    if (taken)
      throw new UserError(
        `${taken} and ${variable} are both ${value}.`,
        `Give each its own port, for example ${variable}=${value + 1}.`,
      );
    chosen.set(value, variable);
    return [name, value];
  });
  return Object.fromEntries(ports) as Record<Name, number>;
}

/**
 * @param command - what a person types, for the example with other ports
 * @throws UserError naming every port that cannot be listened on, with the variables to change; where another `npm
 *   start` of this project holds them, it says so
 */
export async function assertPortsFree<Name extends string>(
  plans: readonly PortPlan<Name>[],
  ports: Readonly<Record<NoInfer<Name>, number>>,
  command: string,
): Promise<void> {
  const checked = await Promise.all(
    plans.map(async (plan) => ({ ...plan, problem: await portProblem(ports[plan.name]) })),
  );
  const closed = checked.flatMap(({ problem, ...plan }) => (problem === undefined ? [] : [{ ...plan, problem }]));
  if (closed.length === 0) return;

  const others = closed.map(async ({ name, portVariable, usualPort, problem }) => {
    const port = Object.hasOwn(problems, problem) ? await nextFree(ports[name]) : usualPort;
    return `${portVariable}=${port}`;
  });
  const suggestion = `${(await Promise.all(others)).join(' ')} ${command}`;
  const demo = closed.find(({ name }) => name === 'demo');
  const running = demo && (await runningServers(ports[demo.name]));
  if (running) {
    throw new UserError(
      `${running.command === command ? 'Another ' : ''}${running.command} runs already: process ${running.pid} in ${running.folder}.`,
      `${running.addresses.join(', ')}.\n  Use it, stop it with Ctrl-C, or start this one on other ports: ${suggestion}`,
    );
  }
  throw new UserError(
    closed
      .map(
        ({ name, problem }) =>
          `Port ${ports[name]} for the ${name} ${problems[problem] ?? `cannot be opened (${problem})`}.`,
      )
      .join('\n  '),
    `${remedyFor(closed.map(({ problem }) => problem))}: ${suggestion}`,
  );
}

/** The problem of a port that can be listened on, but that browsers and Node's fetch refuse, such as 6000. */
const blocked = 'blocked';

/** What is said of a port, by the system's code. */
const problems: Readonly<Partial<Record<string, string>>> = {
  EADDRINUSE: 'is in use by another program',
  [blocked]: 'is one that browsers refuse to open: it belongs to another protocol',
};

function remedyFor(found: readonly string[]): string {
  if (found.some((problem) => !Object.hasOwn(problems, problem))) return 'Choose ports above 1023 that nobody uses';
  if (found.includes(blocked)) return 'Choose other ports';
  return `Stop ${found.length === 1 ? 'that program or choose another port' : 'those programs or choose other ports'}`;
}

/** The first port above this one that can be listened on. */
async function nextFree(port: number): Promise<number> {
  for (let next = port + 1; next <= 65_535; next += 1) if ((await portProblem(next)) === undefined) return next;
  return nextFree(1024);
}

/** Listens on a port. @throws the system's error where it cannot */
export function listenOn(port: number): Promise<{ readonly port: number; readonly release: () => Promise<void> }> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1' }, () =>
      resolve({ port, release: () => new Promise((done) => server.close(() => done())) }),
    );
  });
}

async function portProblem(port: number): Promise<string | undefined> {
  try {
    const { release } = await listenOn(port);
    await release();
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
  // Nobody listens there: fetch fails either way, and only its cause tells why.
  const failure: unknown = await fetch(serverUrl(port)).catch((error: unknown) => error);
  const isRefused = failure instanceof Error && failure.cause instanceof Error && failure.cause.message === 'bad port';
  return isRefused ? blocked : undefined;
}

/** Servers that another command started, as their demo site describes them. */
const servedBy = z.object({
  /** The command that started them, such as `npm start`. */
  command: z.string(),
  /** The root of the clone that it runs from. */
  folder: z.string(),
  /** The process that Ctrl-C would stop. */
  pid: z.number(),
  /** The servers' addresses, each with its name. */
  addresses: z.array(z.string()),
});

/** Milliseconds until the demo site has to answer. */
const answerLimit = 2000;

/** Asks the demo site which command started it. @returns undefined where another program listens on the port */
async function runningServers(demoPort: number): Promise<z.infer<typeof servedBy> | undefined> {
  try {
    const answer = await fetch(`${serverUrl(demoPort)}/servers.json`, { signal: AbortSignal.timeout(answerLimit) });
    return servedBy.parse(await answer.json());
  } catch {
    return undefined;
  }
}
