import { expect } from '@open-wc/testing';
import { laterPost, Mailbox, mountAt, type Form } from './harness.ts';
import { inBothModes } from './modes.ts';
import { waitFor, waitUntil } from '../../test/support/waits.ts';

/** Waits until the time is over. */
const isOver = (form: Form): Promise<void> =>
  waitUntil('the wait has ended', () => !form.button.hasAttribute('aria-disabled'));

/**
 * Signs up at an endpoint that never gives its first answer, and waits for the timeout. On a busy machine the timeout
 * can end before the request arrives: then the form is sent `again`.
 */
async function meetsSilence(form: Form, again: () => void): Promise<void> {
  form.element.timeout = 1;
  await form.typeAndEnter();
  await form.reaches('error');
  while ((await form.mailbox.received()).length === 0) {
    const failed = form.nextEvent('newsletter-error');
    again();
    await failed;
  }
  form.element.timeout = 20;
}

/** Overrides whether the page is online. */
function goes(state: 'online' | 'offline'): void {
  Object.defineProperty(navigator, 'onLine', { configurable: true, value: state === 'online' });
  dispatchEvent(new Event(state));
}

inBothModes('an endpoint that answers with Retry-After', () => {
  it('gets no request while the form counts down, and screen readers announce the beginning and the end', async () => {
    const form = await mountAt(new Mailbox('limitedForThree', 'accepted'));
    const notices = form.recordNotices();
    // Pressed again immediately: a second later the notice changes.
    const pressedAgain = form.nextEvent('newsletter-error').then(async () => {
      await form.settled();
      expect(form.button.getAttribute('aria-disabled')).to.equal('true');
      form.button.click();
    });
    await form.typeAndEnter();
    await pressedAgain;
    await isOver(form);
    const sentences = ['now', 'in 1 second', 'in 2 seconds', 'in 3 seconds'].map(
      (when) => `Too many signups. Please try again ${when}.`,
    );
    const seconds = [...new Set(notices.map(({ text }) => text))].map((text) => sentences.indexOf(text));
    // A busy browser can miss a second of the countdown.
    expect(seconds.join(' '), notices.map(({ text }) => text).join(' ')).to.match(/^-1 3 (2 1|2|1) 0$/);
    const spoken = [...new Set(notices.filter(({ isLive }) => isLive).map(({ text }) => text))];
    expect(spoken).to.have.members(['Sending…', sentences[3], sentences[0]]);
    expect(form.notice.ariaLive).not.to.equal('off');
    expect(await form.mailbox.received()).to.have.lengthOf(1);
    await form.pressButton('success');
    expect(await form.mailbox.received()).to.have.lengthOf(2);
  });

  it('causes a wait in minutes if it is long, and values can be changed meanwhile', async () => {
    const form = await mountAt(new Mailbox('limitedForLong'));
    await form.typeAndEnter();
    await form.reaches('error');
    expect(form.notice.textContent).to.equal('Too many signups. Please try again in 10 minutes.');
    await form.type(form.email, '.org');
    expect(form.email.value).to.equal('ada@example.com.org');
    expect(form.button.getAttribute('aria-disabled')).to.equal('true');
  });

  it('gets no request from a form that was removed and inserted again either', async () => {
    const form = await mountAt(new Mailbox('limitedForThree', 'accepted'));
    await form.typeAndEnter();
    await form.reaches('error');
    const { parentElement } = form.element;
    form.element.remove();
    parentElement?.append(form.element);
    await form.settled();
    expect(form.button.getAttribute('aria-disabled')).to.equal('true');
    await isOver(form);
    expect(form.email.value).to.equal('ada@example.com');
  });
});

