/** `npm run check` runs the tests of the projects that the changed files belong to. */
import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { projectsOf } from '../../scripts/quick-check.ts';
import config from '../../vitest.config.mts';

interface Project {
  readonly test: { readonly name: string; readonly include: string[] };
}
const { projects } = (config as { test: { projects: Project[] } }).test;

describe('the tests of a changed file', () => {
  it('belong to the project of the file, for each fast test of the repository', () => {
    const files = projects.flatMap(({ test: { name, include } }) =>
      globSync(include, { cwd: root, exclude: ['**/*.slow.test.ts'] }).map((file) => ({ file, name })),
    );
    expect(files.length).toBeGreaterThan(90);
    for (const { file, name } of files) expect([file, projectsOf([file])]).toEqual([file, [name]]);
  });

  it.each([
    ['packages/relay/src/main.ts', 'relay'],
    ['nodes/Newsletter/Newsletter.node.ts', 'nodes'],
    ['scripts/start.ts', 'scripts'],
    ['examples/demo/site.ts', 'examples'],
  ])('of %s belong to the project %s', (file, project) => {
    expect(projectsOf([file])).toEqual([project]);
  });

  it('do not exist for a document', () => {
    expect(projectsOf(['README.md', 'widget/src/index.ts'])).toEqual([]);
  });
});
