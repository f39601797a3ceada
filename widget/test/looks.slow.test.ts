import { expect } from '@open-wc/testing';
import { layouts } from '../src/template.ts';
import { inScheme, Mailbox, mountAt, type Form } from './harness.ts';

const head = '<h2 slot="head">The <em>Harbour</em> Letter</h2><p slot="head">Every Tuesday.</p>';
const note = '<small slot="note">Leave with one click.</small>';
const fields = `
  <newsletter-field name="First name" placeholder="Ada"></newsletter-field>
  <newsletter-field name="Topics" kind="list" options="Boats, Food" value="Food"></newsletter-field>
  <newsletter-field name="Country" options="Austria, Belgium, Chile, Denmark, Egypt, France, Ghana, Haiti"></newsletter-field>
  <newsletter-field name="I agree" kind="boolean" required></newsletter-field>`;
const page = 'color-scheme: light dark; color: CanvasText; background: Canvas';
const themes = ['ink', 'meadow', 'harbor', 'signal', 'dusk', 'linen'] as const;

/** Red, green and blue from 0 to 1 of these colours in any notation, each painted over the previous ones. */
function painted(...colors: readonly string[]): readonly number[] {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) throw new Error('There is no canvas.');
  for (const color of colors) {
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
  }
  return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map((value) => value / 255);
}

