/** The aliases of the packages' READMEs make the commands of a clone available in every folder. */
import { access, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../../scripts/root.ts';
import { readPage } from './page.ts';
import { openTerminal } from './terminal.ts';

it.skipIf(process.platform === 'win32').each([
  ['sandbox', `newsletter-sandbox exec -- sh -c 'echo $NEWSLETTER_API_KEY > written'`],
  ['relay', 'RELAY_STORE=sqlite:written newsletter-relay import /dev/null'],
  ['cli', 'newsletter --version > written'],
])('the alias of the %s README runs its command in another folder', async (name, command) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'newsletter-alias-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const { commands } = readPage(await readFile(join(root, 'packages', name, 'README.md'), 'utf8'));
  const alias = commands.find(({ text }) => text.startsWith('alias '));
  const { PATH = '' } = process.env;
  const terminal = await openTerminal(root, { PATH, HOME: folder });
  onTestFinished(() => terminal.close());
  // Bash expands an alias from the next block on.
  for (const block of [alias?.text ?? '', `cd '${folder}'`, command]) {
    await terminal.type(block);
    expect(await terminal.finished(), terminal.screen()).toBe(0);
  }
  await access(join(folder, 'written'));
});
