/** Reads the servers' ports from the environment and checks that they are free before anything starts. */
import { createServer } from 'node:net';
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
  return portTable(plans, ({ portVariable: variable, usualPort: usual }) => {
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
    return value;
  });
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
    plans.map(async (plan) => ({ plan, problem: await portProblem(ports[plan.name]) })),
  );
  const closed = checked.filter(({ problem }) => problem !== undefined);
  if (closed.length === 0) return;

  const others = closed.map(async ({ plan: { name, portVariable, usualPort }, problem }) => {
    const port = problem === 'EADDRINUSE' || problem === blocked ? await nextFree(ports[name]) : usualPort;
    return `${portVariable}=${port}`;
  });
  const suggestion = `${(await Promise.all(others)).join(' ')} ${command}`;
  const demo = closed.find(({ plan }) => plan.name === 'demo')?.plan;
  const running = demo && (await runningServers(ports[demo.name]));
  if (running) {
    throw new UserError(
      `${running.command === command ? 'Another ' : ''}${running.command} runs already: process ${running.pid} in ${running.folder}.`,
      `${running.addresses.join(', ')}.\n  Use it, stop it with Ctrl-C, or start this one on other ports: ${suggestion}`,
    );
  }
  throw new UserError(
    closed
      .map(({ plan: { name }, problem }) =>
        problem === 'EADDRINUSE'
          ? `Port ${ports[name]} for the ${name} is in use by another program.`
          : problem === blocked
            ? `Port ${ports[name]} for the ${name} is one that browsers refuse to open: it belongs to another protocol.`
            : `Port ${ports[name]} for the ${name} cannot be opened (${problem}).`,
      )
      .join('\n  '),
    closed.every(({ problem }) => problem === 'EADDRINUSE')
      ? `Stop ${closed.length === 1 ? 'that program or choose another port' : 'those programs or choose other ports'}: ${suggestion}`
      : closed.some(({ problem }) => problem !== blocked && problem !== 'EADDRINUSE')
        ? `Choose ports above 1023 that nobody uses: ${suggestion}`
        : `Choose other ports: ${suggestion}`,
  );
}

/** The first port above this one that can be listened on. */
async function nextFree(port: number): Promise<number> {
  for (let next = port + 1; next <= 65_535; next += 1) if ((await portProblem(next)) === undefined) return next;
  return nextFree(1024);
}

function portTable<Name extends string>(
  plans: readonly PortPlan<Name>[],
  portOf: (plan: PortPlan<Name>) => number,
): Record<Name, number> {
  return Object.fromEntries(plans.map((plan) => [plan.name, portOf(plan)])) as Record<Name, number>;
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

/** The problem of a port that can be listened on, but that browsers and Node's fetch refuse, such as 6000. */
const blocked = 'blocked';

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
interface RunningServers {
  /** The command that started it, such as `npm start`. */
  readonly command: string;
  /** The root of the clone that it runs from. */
  readonly folder: string;
  /** Process that Ctrl-C would stop. */
  readonly pid: number;
  /** The servers' addresses, each with its name. */
  readonly addresses: readonly string[];
}

/** Milliseconds until the demo site has to answer. */
const answerLimit = 2000;

/** Asks the demo site which command started it. @returns undefined where another program listens on the port */
async function runningServers(demoPort: number): Promise<RunningServers | undefined> {
  try {
    const answer = await fetch(`${serverUrl(demoPort)}/servers.json`, { signal: AbortSignal.timeout(answerLimit) });
    const found: unknown = await answer.json();
    return isRunningServers(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

function isRunningServers(value: unknown): value is RunningServers {
  if (typeof value !== 'object' || value === null) return false;
  const { command, folder, pid, addresses } = value as Partial<Record<keyof RunningServers, unknown>>;
  return (
    typeof command === 'string' &&
    typeof folder === 'string' &&
    typeof pid === 'number' &&
    Array.isArray(addresses) &&
    addresses.every((address) => typeof address === 'string')
  );
}
