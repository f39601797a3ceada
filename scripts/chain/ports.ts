/** Ports: read from the environment, checked before anything starts, or chosen by the system for tests. */
import { createServer } from 'node:net';
import { Complaint } from '../bring/complaint.mjs';
import { servers, type Ports } from './servers.ts';

/**
 * The ports that the environment asks for, or the usual ones.
 *
 * @throws Complaint where a variable holds no port or two servers would share one
 */
export function portsFromEnvironment(environment: Readonly<Record<string, string | undefined>>): Ports {
  const chosen = new Map<number, string>();
  const port = (variable: string, usual: number): number => {
    const text = environment[variable] || String(usual);
    const value = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > 65_535) {
      throw new Complaint(`${variable} is "${text}", which is no port.`, `Set it to a number from 1 to 65535, for example ${variable}=${usual}.`);
    }
    const taken = chosen.get(value);
    if (taken) throw new Complaint(`${taken} and ${variable} both say ${value}.`, `Give each its own port, for example ${variable}=${value + 1}.`);
    chosen.set(value, variable);
    return value;
  };
  return portTable((plan) => port(plan.portVariable, plan.usualPort));
}

/**
 * @throws Complaint naming the first port that something else listens on, and the variable to change
 */
export async function assertPortsFree(ports: Ports): Promise<void> {
  for (const plan of servers) {
    const port = ports[plan.name];
    const trouble = await whyNotFree(port);
    if (trouble === 'EADDRINUSE') {
      throw new Complaint(
        `Port ${port} for the ${plan.name} is in use by another program.`,
        `Stop that program or choose another port: ${plan.portVariable}=${port + 1} npm start.`,
      );
    }
    if (trouble) {
      throw new Complaint(`Port ${port} for the ${plan.name} cannot be opened (${trouble}).`, `Choose a port above 1023: ${plan.portVariable}=${plan.usualPort} npm start.`);
    }
  }
}

/** Three ports that nobody listens on at this moment. */
export async function freePorts(): Promise<Ports> {
  const holders = await Promise.all(servers.map(() => hold(0)));
  const numbers = holders.map(({ port }) => port);
  await Promise.all(holders.map(({ release }) => release()));
  return portTable(() => numbers.pop() ?? 0);
}

function portTable(portOf: (plan: (typeof servers)[number]) => number): Ports {
  const ports = { demo: 0, sandbox: 0, relay: 0 };
  for (const plan of servers) ports[plan.name] = portOf(plan);
  return ports;
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

function hold(port: number): Promise<{ port: number; release: () => Promise<void> }> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1' }, () => {
      const address = server.address();
      resolve({
        port: typeof address === 'object' && address ? address.port : port,
        release: () => new Promise((done) => server.close(() => done())),
      });
    });
  });
}
