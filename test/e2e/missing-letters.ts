/** Letters that no font of this machine has: a browser draws boxes in their place, and pictures must not show them. */
import type { Page } from 'puppeteer-core';

/** The letters of a page without a glyph, those inside of elements too. */
export const missingLetters = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const textOf = (node: Node): string => {
      const inside = node instanceof Element ? (node.shadowRoot ?? undefined) : undefined;
      return (
        [...(inside ? [inside] : []), ...node.childNodes].map(textOf).join('') + (node instanceof Text ? node.data : '')
      );
    };
    const canvas = Object.assign(document.createElement('canvas'), { width: 40, height: 40 });
    const context = canvas.getContext('2d', { willReadFrequently: true });
    const drawn = (letter: string): string => {
      if (!context) throw new Error('The browser has no canvas.');
      context.clearRect(0, 0, 40, 40);
      context.font = '24px sans-serif';
      context.fillText(letter, 4, 30);
      return context.getImageData(0, 0, 40, 40).data.join('');
    };
    // No script has this one.
    const box = drawn('\u0378');
    const letters = new Set(
      textOf(document.body).match(/[^\p{ASCII}\p{White_Space}\p{Default_Ignorable_Code_Point}]/gu),
    );
    return [...letters].filter((letter) => drawn(letter) === box).join('');
  });
