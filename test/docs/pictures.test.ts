/** Every picture in the repository can be opened, and something shows it. Slow tests take the pictures anew. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { listFiles } from '../../scripts/git.ts';
import { root } from '../../scripts/root.ts';

/** Where pictures are. */
const folders = ['.github/guide', '.github/guide/workflows', 'examples/pictures', '.github'];
const files = listFiles();
const pictures = files.filter((path) => /\.(png|webp)$/.test(path));
const texts = files
  .filter((path) => /\.(mdx?|html|astro|ts)$/.test(path) && path !== 'test/docs/pictures.test.ts')
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n');

it('pictures are in the folders for them', () => {
  expect(pictures.filter((path) => !folders.some((folder) => path === `${folder}/${basename(path)}`))).toEqual([]);
  expect(pictures.length).toBeGreaterThan(50);
});

it.each(pictures)('%s opens', async (path) => {
  const { width, height } = await sharp(join(root, path))
    .raw()
    .toBuffer()
    .then(() => sharp(join(root, path)).metadata());
  expect(Math.min(width, height)).toBeGreaterThan(100);
});

it('each picture is shown somewhere, by its name or by that of its page', () => {
  const isNamed = (path: string): boolean => {
    const [name = ''] = basename(path).split(/(?:-(?:light|dark))?\.\w+$/);
    return texts.includes(basename(path)) || new RegExp(`[/'"\`]${name}['"\`.]`).test(texts);
  };
  expect(pictures.filter((path) => !isNamed(path))).toEqual([]);
});
