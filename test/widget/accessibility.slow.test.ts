/** The accessibility tree of a form in every state, compared with the files in `trees`. */
import { describe, expect, it } from 'vitest';
import { readTree } from './ax-tree.ts';
import { answers, dialogSteps, prepare, steps, walk, type Hands, type Step, type Way } from './journey.ts';
import { builds, languages, pageToWalk, tags, type Layout, type Words } from './pages-to-walk.ts';
import { setStage } from './stage.ts';

const stage = setStage();

type Build = keyof typeof builds;
type Mode = keyof typeof tags;
const modes = Object.keys(tags) as Mode[];

describe.each(Object.keys(builds) as Build[])('the build for %s', (build) => {
  /** Opens a page with one form on it. */
  async function open(words: Words, mode: Mode, layout: Layout, way?: Way): Promise<Hands> {
    const page = await stage().session.browser.newPage();
    const hands = await prepare(page, way);
    const address = `${stage().origin}/signup/${crypto.randomUUID()}/${layout === 'dialog' ? 'accepted' : answers}`;
    await page.goto(
      stage().site.page(`/${build}-${mode}-${layout}-${words.lang}`, {
        html: pageToWalk(words, build, tags[mode](words, address, layout)),
      }),
    );
    await page.waitForFunction('forms.length === 1');
    return hands;
  }

  /** Takes these steps, and returns the announcements and the tree after each. */
  async function tell(hands: Hands, taken: readonly Step[]): Promise<string> {
    const devtools = await hands.page.createCDPSession();
    const described: string[] = [];
    for (const step of taken) {
      await walk(hands, step);
      const heard = (await hands.page.evaluate('heard.splice(0)')) as string[];
      described.push(
        [`# ${step.name}`, ...heard.map((words) => `says “${words}”`), await readTree(devtools)].join('\n'),
      );
    }
    return `${described.join('\n\n')}\n`;
  }

  // The same file for both builds.
  describe.each(modes)('with its form in the %s tree', (mode) => {
    it.each([
      { words: languages.en, way: 'button' },
      { words: languages.ar, way: 'email' },
    ] as const)(
      'says in every state what it shows, and keeps the focus: $words.dir, sent from the $way',
      async ({ words, way }) => {
        const hands = await open(words, mode, 'inline', way);
        await expect(await tell(hands, steps)).toMatchFileSnapshot(`trees/${mode}-${words.dir}.txt`);
        // Screen readers announce changes only in a region that existed before: this one, empty.
        expect(
          await hands.page.evaluate(
            `[...regions].map(([form, { region, text }]) => [text, region === regionOf(form)])`,
          ),
        ).toEqual([['', true]]);
        expect(await hands.page.evaluate('lost')).toBe(0);
      },
    );

    it('describes a dialog, and restores the tree when it is closed', async () => {
      const hands = await open(languages.en, mode, 'dialog');
      await expect(await tell(hands, dialogSteps)).toMatchFileSnapshot(`trees/${mode}-dialog.txt`);
      expect(await hands.page.evaluate('lost')).toBe(0);
    });
  });
});
