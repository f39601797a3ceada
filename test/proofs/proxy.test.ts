/** The commands send their requests through the proxies of the environment, by Node's `fetch`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { start } from '../../packages/cli/test/command.ts';
import { run as runRelay } from '../../packages/relay/test/commands/relay-process.ts';
import { environment } from '../../packages/relay/test/running-relay.ts';
import { proxiedHost, startProxy, type Proxy } from '../support/proxy.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const serving = (agents: (string | undefined)[] = []) =>
  startProxy('leads', ({ headers }, response) => {
    agents.push(headers['user-agent']);
    response.setHeader('content-type', 'application/json').end('{"data":[],"limit":1,"has_more":false}');
  });

async function variables({ url, certificate = '' }: Partial<Proxy>, scheme: 'http' | 'https' = 'https') {
  const file = join(scratchFolder(), 'service.pem');
  await writeFile(file, certificate);
  return {
    HTTPS_PROXY: url ?? '',
    http_proxy: url ?? '',
    NODE_EXTRA_CA_CERTS: file,
    NEWSLETTER_API_KEY: 'sandbox-key',
    NEWSLETTER_API_URL: `${scheme}://${proxiedHost}/v2`,
  };
}

const newsletter = (env: Readonly<Record<string, string>>) => start(['api', '/publications'], env).ended;

describe('newsletter', () => {
  it.each(['http', 'https'] as const)('reaches a service by %s, and says who calls', async (scheme) => {
    const agents: (string | undefined)[] = [];
    const proxy = await serving(agents);
    const { code, stdout, stderr } = await newsletter(await variables(proxy, scheme));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('has_more');
    expect(proxy.seen).toEqual([
      scheme === 'https'
        ? `CONNECT ${proxiedHost}:443 ada:s3cret`
        : `GET http://${proxiedHost}/v2/publications ada:s3cret`,
    ]);
    expect(agents).toEqual([expect.stringMatching(/^newsletter-kit\/\d+\.\d+\.\d+ node\/\d+\.\d+\.\d+$/)]);
  });

  it.each(['proxy.test:3128', 'socks5://ada:s3cret@proxy.test', 'http://ada:s3cret@'])(
    'refuses HTTPS_PROXY %s and does not repeat it',
    async (url) => {
      const { code, stderr } = await newsletter({ ...(await variables({ url })), http_proxy: '' });
      expect(code).toBe(64);
      expect(stderr).toContain('HTTPS_PROXY must be the address of a proxy, such as http://proxy.example:3128.');
      expect(stderr).not.toContain('s3cret');
    },
  );
});

it('newsletter-relay reaches the service through the proxy', async () => {
  const proxy = await serving();
  const { code, stdout } = await runRelay(['check'], {
    ...environment,
    ...(await variables(proxy)),
    RELAY_STORE: `sqlite:${scratchFolder()}/relay.db`,
  });
  expect(proxy.seen[0]).toBe(`CONNECT ${proxiedHost}:443 ada:s3cret`);
  expect({ code, stdout }).toMatchObject({ code: 0 });
});
