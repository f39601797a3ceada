/** The calls that Cloudflare allows one invocation: a large backlog is delivered by many alarms, without a failure. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bundleWorker, startWorkerd } from '../../../../scripts/workerd.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-database.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { run } from '../commands/relay-process.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { newSignup } from '../new-signup.ts';
import { environment } from '../running-relay.ts';
import { onPort, sandboxApi } from '../sandbox-api.ts';
import { token } from './running-worker.ts';

/** Writes the export of a relay with a backlog. @returns the path of the file */
async function exportOf(signups: number): Promise<string> {
  const path = join(scratchFolder(), 'relay.db');
  const store = openSqliteStore(path);
  await Promise.all(Array.from({ length: signups }, (_, n) => store.accept(newSignup(`p${n}@example.com`))));
  await store.close();
  const file = join(scratchFolder(), 'relay.ndjson');
  writeFileSync(file, (await run(['export'], { RELAY_STORE: `sqlite:${path}` })).stdout);
  return file;
}

it.each([
  ['each alone', 10_000, { RELAY_BULK_ABOVE: 'never' }],
  ['in bulk', 10_000, {}],
])('delivers a backlog %s with 50 calls in each alarm', async (_, signups, settings) => {
  const api = sandboxApi({ seed: 'empty', profile: 'unlimited' });
  const logged: string[] = [];
  const { url, workerd } = await startWorkerd(await bundleWorker('packages/relay/test/worker/limited-worker.ts'), {
    variables: {
      ...environment,
      ...settings,
      NEWSLETTER_API_URL: `${await onPort(api.fetch)}/v2`,
      RELAY_OPERATOR_TOKEN: token,
    },
    onLine: (line) => logged.push(line),
  });
  onTestFinished(() => workerd.dispose());
  const command = (...args: string[]) => run(['--remote', url, ...args], { RELAY_OPERATOR_TOKEN: token });
  const imported = await command('import', await exportOf(signups));
  expect(imported.stdout).toContain(`of which ${signups} were new`);
  const delivered = async () => {
    const { counts } = JSON.parse((await command('status', '--json')).stdout) as {
      readonly counts: Readonly<Record<string, number>>;
    };
    return counts['waiting'] === 0 && counts['sent'] === 0 && counts;
  };
  const status = await waitUntil('everything is delivered', delivered);
  expect(status).toMatchObject({ delivered: signups, dead: 0 });
  expect(await api.subscriptions()).toHaveLength(signups);
  const calls = logged.flatMap((line) => /calls of an alarm: (\d+)/.exec(line)?.[1] ?? []).map(Number);
  expect(Math.max(...calls)).toSatisfy((most: number) => most > 40 && most <= 50);
  expect(logged.filter((line) => /takes no signups|cannot be reached|Too many/.test(line))).toEqual([]);
});
