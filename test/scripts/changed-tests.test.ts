/** Which tests `npm run check` runs for a change, and what it says of code that none reaches. */
import { describe, expect, it } from 'vitest';
import { chooseTests } from '../../scripts/changed-tests.ts';
import type { ImportGraph } from '../../scripts/import-graph.ts';

function graphOf(usedBy: Readonly<Record<string, readonly string[]>>, typesOnly: readonly string[] = []): ImportGraph {
  return {
    usedBy: new Map(Object.entries(usedBy).map(([file, users]) => [file, new Set(users)])),
    typesOnly: new Set(typesOnly),
  };
}

const tests = (room: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${room}/${String(index).padStart(2, '0')}.test.ts`);

describe('the tests of a change', () => {
  it('are those that reach it, each for the runner that it belongs to', () => {
    const graph = graphOf({
      'packages/core/src/signup/fields.ts': ['packages/core/test/fields.test.ts', 'widget/src/form.ts'],
      'widget/src/form.ts': ['widget/test/form.test.ts', 'widget/test/looks.slow.test.ts'],
    });
    const { files, related, unchecked } = chooseTests(graph, ['packages/core/src/signup/fields.ts']);
    expect(files).toEqual({
      vitest: ['packages/core/test/fields.test.ts'],
      widget: ['widget/test/form.test.ts'],
    });
    expect(related).toBe(2);
    expect(unchecked).toEqual([]);
  });

  it('are the nearest ones where there are many, most of them of the same room, and some of every other', () => {
    const changed = 'packages/core/src/contract/tiers.ts';
    const graph = graphOf({
      [changed]: [...tests('packages/core/test', 80), ...tests('test/nodes', 80), ...tests('packages/cli/test', 5)],
    });
    const { files, related } = chooseTests(graph, [changed]);
    const count = (room: string): number => files.vitest.filter((file) => file.startsWith(room)).length;
    expect(related).toBe(165);
    expect([count('packages/core'), count('test/nodes'), count('packages/cli')]).toEqual([18, 5, 5]);
  });

  it('are not much farther away than the nearest, least of all in other rooms', () => {
    const graph = graphOf({
      'scripts/build.ts': ['test/scripts/build.test.ts', 'scripts/a.ts'],
      'scripts/a.ts': ['scripts/b.ts'],
      'scripts/b.ts': ['scripts/c.ts', 'test/docs/b.test.ts', 'test/e2e/e.ts'],
      'test/e2e/e.ts': ['test/e2e/e.test.ts'],
      'scripts/c.ts': ['scripts/d.ts', 'test/scripts/c.test.ts'],
      'scripts/d.ts': ['scripts/e.ts'],
      'scripts/e.ts': ['test/scripts/e.test.ts'],
    });
    const { files } = chooseTests(graph, ['scripts/build.ts']);
    expect(files.vitest).toEqual(['test/scripts/build.test.ts', 'test/scripts/c.test.ts', 'test/docs/b.test.ts']);
  });

  it('have the names of the change in their paths, where several are equally near', () => {
    const changed = 'packages/sandbox/src/api/tiers.ts';
    const graph = graphOf({
      [changed]: [...tests('packages/sandbox/test', 80), 'packages/sandbox/test/api/tiers.test.ts'],
    });
    expect(chooseTests(graph, [changed]).files.vitest[0]).toBe('packages/sandbox/test/api/tiers.test.ts');
  });

  it('contain the nearest of each changed file, however many files changed', () => {
    const changed = Array.from({ length: 90 }, (_, index) => `scripts/${index}.ts`);
    const graph = graphOf(Object.fromEntries(changed.map((file, index) => [file, [`test/scripts/${index}.test.ts`]])));
    expect(chooseTests(graph, changed).files.vitest).toHaveLength(90);
  });
});

describe('what is not checked', () => {
  it('is named, with the reason', () => {
    const graph = graphOf({ 'packages/relay/src/main.ts': ['packages/relay/test/commands/serve.slow.test.ts'] });
    const changed = ['packages/relay/src/main.ts', 'examples/relay/bun.js', '.ci/run', 'packages/relay/store.sql'];
    expect(chooseTests(graph, changed).unchecked).toEqual([
      'packages/relay/src/main.ts (only slow tests reach it: npm test -- packages/relay/test/commands/serve.slow.test.ts)',
      'examples/relay/bun.js (no test reaches it)',
      '.ci/run (no test reaches it)',
      'packages/relay/store.sql (no test reaches it)',
    ]);
  });

  it('is no document, no data, no picture, no setting, and nothing that consists of types', () => {
    const graph = graphOf({}, ['packages/core/src/types.ts']);
    const changed = ['README.md', 'renovate.json', 'examples/ink.webp', '.gitattributes', 'packages/core/src/types.ts'];
    expect(chooseTests(graph, changed)).toMatchObject({ unchecked: [], slow: [] });
  });

  it('is told apart from code that only slow tests run', () => {
    const graph = graphOf({ 'test/n8n/harness/nodes.ts': ['test/n8n/actions.test.ts'] });
    const changed = ['test/n8n/harness/nodes.ts', 'test/chaos/storm.slow.test.ts'];
    expect(chooseTests(graph, changed)).toMatchObject({ unchecked: [], slow: changed });
  });
});
