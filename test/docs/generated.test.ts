/** The generated parts of the documentation are up to date. */
import { expect, it } from 'vitest';
import { generate as generateTypes } from '../../widget/scripts/attribute-types.ts';
import { generate as generateWebsitePages } from '../../widget/scripts/readme.ts';
import { expectUpToDate } from '../support/up-to-date.ts';
import { generate, listed } from './generated.ts';

it('the list of the workflows and the page of the benchmarks follow from their files', () => {
  expect(listed.length).toBe(23);
  expectUpToDate(generate());
});

it('the tables of the website pages follow from the source of the tag', () => {
  expectUpToDate(generateWebsitePages());
});

it('the types of the tags follow from their manifest', async () => {
  expectUpToDate(await generateTypes());
});
