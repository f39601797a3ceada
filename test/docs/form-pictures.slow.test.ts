/**
 * The pictures of the form in the READMEs and on the start page show the form as it is now.
 * `PICTURES=forms npm test -- test/docs/form-pictures.slow.test.ts` takes them again.
 */
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { openStudio, type Studio } from '../widget/studio.ts';
import { takeSites, takeThemes } from './form-pictures.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
}, 600_000);
afterAll(() => studio?.close());

it.each([
  ['sites', takeSites],
  ['themes', takeThemes],
] as const)(
  '%s.webp has the texts and the styles of each form in it',
  async (name, take) => {
    const file = join(root, `.github/${name}.webp`);
    const { webp, record, missing } = await take(studio);
    if (process.env['PICTURES'] === 'forms') {
      expect(missing, 'Install a font that has these letters.').toBe('');
      await sharp(webp)
        .webp({ quality: 83 })
        .withExif({ IFD0: { ImageDescription: JSON.stringify(record) } })
        .toFile(file);
    }
    const { exif } = await sharp(file).metadata();
    const [shown = '{}'] = /\{[^}]*\}/.exec(exif?.toString('latin1') ?? '') ?? [];
    expect(JSON.parse(shown), 'Take the pictures again.').toEqual(record);
  },
  300_000,
);
