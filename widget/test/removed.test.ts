/** A form that leaves the page while it is sent: the signup arrives, and the page is left alone. */
import { expect } from '@open-wc/testing';
import { Mailbox, mountAround, mountAt, type Form, nextTask } from './harness.ts';
import { inBothModes } from './modes.ts';
import { openPage } from './page.ts';
import { waitUntil } from '../../test/support/waits.ts';

/** Sends the form, removes it, and lets the endpoint answer. @returns the events that reached the document */
async function removeWhileSending(form: Form, remove: () => void): Promise<readonly string[]> {
  const { ownerDocument } = form.element;
  const heard: string[] = [];
  const hear = ({ type }: Event): void => void heard.push(type);
  for (const type of ['newsletter-success', 'newsletter-error']) ownerDocument.addEventListener(type, hear);
  try {
    form.email.value = 'ada@example.com';
    form.email.focus();
    await form.submit('busy');
    await waitUntil('the endpoint has the signup', async () => (await form.mailbox.received()).length > 0);
    remove();
    await form.mailbox.release();
    await waitUntil('the document has heard an event', () => heard.length > 0);
    await nextTask();
    return heard;
  } finally {
    for (const type of ['newsletter-success', 'newsletter-error']) ownerDocument.removeEventListener(type, hear);
  }
}

inBothModes('a form that was removed while it was sent', () => {
  it('tells the document of its success, and moves no focus', async () => {
    const form = await mountAt(new Mailbox('held'));
    const other = document.body.appendChild(document.createElement('input'));
    const heard = await removeWhileSending(form, () => {
      form.element.remove();
      other.focus();
    });
    expect(heard).to.deep.equal(['newsletter-success']);
    expect(await form.mailbox.bodies()).to.deep.equal([{ email: 'ada@example.com' }]);
    expect(document.activeElement).to.equal(other);
    other.remove();
  });

  it('tells the document of its failure', async () => {
    const form = await mountAt(new Mailbox('heldDrop', 'drop'));
    expect(await removeWhileSending(form, () => form.element.remove())).to.deep.equal(['newsletter-error']);
    expect(form.email.value).to.equal('ada@example.com');
  });
});

describe('a form of the page that leaves the tag while it is sent', () => {
  it('keeps its values and its focus', async () => {
    const form = await mountAround(new Mailbox('held'), '<input name="email"><button>Go</button>');
    const own = form.find<HTMLFormElement>('form');
    const field = form.email;
    const heard = await removeWhileSending(form, () => form.element.after(own));
    expect(heard).to.deep.equal(['newsletter-success']);
    expect(field.value).to.equal('ada@example.com');
    own.remove();
  });
});

describe('a form that was removed while it was sent', () => {
  it('does not open the page of `redirect`', async () => {
    const { window, form } = await openPage('/widget/test/pages/landing.html', new Mailbox('held'));
    form.element.setAttribute('redirect', 'modules.html');
    const heard = await removeWhileSending(form, () => form.element.remove());
    expect(heard).to.deep.equal(['newsletter-success']);
    expect(window.location.pathname).to.equal('/widget/test/pages/landing.html');
  });
});
