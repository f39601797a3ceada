import { expect, fixture } from '@open-wc/testing';
import { emulateMedia } from '@web/test-runner-commands';
import { layouts } from '../src/template.ts';
import { waitUntil } from '../../test/support/waits.ts';
import { Form, isChromium, Mailbox, mountAt } from './harness.ts';

const box = (element: Element): DOMRect => element.getBoundingClientRect();
const onOneLine = (form: Form): boolean => Math.abs(box(form.email).bottom - box(form.button).bottom) < 1;

/** A form in a container of this width. */
async function mountIn(width: number, attributes = '', fields = '', mailbox = new Mailbox()): Promise<Form> {
  const form = await mountAt(mailbox, fields, `style="inline-size: ${width}px" ${attributes}`);
  await form.settled();
  return form;
}

describe('layouts', () => {
  it('inline: email address and button are on one line if the form is wide enough, whatever the window', async () => {
    expect(onOneLine(await mountIn(480))).to.equal(true);
    const narrow = await mountIn(320);
    expect(onOneLine(narrow)).to.equal(false);
    expect(box(narrow.button).width).to.equal(320);
  });

  for (const layout of ['inline', 'joined'])
    it(`${layout}: a word of the button is broken only where it is longer than the line`, async () => {
      const mountLarge = async (width: number, word: string): Promise<Form> => {
        const form = await mountIn(width, `layout="${layout}" text-button="${word}"`);
        Object.assign(form.element.style, { fontSize: '24px', letterSpacing: '0.1em', lineHeight: '30px' });
        return form;
      };
      for (const width of [480, 400, 320, 240])
        expect(box((await mountLarge(width, 'Abonnieren')).find('[part=button-text]')).height).to.be.lessThan(50);
      const long = await mountLarge(240, 'Rindfleischetikettierungsüberwachung');
      expect(box(long.button).right).to.be.at.most(box(long.element).right);
    });

  it('inline: the button keeps its size while its text changes, and its dots rest where motion is reduced', async () => {
    const form = await mountIn(640, '', '', new Mailbox('held'));
    const { width, height } = box(form.button);
    form.email.value = 'ada@example.com';
    form.button.click();
    const animation = (): string => getComputedStyle(form.button, '::after').animationName;
    await waitUntil('the button shows dots', () => animation() === 'fade');
    expect([box(form.button).width, box(form.button).height]).to.deep.equal([width, height]);
    if (isChromium) {
      await emulateMedia({ reducedMotion: 'reduce' });
      expect(animation()).to.equal('none');
      await emulateMedia({ reducedMotion: 'no-preference' });
    }
    await form.mailbox.release();
  });

  for (const layout of ['stacked', 'card'] as const) {
    it(`${layout}: the parts are below each other at any width`, async () => {
      for (const width of [320, 768]) {
        const form = await mountIn(width, `layout="${layout}"`);
        expect(box(form.button).top).to.be.greaterThan(box(form.email).bottom);
        expect(box(form.button).width).to.equal(box(form.email).width);
        expect(box(form.find('[part=surface]')).width).to.equal(Math.min(width, 480));
      }
    });
  }

  for (const layout of layouts.filter((each) => each !== 'dialog')) {
    it(`${layout}: --newsletter-muted is the colour of small print and placeholders`, async () => {
      const form = await mountIn(
        640,
        `layout="${layout}" text-email-placeholder="ada@example.com"`,
        '<p slot="note">Free.</p>',
      );
      form.element.style.setProperty('--newsletter-muted', 'rgb(1, 2, 3)');
      await form.settled();
      // WebKit does not expose the style of a placeholder.
      if (isChromium || navigator.userAgent.includes('Firefox'))
        expect(getComputedStyle(form.email, '::placeholder').color).to.equal('rgb(1, 2, 3)');
      expect(getComputedStyle(form.find('[slot=note]')).color).to.equal('rgb(1, 2, 3)');
    });
  }

  it('joined: one frame contains email address and button; further fields are below each other', async () => {
    const frame = (form: Form): string => getComputedStyle(form.find('form')).borderTopWidth;
    const joined = await mountIn(480, 'layout="joined"');
    expect(frame(joined)).to.equal('1px');
    expect(onOneLine(joined)).to.equal(true);
    expect(joined.find('label').getBoundingClientRect().height).to.be.greaterThan(0);
    const withField = await mountIn(480, 'layout="joined"', '<newsletter-field name="City"></newsletter-field>');
    expect(frame(withField)).to.equal('0px');
    expect(box(withField.button).top).to.be.greaterThan(box(withField.labelled('City')).bottom);
  });

  it('card: is on a surface of its own colour where one is set', async () => {
    const form = await mountIn(480, 'layout="card"');
    const surface = getComputedStyle(form.find('[part=surface]'));
    expect(surface.borderTopWidth).to.equal('1px');
    expect(parseFloat(surface.paddingInlineStart)).to.be.at.least(20);
    form.element.style.setProperty('--newsletter-surface', 'rgb(1, 2, 3)');
    expect(surface.backgroundColor).to.equal('rgb(1, 2, 3)');
  });

  it('has an intrinsic width in a flex row, and shrinks in a narrow one', async () => {
    for (const [width, least, most] of [
      [900, 280, 900],
      [240, 240, 240],
    ] as const) {
      const row = await fixture<HTMLElement>(
        `<div style="display: flex; inline-size: ${width}px"><newsletter-signup></newsletter-signup></div>`,
      );
      const element = row.querySelector('newsletter-signup');
      await element?.updateComplete;
      expect(element?.offsetWidth).to.be.within(least, most);
    }
  });

  it('has no ring of the page’s rules for :focus around it while somebody types', async () => {
    const sheet = document.createElement('style');
    sheet.textContent = ':focus, :focus-visible { outline: 3px solid red; box-shadow: 0 0 0 3px red }';
    document.head.append(sheet);
    const form = await mountIn(480);
    await form.type(form.email, 'a');
    const { outlineStyle, boxShadow } = getComputedStyle(form.element);
    sheet.remove();
    expect([outlineStyle, boxShadow]).to.deep.equal(['none', 'none']);
  });

  it('warns once of an unknown layout, and uses inline', async () => {
    const { warn } = console;
    const said: unknown[] = [];
    console.warn = (...words: unknown[]) => said.push(...words);
    const form = await mountIn(480, 'layout="sideways"');
    form.element.requestUpdate();
    await form.settled();
    console.warn = warn;
    expect(said).to.have.lengthOf(1);
    expect(said[0]).to.contain('layout="sideways"').and.to.contain('inline, joined, stacked, card, cover, dialog');
    expect(onOneLine(form)).to.equal(true);
  });

  it('can be set as a property at any time, and keeps typed values', async () => {
    const element = document.createElement('newsletter-signup');
    element.layout = 'card';
    document.body.append(element);
    await element.updateComplete;
    const form = new Form(element);
    expect(form.find('[part=surface]').className).to.equal('card');
    form.email.value = 'ada@';
    element.layout = 'inline';
    await element.updateComplete;
    expect(form.find('[part=surface]').className).to.equal('inline row');
    expect(form.email.value).to.equal('ada@');
    element.remove();
  });

  it('shows the slot head above the form, and above the page’s own form', async () => {
    for (const content of ['', '<form><input name="email" aria-label="E-mail" /><button>Go</button></form>']) {
      const form = await mountIn(480, 'layout="card"', `${content}<h2 slot="head">Letters</h2>`);
      const heading = form.element.querySelector('h2');
      const first = form.element.querySelector('input') ?? form.email;
      expect(heading && box(heading).bottom).to.be.lessThan(box(first).top);
      expect(heading && getComputedStyle(heading).marginBlockStart).to.equal('0px');
    }
  });

  for (const layout of ['inline', 'stacked', 'card'] as const) {
    it(`${layout}: nothing overflows at twice the text size, with words longer than the line`, async () => {
      document.documentElement.style.fontSize = '200%';
      const form = await mountIn(
        320,
        `layout="${layout}" text-button="Rindfleischetikettierung abonnieren"`,
        '<newsletter-field name="Straßenverkehrszulassungsordnungsnummer" kind="list" options="Fahrgastschifffahrtsverordnung"></newsletter-field>' +
          (layout === 'inline' ? '' : '<h2 slot="head">Donaudampfschifffahrtsgesellschaftskapitän</h2>'),
      );
      const surface = form.find('[part=surface]');
      const overflow = surface.scrollWidth - surface.clientWidth;
      document.documentElement.style.fontSize = '';
      expect(overflow).to.equal(0);
    });
  }
});
