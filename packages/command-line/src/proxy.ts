/** Sends the requests of `fetch` through the proxies that the environment names, which Node does not do by itself. */
import process from 'node:process';
import { UsageError } from './program.ts';

/** The parts of undici that are used. */
interface Undici<Agent> {
  readonly EnvHttpProxyAgent: new (options: { readonly proxyTunnel: boolean }) => Agent;
  setGlobalDispatcher(agent: Agent): void;
}

/**
 * Makes `fetch` pass the proxies in `HTTPS_PROXY` and `HTTP_PROXY`, save to hosts in `NO_PROXY` and to this machine.
 * The names may be in lower case.
 *
 * @param loadUndici - called only where a proxy is named
 * @throws UsageError where a variable holds no address of a proxy; the value is not repeated, it may hold a password
 */
export async function useProxies<Agent>(loadUndici: () => Promise<Undici<Agent>>): Promise<void> {
  const { env } = process;
  const named = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].filter((name) => env[name]);
  const direct = env['no_proxy'] ?? env['NO_PROXY'];
  if (named.length === 0 || direct === '*') return;
  for (const name of named)
    if (!/^https?:\/\/[^/]/i.test(env[name] ?? '') || !URL.canParse(env[name] ?? ''))
      throw new UsageError(`${name} must be the address of a proxy, such as http://proxy.example:3128.`);
  // Set for undici and for errors, which name the proxy of a request.
  env['no_proxy'] = [direct, 'localhost', '127.0.0.1', '[::1]'].filter(Boolean).join();
  const { EnvHttpProxyAgent, setGlobalDispatcher } = await loadUndici();
  // By default it asks the proxy for a tunnel for http too, which most proxies allow to the port of https alone.
  setGlobalDispatcher(new EnvHttpProxyAgent({ proxyTunnel: false }));
}
