/** Runs axe on a page that is open in a browser, and returns its findings. */
import axe, { type AxeResults } from 'axe-core';

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** A page of Puppeteer, or any other that evaluates an expression. */
interface EvaluatesText {
  evaluate(expression: string): Promise<unknown>;
}

/**
 * Each finding as a sentence that names the place. Frames are pages of their own and left out. axe comes in through the
 * debugger, which the page's policy does not concern.
 *
 * @param runOnly - axe's rules, or tags of rules. Default: WCAG 2.2 and best practices
 */
export async function findings(page: EvaluatesText, runOnly: readonly string[] = rules): Promise<readonly string[]> {
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(`(() => { ${axe.source}; })()`);
  const { violations } = (await page.evaluate(
    `axe.run({ runOnly: ${JSON.stringify(runOnly)}, iframes: false })`,
  )) as AxeResults;
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ target }) => `${id}: ${help}: ${target.join(' ')}`));
}
