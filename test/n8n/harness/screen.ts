/** What a reader of a guide sees in the browser, and does there by the words of the guide. */
import type { Page } from 'puppeteer-core';

/** How long a word may take to appear, in milliseconds: a limit for what never happens. */
const patience = 60_000;

const field = 'input, textarea, [contenteditable=true]';

/** Where a word stands: its centre, and the centre of the field that it labels. */
interface Place {
  readonly x: number;
  readonly y: number;
}

/**
 * Waits until an element with exactly this text is visible, or a list with this choice. ` …` stands for any words.
 *
 * @param within - a selector of the part of the page to look in; by default the whole page
 */
export async function see(page: Page, word: string, within = 'body'): Promise<void> {
  await find(page, word, within, 'visible');
}

/** Whether {@link see} would find it now. */
export async function isSeen(page: Page, word: string, within = 'body'): Promise<boolean> {
  return (await page.evaluate(locate, word, within, 'visible' as const, undefined)) !== undefined;
}

/** Waits until nothing covers the element with this text, and clicks on it. */
export async function press(page: Page, word: string, within = 'body', count = 1): Promise<void> {
  const { x, y } = await find(page, word, within, 'clickable');
  await page.mouse.click(x, y, { count });
}

/** Points at the element with this text. */
export async function pointAt(page: Page, word: string, within = 'body'): Promise<void> {
  const { x, y } = await find(page, word, within, 'clickable');
  await page.mouse.move(x, y, { steps: 5 });
}

/** Clicks on the control that stands closest to this label, by default a field. */
export async function pressAt(page: Page, label: string, within = 'body', control = field): Promise<void> {
  const { x, y } = await find(page, label, within, 'clickable', control);
  await page.mouse.click(x, y);
}

/** Replaces what stands in the field with this label. */
export async function enter(page: Page, label: string, text: string, within = 'body'): Promise<void> {
  await pressAt(page, label, within);
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  // As pasted: the editor of expressions adds brackets to typed ones.
  await page.keyboard.sendCharacter(text);
  // n8n takes a text over with a key that follows; in an expression Tab only adds spaces before it.
  await page.keyboard.press('Tab');
}

async function find(
  page: Page,
  word: string,
  within: string,
  want: 'visible' | 'clickable',
  control?: string,
): Promise<Place> {
  const found = await page.waitForFunction(locate, { timeout: patience, polling: 'raf' }, word, within, want, control);
  return found.jsonValue() as Promise<Place>;
}

/**
 * Runs in the page.
 *
 * @param control - wanted is the closest of these to the word
 * @returns nothing as long as the element is not there, moves, or is covered or disabled
 */
async function locate(
  word: string,
  within: string,
  want: 'visible' | 'clickable',
  control: string | undefined,
): Promise<Place | undefined> {
  const controls = 'button, a, label, [role=button], [role=menuitem], [role=option]';
  const clean = (text: string | null | undefined): string =>
    (text ?? '')
      .replaceAll(/\s+/g, ' ')
      .replace(/^\* | \*$| \(\d+\)$/g, '')
      .trim();
  const inside = (root: ParentNode): Element[] =>
    [...root.querySelectorAll('*')].flatMap((each) => [each, ...(each.shadowRoot ? inside(each.shadowRoot) : [])]);
  const isShown = (each: Element): boolean => {
    const { width, height } = each.getBoundingClientRect();
    return width > 0 && height > 0 && each.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  };
  const [first = '', ...others] = word.split(/(?<= )…/);
  const isWord = (text: string): boolean => {
    let place = first.length;
    for (const each of others) {
      const found = text.indexOf(each, place);
      if (found === -1) return false;
      place = found + each.length;
    }
    return text.startsWith(first) && (others.at(-1) === '' || place === text.length);
  };
  // What the reader has typed is no answer of the screen; a list shows its choice as a value.
  const shows = (each: Element): boolean =>
    isWord(clean(each.textContent)) ||
    (each instanceof HTMLInputElement && each.readOnly && want === 'visible' && isWord(clean(each.value)));
  const centre = (each: Element): Place => {
    const { x, y, width, height } = each.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  };
  const isSame = (a: Place, b: Place): boolean => a.x === b.x && a.y === b.y;
  const isMoving = (each: Element): boolean =>
    document
      .getAnimations()
      .some(
        ({ playState, effect }) =>
          playState === 'running' &&
          effect?.getComputedTiming().iterations !== Infinity &&
          effect instanceof KeyframeEffect &&
          effect.target?.contains(each),
      );
  const isFree = (each: Element): boolean => {
    const { x, y } = centre(each);
    const root = each.getRootNode() as Document | ShadowRoot;
    const top = root.elementFromPoint(x, y);
    if (each.closest(':disabled, [aria-disabled=true]')) return false;
    return top !== null && (each.contains(top) || (each.closest(controls)?.contains(top) ?? false));
  };
  const closest = (label: Element, selector: string): Element[] => {
    for (let part: Element | null = label; part; part = part.parentElement) {
      const found = [...part.querySelectorAll(selector)].find(isShown);
      if (found) return [found];
    }
    return [];
  };
  const matching = [...document.querySelectorAll(within)]
    .flatMap(inside)
    .filter((each) => shows(each) && isShown(each));
  const deepest = matching.filter((each) => !matching.some((other) => other !== each && each.contains(other)));
  if (want === 'visible') return deepest.length > 0 ? { x: 0, y: 0 } : undefined;
  const isControl = (each: Element): boolean => each.closest(controls) !== null;
  const ordered = [...deepest.filter(isControl), ...deepest.filter((each) => !isControl(each))];
  const targets = control === undefined ? ordered : ordered.flatMap((each) => closest(each, control));
  for (const target of targets) {
    target.scrollIntoView({ block: 'nearest' });
    const place = centre(target);
    // n8n moves what it has just drawn, once more of the page is there.
    for (let frame = 0; frame < 10 && isSame(place, centre(target)); frame++) await new Promise(requestAnimationFrame);
    if (isSame(place, centre(target)) && !isMoving(target) && isFree(target)) return place;
  }
  return undefined;
}
