import { expect } from '@open-wc/testing';
import { inScheme, Mailbox, mountAt } from './harness.ts';

const head = '<h2 slot="head">Letters</h2><p slot="head">Every Tuesday.</p>';
const fields =
  '<newsletter-field name="First name" placeholder="Ada"></newsletter-field><newsletter-field name="I agree" kind="boolean" required></newsletter-field>';
const page = 'color-scheme: light dark; color: CanvasText; background: Canvas';

/** Red, green, blue from 0 to 1 as a canvas paints a colour, which may be written in any way. */
function painted(color: string): readonly number[] {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) throw new Error('There is no canvas.');
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map((value) => value / 255);
}

/** WCAG 2.2's ratio of contrast. */
function contrast(one: string, other: string): number {
  const luminance = (color: string): number => {
    const [red = 0, green = 0, blue = 0] = painted(color).map((value) =>
      value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Every selector in a style sheet, those inside of its conditions too. */
function selectorsOf(rules: Iterable<CSSRule> = []): string[] {
  return Array.from(rules).flatMap((rule) => [
    ...(rule instanceof CSSStyleRule ? rule.selectorText.split(/,\s*(?=newsletter)/) : []),
    ...('cssRules' in rule ? selectorsOf(rule.cssRules as CSSRuleList) : []),
  ]);
}

/** Gives the page a theme. @returns what takes it away again: `remove()` */
async function wear(theme: string): Promise<HTMLStyleElement> {
  const sheet = document.createElement('style');
  sheet.textContent = await fetch(`/widget/themes/${theme}.css`).then((response) => response.text());
  document.head.append(sheet);
  return sheet;
}

describe('looks', () => {
  afterEach(() => inScheme('light'));

  for (const layout of ['stacked', 'card', 'dialog'] as const) {
    for (const direction of ['ltr', 'rtl'] as const) {
      it(`${layout}, ${direction}: nothing for axe to find in any state, light or dark`, async () => {
        for (const colorScheme of ['light', 'dark'] as const) {
          await inScheme(colorScheme);
          const form = await mountAt(
            new Mailbox('broken', 'slow'),
            `${head}${fields}<button slot="trigger">Subscribe</button>`,
            `layout="${layout}" dir="${direction}" style="${page}"`,
          );
          await form.element.open();
          await expect(form.element).to.be.accessible();
          form.element.submit();
          await form.reaches('error');
          await expect(form.element).to.be.accessible();
          form.email.value = 'ada@example.com';
          form.labelled('I agree').click();
          const heard = form.hears('newsletter-error');
          form.element.submit();
          await heard;
          await form.settled();
          await expect(form.element).to.be.accessible();
          form.element.submit();
          await form.reaches('success');
          await expect(form.element).to.be.accessible();
          form.element.remove();
        }
      });
    }
  }

  for (const theme of ['linen', 'harbor', 'meadow', 'signal'] as const) {
    it(`${theme}: can be read, light and dark, and is small`, async () => {
      const sheet = await wear(theme);
      expect(sheet.textContent.length).to.be.below(1400);
      for (const colorScheme of ['light', 'dark'] as const) {
        await inScheme(colorScheme);
        const form = await mountAt(new Mailbox(), head + fields, `layout="card" style="${page}"`);
        await form.element.open();
        form.element.submit();
        await form.reaches('error');
        const colors = (selector: string): CSSStyleDeclaration => getComputedStyle(form.find(selector));
        const surface = colors('[part=surface]').backgroundColor;
        expect(contrast(colors('[part=surface]').color, surface), 'text').to.be.at.least(4.5);
        expect(contrast(colors('small').color, surface), 'small print').to.be.at.least(4.5);
        expect(contrast(colors('[part=problem]').color, surface), 'problem').to.be.at.least(4.5);
        expect(
          contrast(colors('[part=button-text]').color, colors('[part=button]').backgroundColor),
          'button',
        ).to.be.at.least(4.5);
        expect(contrast(colors('[part=input]').color, colors('[part=input]').backgroundColor), 'input').to.be.at.least(
          4.5,
        );
        expect(contrast(getComputedStyle(form.labelled('First name')).borderTopColor, surface), 'line').to.be.at.least(
          3,
        );
        await expect(form.element).to.be.accessible();
        form.element.remove();
      }
      sheet.remove();
    });

    it(`${theme}: no rule of it misses, and its heading follows the width of the form`, async () => {
      const sheet = await wear(theme);
      const sizes: number[] = [];
      const leads: number[] = [];
      for (const width of [300, 400, 600]) {
        const form = await mountAt(new Mailbox(), head + fields, `layout="card" style="inline-size: ${width}px"`);
        await form.element.open();
        for (const selector of selectorsOf(sheet.sheet?.cssRules)) {
          const [, part] = /::part\((.+)\)/.exec(selector) ?? [];
          expect(
            part ? form.element.shadowRoot?.querySelector(`[part=${part}]`) : document.querySelector(selector),
            selector,
          ).to.be.instanceOf(HTMLElement);
        }
        const [title, lead] = form.element.querySelectorAll('[slot=head]');
        if (!title || !lead) throw new Error('The head is gone.');
        sizes.push(parseFloat(getComputedStyle(title).fontSize));
        leads.push(parseFloat(getComputedStyle(lead).fontSize));
        form.element.remove();
      }
      sheet.remove();
      expect(sizes)
        .to.deep.equal(sizes.toSorted((a, b) => a - b))
        .and.to.satisfy(([narrow, , wide]: number[]) => Number(narrow) < Number(wide));
      expect(leads).to.deep.equal([16, 16, 18]);
    });
  }
});
