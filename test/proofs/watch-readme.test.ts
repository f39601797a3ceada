/** What packages/core/README.md shows of watching runs, and tells what happens in a sandbox. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@newsletter-kit/core';
import { subscriptionEventTypes } from '@newsletter-kit/core/watch';
import { apiKeys, publicationId } from '@newsletter-kit/sandbox';
import { expect, it, onTestFinished } from 'vitest';
import { launch } from '../../scripts/chain/launch.ts';
import { freePorts } from '../../scripts/chain/ports.ts';
import { root } from '../../scripts/chain/root.ts';
import { servers } from '../../scripts/chain/servers.ts';

const readme = readFileSync(join(root, 'packages/core/README.md'), 'utf8');
const section = /^## Watching$([\s\S]*?)^## /m.exec(readme)?.[1] ?? '';
const [poll = '', rest = ''] = [...section.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);

it('polls with a state in a file, and goes on polling', async () => {
  const plan = servers.find(({ name }) => name === 'sandbox');
  if (!plan) throw new Error('The chain has no sandbox.');
  const sandbox = await launch(plan, { ports: await freePorts(), relayStore: '' }, () => undefined);
  onTestFinished(() => sandbox.stop());
  const folder = mkdtempSync(join(tmpdir(), 'watch-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));

  const code = `${poll}\n${rest}`.replace('http://127.0.0.1:4010', sandbox.url).replace('./watch.json', join(folder, 'watch.json'));
  const run = async (): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', '--input-type=module', '--eval', code], { cwd: join(root, 'test'), timeout: 30_000 });
    return stdout;
  };
  expect(await run()).toMatch(/^0 % of this pass, oldest look \d+ ms ago\n0 \d+\n$/);

  const client = createClient({ baseUrl: `${sandbox.url}/v2`, token: apiKeys.workspace, publicationId });
  await client.subscriptions.create({ email: 'new.reader@example.com', double_opt_override: 'off' });
  const told = await run();
  expect(told).toMatch(/^created \{/);
  expect(told).toContain('new.reader@example.com');
});

it('names every event there is', () => {
  for (const type of subscriptionEventTypes) expect(section).toContain(`\`${type}\``);
});
