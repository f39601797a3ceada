/** `layout="dialog"`: opening, closing, and the focus. */
import { expect } from '@open-wc/testing';
import { sendKeys, sendMouse, setViewport } from '@web/test-runner-commands';
import { becomes, dialogIn, here, isOpen } from './dialogs.ts';
import { accessible, isChromium, Mailbox, mountAt, type Form } from './harness.ts';
import { waitUntil } from '../../test/support/waits.ts';

async function mountDialog(mailbox = new Mailbox(), attributes = ''): Promise<Form> {
  const form = await mountAt(mailbox, '<button slot="trigger">Subscribe</button>', `layout="dialog" ${attributes}`);
  await here(form);
  return form;
}

const trigger = ({ element }: Form): HTMLButtonElement => {
  const found = element.querySelector<HTMLButtonElement>('[slot=trigger]');
  if (!found) throw new Error('There is no trigger.');
  return found;
};

describe('layout="dialog"', () => {
  it('shows only its trigger until it is opened', async () => {
    const form = await mountDialog();
    expect(trigger(form).checkVisibility()).to.equal(true);
    expect(form.email.checkVisibility()).to.equal(false);
  });

  it('opens by keyboard with the focus in the first field, traps the focus, and restores it', async () => {
    const form = await mountDialog();
    trigger(form).focus();
    await sendKeys({ press: 'Enter' });
    await becomes(form, true);
    expect(form.hasFocus(form.email)).to.equal(true);
    await sendKeys({ press: 'Tab' });
    expect(form.hasFocus(form.find('[part=button]'))).to.equal(true);
    await sendKeys({ press: 'Tab' });
    expect(form.hasFocus(form.find('[part=close]'))).to.equal(true);
    await sendKeys({ press: 'Escape' });
    await becomes(form, false);
    await waitUntil('the focus has come back', () => document.activeElement === trigger(form));
  });

  it('closes by its ×, which has an accessible name', async () => {
    const form = await mountDialog();
    trigger(form).click();
    await becomes(form, true);
    const close = form.find('[part=close]');
    expect(close.getAttribute('aria-label')).to.equal('Close');
    expect(Math.min(close.offsetWidth, close.offsetHeight)).to.be.at.least(44);
    // It is in the corner: it must not cover a field.
    expect(close.getBoundingClientRect().bottom).to.be.at.most(form.email.getBoundingClientRect().top);
    close.focus();
    await sendKeys({ type: ' ' });
    await becomes(form, false);
  });

  it('closes by a press on the backdrop, and not when a selection ends there', async () => {
    const form = await mountDialog();
    trigger(form).click();
    await becomes(form, true);
    const { left, top, width, height } = form.email.getBoundingClientRect();
    await sendMouse({ type: 'move', position: [Math.round(left + width / 2), Math.round(top + height / 2)] });
    await sendMouse({ type: 'down' });
    await sendMouse({ type: 'move', position: [2, 2] });
    await sendMouse({ type: 'up' });
    expect(isOpen(form)).to.equal(true);
    await sendMouse({ type: 'click', position: [2, 2] });
    await becomes(form, false);
  });

  (isChromium ? it : it.skip)('is named by its head, or else by what the button says', async () => {
    const form = await mountDialog();
    await form.element.open();
    expect(await accessible('dialog', 'Subscribe')).not.to.equal(undefined);
    form.element.insertAdjacentHTML('beforeend', '<h2 slot="head">Letters</h2>');
    await form.settled();
    expect(await accessible('dialog', 'Letters')).not.to.equal(undefined);
  });

  it('shows the thanks inside the dialog, with the focus', async () => {
    const form = await mountDialog(new Mailbox());
    await form.element.open();
    await form.typeAndEnter();
    await form.reaches('success');
    expect(isOpen(form)).to.equal(true);
    expect(form.notice.checkVisibility()).to.equal(true);
    expect(form.hasFocus(form.find('[part=thanks]'))).to.equal(true);
    expect(await form.mailbox.body()).to.deep.equal({ email: 'ada@example.com' });
    form.element.close();
    await becomes(form, false);
  });

  it('keeps typed values when it is closed and opened again', async () => {
    const form = await mountDialog();
    await form.element.open();
    await form.type(form.email, 'ada@');
    await form.press('Escape');
    await becomes(form, false);
    await form.element.open();
    expect(form.email.value).to.equal('ada@');
  });

  it('contains a form of the page’s own too', async () => {
    const form = await mountAt(
      new Mailbox(),
      '<button slot="trigger">Join</button><form><label>E-mail <input name="email" type="email" /></label><button>Go</button></form>',
      'layout="dialog"',
    );
    await here(form);
    const owners = form.element.querySelector<HTMLInputElement>('[name=email]');
    expect(owners?.checkVisibility()).to.equal(false);
    await form.element.open();
    expect(owners?.checkVisibility()).to.equal(true);
    if (owners) owners.value = 'ada@example.com';
    await form.submit('success');
    expect(await form.mailbox.body()).to.deep.equal({ email: 'ada@example.com' });
  });

  it('opens once its file is loaded if open() is called before, and not in other layouts', async () => {
    const element = document.createElement('newsletter-signup');
    element.layout = 'dialog';
    document.body.append(element);
    await element.open();
    expect(element.shadowRoot?.querySelector('dialog')?.matches(':modal')).to.equal(true);
    element.layout = 'card';
    await element.updateComplete;
    await element.open();
    expect(element.shadowRoot?.querySelector('dialog')).to.equal(null);
    expect(element.hasAttribute('open')).to.equal(false);
    element.remove();
  });

  it('opens once its file is loaded if a trigger is pressed before', async () => {
    for (const selector of ['[slot=trigger]', '[data-newsletter-open]']) {
      const page = document.createElement('div');
      page.innerHTML =
        '<newsletter-signup id="letters" layout="dialog"><button slot="trigger">Subscribe</button></newsletter-signup><button data-newsletter-open="letters">Newsletter</button>';
      document.body.append(page);
      const element = page.querySelector('newsletter-signup');
      page.querySelector<HTMLElement>(selector)?.click();
      expect(element?.shadowRoot?.querySelector('dialog') ?? null).to.equal(null);
      await waitUntil(
        `a press of ${selector} opens the dialog`,
        () => element?.shadowRoot?.querySelector('dialog:modal') ?? null,
      );
      page.remove();
    }
  });

  it('stays closed if its file is loaded after the element was removed from the page', async () => {
    const element = document.createElement('newsletter-signup');
    element.layout = 'dialog';
    document.body.append(element);
    const opened = element.open();
    await element.updateComplete;
    element.remove();
    await opened;
    expect(element.hasAttribute('open')).to.equal(false);
  });

  it('closes when the element is removed from the page', async () => {
    const form = await mountDialog();
    await form.element.open();
    form.element.remove();
    await form.settled();
    expect(document.querySelector(':modal')).to.equal(null);
    document.body.append(form.element);
    await form.settled();
    expect(form.element.hasAttribute('open')).to.equal(false);
    await form.element.open();
    expect(isOpen(form)).to.equal(true);
    form.element.remove();
  });

  (isChromium ? it : it.skip)('fits a small window, and scrolls inside', async () => {
    await setViewport({ width: 320, height: 420 });
    const fields = Array.from(
      { length: 8 },
      (_, position) => `<newsletter-field name="Field ${position}"></newsletter-field>`,
    ).join('');
    const form = await mountAt(new Mailbox(), fields, 'layout="dialog"');
    await form.element.open();
    const { left, top, right, bottom } = dialogIn(form).getBoundingClientRect();
    expect(Math.min(left, top)).to.be.at.least(0);
    expect([right <= innerWidth, bottom <= innerHeight]).to.deep.equal([true, true]);
    const surface = form.find('[part=surface]');
    expect(surface.scrollHeight).to.be.greaterThan(surface.clientHeight);
    expect(form.hasFocus(form.email)).to.equal(true);
    expect(surface.scrollWidth).to.equal(surface.clientWidth);
    form.element.close();
    await setViewport({ width: 800, height: 600 });
  });
});
