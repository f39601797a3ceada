import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFileTokenStore, TokenFileError } from '../../../src/hosts/node/index.ts';
import { withLock } from '../../../src/hosts/node/durable-file.ts';
import type { TokenSet } from '../../../src/oauth/index.ts';
import { scratchFolder } from '../../../../../test/support/scratch-folder.ts';

const tokens: TokenSet = {
  accessToken: 'an access token',
  refreshToken: 'a refresh token',
  issuedAt: 1000,
  expiresAt: 7_201_000,
  scopes: ['subscriptions:read'],
};

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('the token file', () => {
  it('keeps tokens for its owner alone, in a folder for its owner alone', async () => {
    const folder = join(scratchFolder(), 'config', 'kit');
    const path = join(folder, 'tokens.json');
    const store = createFileTokenStore(path);
    expect(await store.load()).toBeNull();
    await store.save(tokens);
    expect([mode(path), mode(folder)]).toEqual(['600', '700']);
    expect(await createFileTokenStore(path).load()).toEqual(tokens);
    expect(readdirSync(folder)).toEqual(['tokens.json']);
    await store.clear();
    await store.clear();
    expect(await store.load()).toBeNull();
  });

  it.each(['644', '640', '620', '602'])('is refused with mode %s, and the text says what to do', async (octal) => {
    const path = join(scratchFolder(), 'tokens.json');
    const store = createFileTokenStore(path);
    await store.save(tokens);
    chmodSync(path, Number.parseInt(octal, 8));
    await expect(store.load()).rejects.toThrow(TokenFileError);
    await expect(store.load()).rejects.toThrow(`(mode 0${octal})`);
    await expect(store.load()).rejects.toThrow('chmod 600');
    await store.save(tokens); // a new login makes a new file
    expect(mode(path)).toBe('600');
  });

  it.each(['', '{"accessToken":', '[]', '{}', '{"accessToken":"a secret","refreshToken":1}'])(
    'is refused where it holds %j, without repeating it',
    async (content) => {
      const path = join(scratchFolder(), 'tokens.json');
      writeFileSync(path, content, { mode: 0o600 });
      const error: unknown = await createFileTokenStore(path)
        .load()
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(TokenFileError);
      expect(String(error)).toContain(path);
      expect(String(error)).not.toContain('a secret');
    },
  );

  it('requires a name, before anything is written', () => {
    expect(() => createFileTokenStore('')).toThrow(
      new TokenFileError(
        'The path of the token file is empty. Pass the path of a file, for example ./private/tokens.json.',
      ),
    );
    expect(existsSync('-lock')).toBe(false);
  });

  it('is complete after a kill at any point', async () => {
    const path = join(scratchFolder(), 'tokens.json');
    const store = createFileTokenStore(path);
    const saving = fileURLToPath(new URL('saving.ts', import.meta.url));
    for (const saves of fc.sample(fc.integer({ min: 1, max: 8 }), { numRuns: 8, unbiased: true })) {
      const child = spawn(process.execPath, [saving, path], { stdio: ['ignore', 'pipe', 'inherit'] });
      onTestFinished(() => void child.kill('SIGKILL'));
      for (let n = 0; n < saves; n += 1) await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await once(child, 'close');
      const kept = await store.load();
      expect(kept?.scopes).toEqual(Array.from({ length: 2000 }, () => kept?.accessToken));
    }
    await store.clear();
    expect(readdirSync(join(path, '..'))).toEqual([]); // nothing with a token in it is left lying about
  });
});

describe('the lock of a token file', () => {
  it('admits one process at a time', async () => {
    const path = join(scratchFolder(), 'lock');
    const [entered, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = withLock(path, () => {
      entered.resolve();
      return left.promise;
    });
    await entered.promise;
    await expect(withLock(path, async () => 'in', { waitMs: 0 })).rejects.toThrow(`has used ${path}`);
    const second = withLock(path, async () => 'in');
    left.resolve();
    expect([await first, await second]).toEqual([undefined, 'in']);
  });

  it('is released where the work fails', async () => {
    const path = join(scratchFolder(), 'lock');
    await expect(withLock(path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withLock(path, async () => 'in')).toBe('in');
  });

  it('reports a path that cannot be locked', async () => {
    await expect(withLock(join(scratchFolder(), 'no', 'folder', 'lock'), async () => 'in')).rejects.toThrow(
      "can't be locked",
    );
  });

  it('of a process that was killed is free again', async () => {
    const path = join(scratchFolder(), 'lock');
    const holder = spawn(process.execPath, [fileURLToPath(new URL('holding.ts', import.meta.url)), path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void holder.kill('SIGKILL'));
    await once(holder.stdout, 'data');
    await expect(withLock(path, async () => 'in', { waitMs: 0 })).rejects.toThrow(`has used ${path}`);
    holder.kill('SIGKILL');
    await once(holder, 'close');
    expect(await withLock(path, async () => 'in', { waitMs: 1000 })).toBe('in');
  });
});
