/** The output schemas and the table in the README follow from the operations of the node. */
import { beforeAll, describe, expect, it } from 'vitest';
import { expectUpToDate } from '../support/up-to-date.ts';
import { generate } from './generated.ts';
import { scenarios } from './scenarios.ts';

let files: Awaited<ReturnType<typeof generate>>;
beforeAll(async () => {
  files = await generate();
});

it('the README lists every operation', () => {
  expectUpToDate({ 'nodes/README.md': files['nodes/README.md'] ?? null });
});

describe('an output schema', () => {
  it.each(scenarios)('has the output of $resource $operation', ({ resource, operation }) => {
    const path = `nodes/Newsletter/__schema__/v1.0.0/${resource}/${operation}.json`;
    expect(files[path]).toMatch(/^\{\n {2}"type": "object",/);
    expectUpToDate({ [path]: files[path] ?? null });
  });

  it('exists only for operations of the node', () => {
    expectUpToDate(files);
  });
});
