/** Lists of people whom an import must not bring in. */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CsvError } from '../../../src/hosts/node/csv.ts';
import { readKeepOut } from '../../../src/hosts/node/keep-out.ts';
import { scratchFolder } from '../../../../../test/support/scratch-folder.ts';
import { exportFixtures } from '../../../../../test/support/exports.ts';

async function listOf(text: string, name = 'list.csv', answers: Parameters<typeof readKeepOut>[1] = {}) {
  const path = join(scratchFolder(), name);
  await writeFile(path, text);
  return readKeepOut(path, answers);
}

/** What a column `status` says; the answer also stands for lists without it. */
const status = { active: 'subscribed', pending: 'unconfirmed', inactive: 'left', bounced: 'left' } as const;

const hash = (algorithm: string, text: string): string => createHash(algorithm).update(text).digest('hex');

describe('a list of people to keep out', () => {
  it.each([
    ['addresses, one a line', 'Ada@Example.com\n\nbo@example.com\n'],
    ['a column of addresses', 'Name,Email Address\nAda,ada@example.com\nBo,bo@example.com\n'],
    ['SHA-256', `${hash('sha256', 'ada@example.com').toUpperCase()}\n${hash('sha256', 'bo@example.com')}\n`],
    ['a column of MD5', `id,hash\n1,${hash('md5', 'ada@example.com')}\n2,${hash('md5', 'bo@example.com')}\n`],
    ['a column in any language', `Kunde;Elektropost\n1;ada@example.com\n2;bo@example.com\n`],
    ['both', `${hash('sha1', 'ada@example.com')}\nbo@example.com\n`],
    [
      'an export, of which those who left',
      'email,status\nada@example.com,inactive\nbo@example.com,bounced\ncy@example.com,active\ndi@example.com,pending\n',
    ],
  ])('can be %s', async (_, text) => {
    const { size, reasonFor } = await listOf(text, 'list.csv', { leftBy: { status } });
    expect(size).toBe(2);
    expect(['ADA@example.com', 'bo＠example.com'].map((address) => reasonFor(address) !== undefined)).toEqual([
      true,
      true,
    ]);
    expect(['cy@example.com', 'di@example.com'].map(reasonFor)).toEqual([undefined, undefined]);
    expect(reasonFor('ada@example.com')).toBe('list.csv says that this person stays out');
  });

  it.each(exportFixtures)(
    'can be the export of $service, $file: whoever left by it',
    async ({ file, text, leftBy, stays, out }) => {
      const { reasonFor } = await listOf(text, file, { leftBy });
      for (const address of stays) expect(reasonFor(address)).toBeUndefined();
      for (const [address, kind] of out) expect(reasonFor(address) !== undefined).toBe(kind === 'left');
    },
  );

  it.each([
    ['no entry', 'ada@example.com\nbo\n', ', row 2: it is no address and no MD5, SHA-1 or SHA-256 hash'],
    ['no column', 'Name,City\nAda,Rome\n', ': No column of the list holds addresses or hashes of them.'],
    [
      'a doubt',
      'email,Newsletter\nada@example.com,ja\nbo@example.com,ja\ncy@example.com,nein\ndi@example.com,nein\n',
      ': Does anybody leave by column "Newsletter" (ja 2, nein 2)? Say so for each: leftBy',
    ],
  ])('that has %s is refused, and repeats no entry', async (_, text, message) => {
    await expect(listOf(text)).rejects.toThrow(CsvError);
    await expect(listOf(text)).rejects.toThrow(message);
  });

  it('that is not there is an error', async () => {
    const missing = join(scratchFolder(), 'none.csv');
    await expect(readKeepOut(missing)).rejects.toThrow(`${missing}: there is no such file.`);
  });
});
