/** Ports: read from the environment, checked before anything starts, or free ones for tests. */
import { Complaint } from '../bring/complaint.mjs';
import { freeNumbers, hold } from './free-port.ts';
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
 * @param command - what a person types, for the example with another port
 * @throws Complaint naming the first port that something else listens on, and the variable to change
 */
export async function assertPortsFree<Name extends string>(
  plans: readonly PortPlan<Name>[],
  ports: Readonly<Record<NoInfer<Name>, number>>,
  command: string,
): Promise<void> {
  for (const { name, portVariable, usualPort } of plans) {
    const port = ports[name];
    const trouble = await whyNotFree(port);
    if (trouble === 'EADDRINUSE') {
      throw new Complaint(
        `Port ${port} for the ${name} is in use by another program.`,
        `Stop that program or choose another port: ${portVariable}=${port + 1} ${command}.`,
      );
    }
    if (trouble) {
      throw new Complaint(
        `Port ${port} for the ${name} cannot be opened (${trouble}).`,
        `Choose a port above 1023: ${portVariable}=${usualPort} ${command}.`,
      );
    }
  }
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
