/** A client of core in every scenario: it survives all of them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { scenarios } from '../../src/command/scenarios.ts';
import { run } from './process.ts';

const core = fileURLToPath(new URL('../../../core/src/index.ts', import.meta.url));
const client = `
  import { createClient } from ${JSON.stringify(core)};
  const { NEWSLETTER_API_URL: baseUrl, NEWSLETTER_API_KEY: token, NEWSLETTER_PUBLICATION_ID: publicationId } = process.env;
  const client = createClient({ baseUrl, token, publicationId });
`;
const found = `
  let found = 0;
  for await (const { email } of client.subscriptions.list({ limit: 100 })) found += email === 'ada@example.com' ? 1 : 0;
  if (found !== 1) throw new Error('Found ' + found + ' times.');
`;

test('a client of core subscribes twice, imports, deletes and reads its list in every scenario it claims', async () => {
  const script = join(scratchFolder(), 'client.mjs');
  writeFileSync(
    script,
    `${client}
    await client.subscriptions.create({ email: 'ada@example.com', utm_source: 'first' });
    await client.subscriptions.create({ email: 'ada@example.com', utm_source: 'second' });
    const { import_id } = await client.subscriptions.bulkCreate({ subscriptions: [{ email: 'grace@example.com' }] });
    if (typeof import_id !== 'string') throw new Error('There is no id of the import.');
    const { data: field } = await client.customFields.create({ kind: 'string', display: 'Certified' });
    await client.customFields.delete({ id: field.id });
    ${found}`,
  );
  const { code, stdout, stderr } = await run([
    'certify',
    '--json',
    '--except',
    'data_deletion',
    '--',
    process.execPath,
    '--conditions=@newsletter-kit/source',
    script,
  ]);
  expect(code, stderr).toBe(0);
  const result = JSON.parse(stdout) as { readings: { name: string; outcome: string }[] };
  expect(result.readings.map(({ name }) => name)).toEqual(scenarios.map(({ name }) => name));
  const notMet = result.readings.filter(({ outcome }) => outcome === 'not met').map(({ name }) => name);
  expect(notMet).toEqual([
    'double_opt_off=validating',
    'publication_list=absent',
    'unknown_path=html',
    'bulk_done=completed',
    'deletion_times=seconds',
    'token_info=documented',
    'token_info=bare',
    'expired-token',
  ]);
});
