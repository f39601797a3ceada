/**
 * The steps of a page, and a walk through them that notices what differs. `test/n8n/guides.test.ts` takes them in a
 * real n8n; here a list of words stands for its screens.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { readSteps, walk, type Actions } from './steps.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const crm = read('docs/src/content/docs/start/crm.md');
const workflow = read('examples/workflows/contact-sync-data-table.json');

it('reads names, paths, texts and addresses of numbered steps, and the names around them', () => {
  const page = `---\ntitle: A page\n---
A *Word* of the introduction.

## First

Open *Settings → Community
nodes* first.

1. Go to <http://127.0.0.1:5678/home> and press **+**; it says “All is … well.”

   ![A picture](picture.png)
2. Enter \`a@example.com\`.

## Second

No name here, but a [link](https://example.com).

## Left out

*This*.
`;
  expect(readSteps(page, (heading) => heading !== 'Left out')).toEqual([
    { title: '', names: ['Word'], texts: [] },
    { title: 'First', names: ['Settings', 'Community nodes'], texts: [] },
    { title: 'First, 1', names: ['+'], texts: ['All is … well.', 'http://127.0.0.1:5678/home'] },
    { title: 'First, 2', names: [], texts: ['a@example.com'] },
  ]);
});

describe('a walk through the page of the CRM', () => {
  const section = 'In step in ten minutes';

  /** What the editor shows of the workflow, besides its own words and those of the sandbox's window. */
  function screen(file: string): ReadonlySet<string> {
    const { name, nodes } = JSON.parse(file) as { name: string; nodes: readonly { name: string }[] };
    const own = 'Fields,Execute workflow,Newsletter contacts,Mode,Preview,Apply,Overview,Data tables,Publish';
    return new Set([name, ...nodes.map((node) => node.name), ...own.split(','), 'First Name', 'Unsubscribe']);
  }

  /** Looks for as many words as each step has on the page. */
  function follow(page: string, file = workflow): Promise<void> {
    const visible = screen(file);
    const actions: Actions = Object.fromEntries(
      [3, 8, 4, 3, 4, 1].map((count, place) => [
        `${section}, ${place + 1}`,
        async ({ name }) => {
          for (let looked = 0; looked < count; looked++) {
            const word = name();
            if (!visible.has(word)) throw new Error('It is not on the screen.');
          }
        },
      ]),
    );
    return walk(
      readSteps(page, (heading) => heading === section),
      actions,
      () => Promise.resolve('step.png'),
    );
  }

  it('succeeds where page, steps and screen agree', async () => {
    await follow(crm);
  });

  it.each([
    [
      'a button that has another name on the page',
      () => follow(crm.replace('*Execute workflow*', '*Run workflow*')),
      /minutes, 2, at "Run workflow": .*not on the screen[^]*step\.png/,
    ],
    [
      'a step that was removed from the page',
      () => follow(crm.replace(/^6\. .*\n/m, '')),
      /The pages have no step "In step in ten minutes, 6"/,
    ],
    [
      'a step that nobody takes',
      () => follow(crm.replace(/^6\. .*$/m, '$&\n7. *Archive* it.')),
      /No actions are known for "In step in ten minutes, 7"/,
    ],
    [
      'a node that has another name in the workflow',
      () => follow(crm, workflow.replaceAll('"Every hour"', '"Each hour"')),
      /minutes, 2, at "Every hour": .*not on the screen/,
    ],
    [
      'a name on the page that nobody looks for',
      () => follow(crm.replace('6. *Publish*', '6. *Publish* and *Share*')),
      /minutes, 6, at "Share": .*nobody looked for it/,
    ],
    [
      'a name that is gone from the page',
      () => follow(crm.replace('set *Mode* to *Apply*', 'set *Mode*')),
      /minutes, 3, at "".*no further name/,
    ],
  ])('notices %s', async (_, walking, error) => {
    await expect(walking()).rejects.toThrow(error);
  });
});
