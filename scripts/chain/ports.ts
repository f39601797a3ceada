/** Ports: read from the environment, checked before anything starts, or free ones for tests. */
import { Complaint } from '../bring/complaint.mjs';
import { freeNumbers, hold } from './free-port.ts';
import { runningChain } from './running.ts';
import { servers, type Ports } from './servers.ts';

/** Something that listens, and how a person moves it. */
export interface PortPlan<Name extends string = string> {
  /** Named in sentences, and the key of its port. */
  readonly name: Name;
  readonly portVariable: string;
  readonly usualPort: number;
}

/**
 * The ports that the environment asks for, or the usual ones.
 *
 * @throws Complaint where a variable holds no port or two servers would share one
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
      throw new Complaint(
        `${variable} is "${text}", which is no port.`,
        `Set it to a number from 1 to 65535, for example ${variable}=${usual}.`,
      );
    }
    const taken = chosen.get(value);
    if (taken)
      throw new Complaint(
        `${taken} and ${variable} both say ${value}.`,
        `Give each its own port, for example ${variable}=${value + 1}.`,
      );
    chosen.set(value, variable);
    return value;
  });
}

/**
 * @param command - what a person types, for the example with other ports
 * @throws Complaint naming every port that cannot be listened on, with the variables to change; where another `npm
 *   start` of this project holds them, it says so
 */
export async function assertPortsFree<Name extends string>(
  plans: readonly PortPlan<Name>[],
  ports: Readonly<Record<NoInfer<Name>, number>>,
  command: string,
): Promise<void> {
  const checked = await Promise.all(plans.map(async (plan) => ({ plan, trouble: await whyNotFree(ports[plan.name]) })));
  const closed = checked.filter(({ trouble }) => trouble !== undefined);
  if (closed.length === 0) return;

  const others = closed.map(async ({ plan: { name, portVariable, usualPort }, trouble }) => {
    const port = trouble === 'EADDRINUSE' ? await nextFree(ports[name]) : usualPort;
    return `${portVariable}=${port}`;
  });
  const moved = `${(await Promise.all(others)).join(' ')} ${command}`;
  const demo = closed.find(({ plan }) => plan.name === 'demo')?.plan;
  const running = demo && (await runningChain(ports[demo.name]));
  if (running) {
    throw new Complaint(
      `${running.command === command ? 'Another ' : ''}${running.command} runs already: process ${running.pid} in ${running.folder}.`,
      `${running.addresses.join(', ')}.\n  Use it, stop it with Ctrl-C, or start this one on other ports: ${moved}`,
    );
  }
  throw new Complaint(
    closed
      .map(({ plan: { name }, trouble }) =>
        trouble === 'EADDRINUSE'
          ? `Port ${ports[name]} for the ${name} is in use by another program.`
          : `Port ${ports[name]} for the ${name} cannot be opened (${trouble}).`,
      )
      .join('\n  '),
    closed.every(({ trouble }) => trouble === 'EADDRINUSE')
      ? `Stop ${closed.length === 1 ? 'that program or choose another port' : 'those programs or choose other ports'}: ${moved}`
      : `Choose ports above 1023 that nobody uses: ${moved}`,
  );
}

/** The first port above this one that can be listened on. */
async function nextFree(port: number): Promise<number> {
  for (let next = port + 1; next <= 65_535; next += 1) if ((await whyNotFree(next)) === undefined) return next;
  return nextFree(1024);
}

/** Ports of the chain that nobody listens on at this moment. */
export async function freePorts(): Promise<Ports> {
  const numbers = await freeNumbers(servers.length);
  return portTable(servers, () => numbers.pop() ?? 0);
}

function portTable<Name extends string>(
  plans: readonly PortPlan<Name>[],
  portOf: (plan: PortPlan<Name>) => number,
): Record<Name, number> {
  return Object.fromEntries(plans.map((plan) => [plan.name, portOf(plan)])) as Record<Name, number>;
}

async function whyNotFree(port: number): Promise<string | undefined> {
  try {
    const { release } = await hold(port);
    await release();
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}