/** The lowest WCAG 2.2 contrast of a colour on these backgrounds, each a stack of colours. */
function contrast(color: string, grounds: readonly (readonly string[])[]): number {
  const luminance = (...colors: readonly string[]): number => {
    const [red = 0, green = 0, blue = 0] = painted(...colors).map((value) =>
      value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  return Math.min(
    ...grounds.map((ground) => {
      const [dark = 0, light = 0] = [luminance(...ground, color), luminance(...ground)].sort((a, b) => a - b);
      return (light + 0.05) / (dark + 0.05);
    }),
  );
}

/** The opaque colours of a background. No text is on its translucent gradients. */
function opaqueColors({ backgroundColor, backgroundImage }: CSSStyleDeclaration): readonly string[] {
  const stops = backgroundImage.match(/rgb\([^()]*\)/g) ?? [];
  return backgroundColor.startsWith('rgba') ? stops : [backgroundColor, ...stops];
}

/** Ends transitions, so that a check after a change of the colour scheme sees the last colours. */
function still(form: Form): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('* { animation: none !important; transition: none !important }');
  form.shadow.adoptedStyleSheets.push(sheet);
}

/** Every selector in a style sheet, those inside of its conditions too. */
function selectorsOf(rules: Iterable<CSSRule> = []): string[] {
  return Array.from(rules).flatMap((rule) => [
    ...(rule instanceof CSSStyleRule ? rule.selectorText.split(/,\s*(?=newsletter)/) : []),
    ...('cssRules' in rule ? selectorsOf(rule.cssRules as CSSRuleList) : []),
  ]);
}

/** Adds the style sheet of a theme to the page. */
async function addTheme(theme: string): Promise<HTMLStyleElement> {
  const sheet = document.createElement('style');
  sheet.textContent = await fetch(`/widget/themes/${theme}.css`).then((response) => response.text());
  document.head.append(sheet);
  return sheet;
}

/** Checks each state of a form with axe, light and dark. */
async function expectAccessible(layout: string, attributes = ''): Promise<void> {
  // No custom fields in the layouts with one line.
  const isRow = ['inline', 'joined', 'cover'].includes(layout);
  const form = await mountAt(
    new Mailbox('held'),
    `${head}${isRow ? '' : fields}${note}<button slot="trigger">Subscribe</button>`,
    `layout="${layout}" style="${page}" ${attributes}`,
  );
  const check = async (): Promise<void> => {
    for (const scheme of ['light', 'dark'] as const) {
      await inScheme(scheme);
      await expect(form.element).to.be.accessible();
    }
  };
  await form.element.open();
  still(form);
  await check();
  await form.submit('error');
  await check();
  form.email.value = 'ada@example.com';
  if (!isRow) form.labelled('I agree').click();
  await form.submit('busy');
  await check();
  await form.mailbox.release();
  await form.reaches('success');
  await check();
  form.element.remove();
}

describe('looks', () => {
  let sheet: HTMLStyleElement | undefined;
  afterEach(async () => {
    sheet?.remove();
    sheet = undefined;
    await inScheme('light');
  });

  for (const layout of layouts) {
    for (const direction of ['ltr', 'rtl'] as const) {
      it(`${layout}, ${direction}: have no axe violation in any state, light or dark`, () =>
        expectAccessible(layout, `dir="${direction}"`));
    }
    for (const theme of themes) {
      it(`${layout}, ${theme}: have no axe violation in any state, light or dark`, async () => {
        sheet = await addTheme(theme);
        await expectAccessible(layout);
      });
    }
  }

  for (const theme of ['none', ...themes] as const) {
    // WebKit greys an empty date by comparing its colour with the background, whose opacity it ignores.
    it(`${theme}: the background of a date is opposite to its text, light and dark`, async () => {
      if (theme !== 'none') sheet = await addTheme(theme);
      for (const scheme of ['light', 'dark'] as const) {
        await inScheme(scheme);
        const field = '<newsletter-field name="Born" kind="date"></newsletter-field>';
        const form = await mountAt(new Mailbox(), field, `layout="card" style="${page}"`);
        still(form);
        const { color, backgroundColor } = getComputedStyle(form.labelled('Born'));
        const opaque = backgroundColor.replace(/^(rgba.*), [\d.]+\)$|^(.*) \/ [\d.]+\)$/, '$1$2)');
        expect(contrast(color, [[opaque]]), `${scheme}: ${color} on ${opaque}`).to.be.at.least(4.5);
        form.element.remove();
      }
    });
  }

  for (const theme of themes) {
    it(`${theme}: is at most 3 kB`, async () => {
      sheet = await addTheme(theme);
      expect(new Blob([sheet.textContent]).size).to.be.at.most(3000);
    });

    it(`${theme}: text has a contrast of 4.5 : 1, lines of 3 : 1, light and dark`, async () => {
      sheet = await addTheme(theme);
      for (const scheme of ['light', 'dark'] as const) {
        await inScheme(scheme);
        const form = await mountAt(new Mailbox(), head + fields + note, `layout="card" style="${page}"`);
        await form.submit('error');
        still(form);
        const label = (name: string): string => `${name}, ${scheme}`;
        const styles = (selector: string): CSSStyleDeclaration => getComputedStyle(form.find(selector));
        const panel = styles('[part~=panel]').backgroundColor;
        const surfaces = opaqueColors(styles('[part=surface]')).map((color) => [color, panel]);
        expect(surfaces.length, label('opaque colours of the surface')).to.be.at.least(1);
        const inputs = surfaces.map((surface) => [...surface, styles('[part=input]').backgroundColor]);
        const field = getComputedStyle(form.labelled('First name'));
        const expectReadable = (selector: string, grounds = surfaces): void => {
          expect(contrast(styles(selector).color, grounds), label(selector)).to.be.at.least(4.5);
        };
        for (const selector of ['h2', 'em', 'p', '[slot=note]', 'small', '[part=label]', '[part=problem]'])
          expectReadable(selector);
        expectReadable('[part=input]', inputs);
        expectReadable(
          '[part=button-text]',
          opaqueColors(styles('[part=button]')).map((color) => [color]),
        );
        const placeholder = getComputedStyle(form.labelled('First name'), '::placeholder').color;
        expect(contrast(placeholder, inputs), label('placeholder')).to.be.at.least(4.5);
        expect(contrast(field.borderBottomColor, surfaces), label('line on the surface')).to.be.at.least(3);
        expect(contrast(field.borderBottomColor, inputs), label('line on the field')).to.be.at.least(3);
        form.element.remove();
      }
    });

    it(`${theme}: every rule matches an element, and the heading depends on the width of the form`, async () => {
      sheet = await addTheme(theme);
      const selectors = selectorsOf(sheet.sheet?.cssRules);
      const found = new Set<string>();
      const sizes: number[] = [];
      const leads: number[] = [];
      for (const width of [300, 400, 600]) {
        for (const [layout, content] of [
          ['joined', head],
          ['card', head + fields + note],
          ['dialog', head],
        ] as const) {
          const form = await mountAt(new Mailbox(), content, `layout="${layout}" style="inline-size: ${width}px"`);
          const look = (): void => {
            for (const selector of selectors) {
              // A selector of the element and a part, without the state of the part.
              const [, own = '', part] = /^(.*?)(?:::part\(([^)]+)\).*|::after)?$/.exec(selector) ?? [];
              const element = document.querySelector(own);
              if (part ? element?.shadowRoot?.querySelector(`[part~=${part}]`) : element) found.add(selector);
            }
          };
          await form.element.open();
          await form.submit('error');
          look();
          if (layout === 'card') {
            const [title, lead] = form.element.querySelectorAll('[slot=head]');
            if (!title || !lead) throw new Error('The head is gone.');
            sizes.push(parseFloat(getComputedStyle(title).fontSize));
            leads.push(parseFloat(getComputedStyle(lead).fontSize));
          } else {
            await form.signUp('success', 'ada@gmail.com');
            look();
          }
          form.element.remove();
        }
      }
      expect(selectors.filter((selector) => !found.has(selector))).to.deep.equal([]);
      expect(sizes)
        .to.deep.equal(sizes.toSorted((a, b) => a - b))
        .and.to.satisfy(([narrow, , wide]: number[]) => Number(narrow) < Number(wide));
      expect(leads).to.deep.equal([16, 16, 18]);
    });
  }
});