inBothModes('a device that is offline', () => {
  afterEach(() => {
    goes('online');
    Reflect.deleteProperty(navigator, 'onLine');
  });

  const promise = 'You are offline. This will be sent once you are back.';
  const { fetch } = globalThis;
  afterEach(() => {
    globalThis.fetch = fetch;
  });

  /** Signs up while the browser says that it is offline, and while the first requests reach no network. */
  async function offline(failures: number, ...answers: readonly string[]): Promise<Form> {
    const form = await mountAt(new Mailbox(...answers));
    goes('offline');
    let left = failures;
    globalThis.fetch = (input, init) =>
      input === form.mailbox.endpoint && left-- > 0 ? Promise.reject(new TypeError('No network.')) : fetch(input, init);
    await form.typeAndEnter();
    return form;
  }

  it('by the browser’s word alone sends the form as any other', async () => {
    const form = await offline(0);
    await form.reaches('success');
    expect(await form.mailbox.bodies()).to.deep.equal([{ email: 'ada@example.com' }]);
  });

  it('causes a message, keeps the values, and a timer sends the form, whatever the browser says', async () => {
    const form = await offline(2);
    await form.reaches('error');
    expect(form.notice.textContent).to.equal(promise);
    expect(form.email.value).to.equal('ada@example.com');
    await form.reaches('success');
    expect(await form.mailbox.bodies()).to.deep.equal([{ email: 'ada@example.com' }]);
  });

  it('sends nothing automatically once a value was changed', async () => {
    const form = await offline(1);
    await form.reaches('error');
    await form.press('Backspace');
    await form.reaches('idle');
    expect(form.notice.textContent).to.equal('');
    goes('online');
    await laterPost();
    expect(form.element.state).to.equal('idle');
    expect(await form.mailbox.received()).to.deep.equal([]);
  });

  it('is promised until the endpoint answers, under one key: not to a page of the network, nor to a redirect', async () => {
    const form = await offline(1, 'page', 'redirect', 'accepted');
    await form.reaches('error');
    const failures: string[] = [];
    form.element.addEventListener('newsletter-error', ({ kind }) => failures.push(kind));
    goes('online');
    await waitUntil('the page has answered', async () => (await form.mailbox.received()).length > 1);
    expect(form.notice.textContent).to.equal(promise);
    await form.reaches('success');
    const keys = await form.mailbox.keys();
    expect([keys.length, new Set(keys).size, ...failures]).to.deep.equal([3, 1]);
  });

  it('ends the promise with an answer of the endpoint', async () => {
    const form = await offline(1, 'page', 'refused');
    await form.reaches('error');
    const refused = form.nextEvent('newsletter-error');
    goes('online');
    expect(await refused).to.include({ kind: 'refused' });
    await form.settled();
    expect(form.notice.textContent).to.equal('We know no field "Shoe size".');
  });

  it('can be sent again by hand, and by reset() not at all', async () => {
    const form = await offline(Infinity);
    await form.reaches('error');
    const again = form.nextEvent('newsletter-error');
    form.button.click();
    expect(await again).to.include({ kind: 'offline', status: 0 });
    form.element.reset();
    await form.reaches('idle');
    globalThis.fetch = fetch;
    goes('online');
    await laterPost();
    expect(await form.mailbox.received()).to.deep.equal([]);
  });

  it('sends what it promised from a form that was removed, and tells the document', async () => {
    const form = await offline(1);
    await form.reaches('error');
    form.element.remove();
    const told = new Promise((resolve) => document.addEventListener('newsletter-success', resolve, { once: true }));
    goes('online');
    await waitFor('the document hears of the success', told);
    expect(await form.mailbox.received()).to.have.lengthOf(1);
  });

  it('reports invalid values first', async () => {
    const form = await mountAt(new Mailbox());
    goes('offline');
    await form.pressButton('error');
    expect(form.description(form.email)).to.contain('Enter an email address');
  });
});

inBothModes('an endpoint that does not answer in time', () => {
  it('causes an error message, and the next attempt has the same key', async () => {
    const form = await mountAt(new Mailbox('silence', 'accepted'));
    await meetsSilence(form, () => form.element.submit());
    expect(form.notice.textContent).to.equal('We could not be reached. Please check your connection and try again.');
    expect(form.email.value).to.equal('ada@example.com');
    await form.submit('success');
    const keys = await form.mailbox.keys();
    expect(keys).to.have.lengthOf(2);
    expect(keys[1]).to.equal(keys[0]);
  });

  it('or never ends its answer, is not waited for', async () => {
    const form = await mountAt(new Mailbox('endless'), '', 'timeout="2"');
    await form.typeAndEnter();
    await form.reaches('error');
    expect(form.notice.textContent).to.equal('Not accepted. Please check what you entered.');
  });

  for (const timeout of ['0', '-5', 'soon', 'Infinity', 'NaN']) {
    it(`is waited for by default for timeout="${timeout}", with a warning`, async () => {
      const form = await mountAt(new Mailbox('slow'), '', `timeout="${timeout}"`);
      const warned = form.nextEvent('newsletter-warning');
      await form.typeAndEnter();
      expect(await warned).to.include({ reason: 'attribute', message: 'timeout is no number: takes 20.' });
      await form.reaches('success');
    });
  }
});
