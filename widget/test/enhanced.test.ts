import { expect, fixture } from '@open-wc/testing';
import { readSubmission } from '@newsletter-kit/core/endpoint';
import { consentOf } from '@newsletter-kit/core/facts';
import { formToObject } from '@newsletter-kit/core/signup';
import type { NewsletterSignup } from '../src/index.ts';
import { accessible, Form, isChromium, laterPost, Mailbox, mountAround } from './harness.ts';
import { waitUntil } from '../../test/support/waits.ts';

const email = '<label for="mail">Email</label> <input id="mail" type="email" name="email" required>';

describe('the page’s own form', () => {
  it('is sent to its action, as JSON with its own values', async () => {
    const form = await mountAround(new Mailbox(), `${email}<button>Join</button>`);
    form.email.value = 'ada@example.com';
    await form.pressButton('success');
    const [request] = await form.mailbox.received();
    expect(request?.headers['content-type']).to.equal('application/json');
    expect(await form.mailbox.body()).to.deep.equal({ email: 'ada@example.com' });
  });

  it('keeps the values that were typed before the script ran', async () => {
    const holder = await fixture('<div></div>');
    holder.innerHTML = `<not-yet><form>${email}<button>Join</button></form></not-yet>`;
    const typed = holder.querySelector('input');
    if (typed) typed.value = 'ada@example.com';
    const signup = document.createElement('newsletter-signup');
    signup.append(...(holder.querySelector('not-yet')?.childNodes ?? []));
    holder.replaceChildren(signup);
    const form = new Form(signup);
    await form.settled();
    expect(form.email).to.equal(typed);
    expect(form.email.value).to.equal('ada@example.com');
  });

  it('is validated by the element without the browser’s messages, and restored when it leaves', async () => {
    const form = await mountAround(new Mailbox(), `${email}<button>Join</button>`);
    const own = form.find<HTMLFormElement>('form');
    const before = '<form method="post"';
    // A framework that compares the page with its own markup finds no other attribute.
    expect(own.noValidate).to.equal(false);
    await form.pressButton('error');
    expect(own.noValidate).to.equal(true);
    expect(form.root.querySelectorAll('[part=problem]')).to.have.lengthOf(1);
    form.element.remove();
    expect(own.noValidate).to.equal(false);
    expect(own.outerHTML).to.contain(before);
    expect(own.innerHTML).to.equal(`${email.replace('required', 'required=""')}<button>Join</button>`);
  });

  (isChromium ? it : it.skip)('shows no validation message of the browser if the page has novalidate', async () => {
    const form = await mountAround(new Mailbox(), `${email}<button>Join</button>`);
    const own = form.find<HTMLFormElement>('form');
    form.element.remove();
    own.noValidate = true;
    const other = document.createElement('newsletter-signup');
    const holder = await fixture('<div></div>');
    other.append(own);
    holder.append(other);
    await other.updateComplete;
    other.remove();
    expect(own.noValidate).to.equal(true);
  });

  (isChromium ? it : it.skip)('shows an error message at the control, in addition to the page’s own hint', async () => {
    const form = await mountAround(
      new Mailbox(),
      `${email.replace('required', 'required aria-describedby="hint"')}<p id="hint">We never share it.</p><button>Join</button>`,
    );
    await form.pressButton('error');
    expect(form.description(form.email)).to.equal('Enter an email address like name@example.com. We never share it.');
    expect(await accessible('textbox', 'Email')).to.deep.include({
      invalid: 'true',
      focused: true,
      description: 'Enter an email address like name@example.com. We never share it.',
    });
    await form.typeAndEnter();
    await form.reaches('success');
    expect(form.email.getAttribute('aria-describedby')).to.equal('hint');
  });

  it('shows an error message below the label of its control, with the text of the label', async () => {
    const form = await mountAround(
      new Mailbox(),
      `${email}<label>First name <small>as friends say it</small> <input name="custom_fields[First name]" required></label>
       <label>City * <input name="custom_fields[City]" required></label><input name="custom_fields[Team]" placeholder="Your team" required><button>Join</button>`,
    );
    await form.signUp('error');
    const sentences = Array.from(
      form.root.querySelectorAll('[part=problem]'),
      ({ textContent, previousElementSibling }) => [textContent, previousElementSibling?.localName],
    );
    expect(sentences).to.deep.equal([
      ['First name is needed.', 'label'],
      ['City is needed.', 'label'],
      ['Your team is needed.', 'input'],
    ]);
  });

  it('sends hidden fields, and uses their attribution if the tag has none', async () => {
    const form = await mountAround(
      new Mailbox(),
      `${email}<input type="hidden" name="utm_source" value="page"><input type="hidden" name="utm_medium" value="form"><input type="hidden" name="utm_term" value="">
       <input type="hidden" name="form_id" value="7"><input type="hidden" name="custom_fields[Score]" data-kind="integer" value="42"><button>Join</button>`,
      'utm-medium="tag"',
    );
    await form.signUp();
    expect(await form.mailbox.body()).to.deep.equal({
      email: 'ada@example.com',
      form_id: '7',
      utm_source: 'page',
      utm_medium: 'tag',
      custom_fields: [{ name: 'Score', value: 42 }],
    });
  });

  it('derives the kind of a value from the type of its input', async () => {
    const form = await mountAround(
      new Mailbox(),
      `${email}<input type="number" step="any" name="custom_fields[Weight]" value="3.5"><input type="date" name="custom_fields[Day]" value="2026-03-01">
       <input type="datetime-local" name="custom_fields[Time]" value="2026-07-01T18:30"><input type="checkbox" name="custom_fields[Vegan]">
       <input type="checkbox" name="custom_fields[Plan]" value="pro" checked><textarea name="custom_fields[Note]">Hello</textarea>
       <select name="custom_fields[Rhythm]"><option>Daily<option selected>Weekly</select>
       <select multiple name="custom_fields[Topics][]"><option selected>AI, ML<option selected>Design<option>Code</select>
       <input name="custom_fields[Off]" value="x" disabled><input type="checkbox" name="custom_fields[Gone]" disabled><button>Join</button>`,
    );
    await form.signUp();
    expect((await form.mailbox.body())['custom_fields']).to.deep.equal([
      { name: 'Weight', value: 3.5 },
      { name: 'Day', value: '2026-03-01' },
      { name: 'Time', value: '2026-07-01T16:30:00Z' },
      { name: 'Vegan', value: false },
      { name: 'Plan', value: 'pro' },
      { name: 'Note', value: 'Hello' },
      { name: 'Rhythm', value: 'Weekly' },
      { name: 'Topics', value: ['AI, ML', 'Design'] },
    ]);
  });

  it('sends the sentence of a consent: the value, or the label', async () => {
    for (const box of [
      '<label>I agree to <a href="/privacy">the rules</a>. <input type="checkbox" name="consent" required></label>',
      '<input type="checkbox" name="consent" value="I agree to the rules." required>',
    ]) {
      const form = await mountAround(new Mailbox(), `${email}${box}<button>Join</button>`);
      await form.signUp('error');
      expect(form.description(form.find('[name=consent]'))).to.equal('Tick this box to go on.');
      form.find('[name=consent]').click();
      await form.pressButton('success');
      expect((await form.mailbox.body())['consent']).to.equal('I agree to the rules.');
    }
  });

  it('sends a consent in which an endpoint finds the sentence of the label, named as text or as HTML', async () => {
    for (const label of [
      'I agree to <a href="/privacy">the rules</a>.',
      'I agree&nbsp;to\n      the <b>rules</b>. *',
      'I agree to<br>the rules.',
    ]) {
      const box = `<label><input type="checkbox" name="consent"> ${label}</label>`;
      const form = await mountAround(new Mailbox(), `${email}${box}<button>Join</button>`);
      form.email.value = 'ada@example.com';
      form.find('[name=consent]').click();
      await form.pressButton('success');
      const { consent } = await form.mailbox.body();
      for (const named of [label, 'I agree to the rules.'])
        expect(consentOf(String(consent), [named]).given, `${String(consent)} ${named}`).to.equal(true);
    }
  });

  it('gets no control that the page does not have, and may have a honeypot of its own', async () => {
    const form = await mountAround(new Mailbox(), `${email}<input name="hp_field" id="own"><button>Join</button>`);
    const before = form.root.querySelectorAll('*').length;
    await form.type(form.email, 'ada@example.com');
    expect(form.root.querySelectorAll('*').length).to.equal(before);
  });

  it('keeps the validation of the element when the page renders it again', async () => {
    const form = await mountAround(new Mailbox(), `${email}<button>Join</button>`);
    const own = form.find<HTMLFormElement>('form');
    await form.type(form.email, 'ada');
    // As idiomorph does, with the page's own markup.
    own.removeAttribute('novalidate');
    await form.settled();
    await form.press('Enter');
    await form.reaches('error');
    expect(form.description(form.email)).to.equal('Enter an email address like name@example.com.');
    expect(own.noValidate).to.equal(true);
    form.element.remove();
    expect(own.noValidate).to.equal(false);
  });

  it('gets a disabled button while it is sent, whose text stays', async () => {
    const form = await mountAround(
      new Mailbox('held'),
      `${email}<button type="button">Info</button><button><b>Join</b></button>`,
    );
    form.email.value = 'ada@example.com';
    const join = form.find('form button:last-of-type');
    join.focus();
    join.click();
    await form.reaches('busy');
    expect(join.getAttribute('aria-disabled')).to.equal('true');
    expect(form.button.hasAttribute('aria-disabled')).to.equal(false);
    expect(join.innerHTML).to.equal('<b>Join</b>');
    await waitUntil('the notice says that the form is being sent', () =>
      expect(form.notice.textContent).to.equal('Sending…'),
    );
    expect(form.hasFocus(join)).to.equal(true);
    await form.mailbox.release();
    await form.reaches('success');
  });

  it('is not sent if a listener of the page cancels the submit event', async () => {
    const form = await mountAround(new Mailbox(), `${email}<button>Join</button>`);
    form.find('form').addEventListener('submit', (event) => event.preventDefault(), { capture: true });
    form.email.value = 'ada@example.com';
    form.button.click();
    await laterPost();
    expect(form.element.state).to.equal('idle');
    expect(await form.mailbox.received()).to.deep.equal([]);
  });

  it('can be added later, replaced and removed; then the element renders its own form', async () => {
    const mailbox = new Mailbox();
    const form = new Form(
      await fixture<NewsletterSignup>(`<newsletter-signup endpoint="${mailbox.endpoint}"></newsletter-signup>`),
    );
    expect(form.isOurs).to.equal(true);
    form.element.innerHTML = '<form></form>';
    await form.settled();
    expect(form.shadow.querySelector('form')).not.to.equal(null);
    form.find('form').innerHTML = `${email}<button>First</button>`;
    await form.settled();
    expect(form.shadow.querySelector('form')).to.equal(null);
    expect(form.email.checkVisibility()).to.equal(true);
    await form.pressButton('error');
    form.element.innerHTML = `<form>${email}<button>Second</button></form>`;
    await form.settled();
    await form.signUp();
    expect(await mailbox.bodies()).to.deep.equal([{ email: 'ada@example.com' }]);
    form.element.reset();
    form.element.replaceChildren();
    await form.settled();
    expect(form.isOurs).to.equal(true);
    await form.signUp('success', 'bob@example.com');
    expect(await mailbox.received()).to.have.lengthOf(2);
  });

  it('has a live region beside it, empty at first', async () => {
    const form = await mountAround(new Mailbox('broken'), `${email}<button>Join</button>`);
    expect(form.notice.textContent).to.equal('');
    expect(form.notice.getAttribute('role')).to.equal('status');
    const { notice } = form;
    await form.signUp('error');
    expect(form.notice).to.equal(notice);
    expect(notice.textContent).to.contain('This does not work right now.');
  });

  it('posts the same values without JavaScript as with it', async () => {
    const fields = `<input name="custom_fields[City]" value="Köln"><select multiple name="custom_fields[Topics][]"><option selected>AI<option selected>Code</select>`;
    const form = await mountAround(new Mailbox(), `${email}${fields}<button>Join</button>`);
    form.email.value = 'ada@example.com';
    const plain = readSubmission(
      formToObject(
        Array.from(new FormData(form.find<HTMLFormElement>('form')), ([name, value]) => [name, String(value)] as const),
      ),
    );
    await form.pressButton('success');
    expect(readSubmission(await form.mailbox.body())).to.deep.equal(plain);
  });
});
