/** The files that run a relay elsewhere: they set what exists, and what they ask of a relay it answers. */
import { execFile, spawnSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import manifest from '../package.json' with { type: 'json' };
import { readConfig, settings } from '../src/index.ts';
import { serve } from './commands/relay-process.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';

const folder = new URL('../deploy/', import.meta.url);
const file = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

it.each(readdirSync(folder).filter((name) => lstatSync(new URL(name, folder)).isFile()))(
  '%s sets no variable that the relay does not read',
  (name) => {
    const used = file(name).match(/\b(RELAY|NEWSLETTER)_[A-Z_]+/g) ?? [];
    const known = new Set(settings.map(({ name }) => name));
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((variable) => !known.has(variable))).toEqual([]);
  },
);

describe('the Dockerfile', () => {
  it('installs this version', () => {
    expect(file('Dockerfile')).toContain(`ARG VERSION=${manifest.version}\n`);
  });

  it('asks after the relay’s health in a way that tells well from ill', async () => {
    const [, list = ''] = /HEALTHCHECK[^[]*?CMD (\[[^\n]*\])/.exec(file('Dockerfile')) ?? [];
    const [, ...args] = JSON.parse(list) as string[];
    const relay = await serve(scratchFolder());
    const port = new URL(relay.address).port;
    const ask = promisify(execFile);
    await ask(process.execPath, args, { env: { RELAY_PORT: port } });
    relay.child.kill('SIGTERM');
    await relay.ended;
    await expect(ask(process.execPath, args, { env: { RELAY_PORT: port } })).rejects.toMatchObject({ code: 1 });
  });
});

interface ComposeFile {
  readonly services: {
    readonly relay: {
      readonly environment: Readonly<Record<string, string | number>>;
      readonly ports: readonly string[];
    };
  };
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
  // Who is believed may only be reached from this machine.
  expect(services.relay.ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
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
  const path = new URL('newsletter-relay.service', folder).pathname;
  const verified = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
  expect(verified.stderr.split('\n').filter((line) => line.includes('newsletter-relay.service'))).toEqual([]);
  const rated = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=40', path], {
    encoding: 'utf8',
  });
  expect(rated.status, rated.stdout.trim().split('\n').at(-1)).toBe(0);
});
