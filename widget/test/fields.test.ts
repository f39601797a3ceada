import { expect } from '@open-wc/testing';
import fc from 'fast-check';
import { readSubmission } from '@newsletter-kit/core/endpoint';
import { consentOf } from '@newsletter-kit/core/facts';
import { Mailbox, mountAround, mountAt, type Form } from './harness.ts';
import { inBothModes, itOurs } from './modes.ts';
import { readValues } from '../src/submission.ts';

/** Fills in the email address, submits, and returns the received custom fields. */
async function sent(form: Form): Promise<unknown> {
  await form.signUp();
  const body = await form.mailbox.body();
  expect(readSubmission(body)).to.deep.include({ ok: true });
  return body['custom_fields'];
}

interface Row {
  readonly kind: string;
  readonly typed: string;
  readonly value?: unknown;
  readonly problem?: string;
}

const whole = 'Enter a whole number, like 42.';
const number = 'Enter a number, like 3.5.';

const rows: readonly Row[] = [
  { kind: 'string', typed: ' Ada  Lovelace ', value: 'Ada  Lovelace' },
  { kind: 'string', typed: 'Zoë 👩‍💻 Ångström', value: 'Zoë 👩‍💻 Ångström' },
  { kind: 'string', typed: '<b>R&D</b>', value: '<b>R&D</b>' },
  { kind: 'string', typed: 'a\u202Eb', value: 'ab' },
  { kind: 'text', typed: 'an unknown kind is a string', value: 'an unknown kind is a string' },
  { kind: 'integer', typed: '42', value: 42 },
  { kind: 'integer', typed: '-7', value: -7 },
  { kind: 'integer', typed: '007', value: 7 },
  { kind: 'integer', typed: '3.5', problem: whole },
  { kind: 'integer', typed: '٤٢', value: 42 },
  { kind: 'integer', typed: 'many', problem: whole },
  { kind: 'integer', typed: '12345678901234567890', problem: whole },
  { kind: 'double', typed: '3.5', value: 3.5 },
  { kind: 'double', typed: '3,5', value: 3.5 },
  { kind: 'double', typed: '-0,125', value: -0.125 },
  { kind: 'double', typed: '42', value: 42 },
  { kind: 'double', typed: '1.234', problem: 'Enter a number, like 1234 / 1.2340.' },
  { kind: 'double', typed: '1.234,5', value: 1234.5 },
  { kind: 'double', typed: 'NaN', problem: number },
  { kind: 'double', typed: 'Infinity', problem: number },
  { kind: 'date', typed: '1912-06-23', value: '1912-06-23' },
  { kind: 'datetime', typed: '2026-07-01T18:30', value: '2026-07-01T16:30:00Z' },
  { kind: 'datetime', typed: '2026-12-01T18:30', value: '2026-12-01T17:30:00Z' },
  { kind: 'list', typed: 'AI, design ,, Café', value: ['AI', 'design', 'Café'] },
  { kind: 'list', typed: 'Rock, Pop | Jazz', value: ['Rock, Pop', 'Jazz'] },
  { kind: 'list', typed: 'شعر، قصة', value: ['شعر', 'قصة'] },
  { kind: 'list', typed: '詩、小説，随筆', value: ['詩', '小説', '随筆'] },
];

inBothModes('a field', () => {
  for (const { kind, typed, value, problem } of rows) {
    it(`of kind ${kind}: "${typed}" ${problem ? 'is invalid' : `is sent as ${JSON.stringify(value)}`}`, async () => {
      const form = await mountAt(new Mailbox(), `<newsletter-field name="Field" kind="${kind}"></newsletter-field>`);
      const control = form.labelled('Field');
      control.value = typed;
      if (problem === undefined) {
        expect(await sent(form)).to.deep.equal([{ name: 'Field', value }]);
        return;
      }
      await form.signUp('error');
      expect(form.description(control)).to.equal(problem);
      expect(form.hasFocus(control)).to.equal(true);
      expect(control.value).to.equal(typed);
      expect(await form.mailbox.received()).to.deep.equal([]);
    });
  }

  it('is left out if it is empty', async () => {
    const kinds = ['string', 'integer', 'double', 'date', 'datetime', 'list'];
    const form = await mountAt(
      new Mailbox(),
      kinds.map((kind) => `<newsletter-field name="${kind}" kind="${kind}"></newsletter-field>`).join(''),
    );
    expect(await sent(form)).to.equal(undefined);
  });

  it('of kind boolean is true if ticked, else false', async () => {
    const form = await mountAt(
      new Mailbox(),
      '<newsletter-field name="Vegetarian" kind="boolean"></newsletter-field><newsletter-field name="Vegan" kind="boolean"></newsletter-field>',
    );
    form.labelled('Vegan').click();
    expect(await sent(form)).to.deep.equal([
      { name: 'Vegetarian', value: false },
      { name: 'Vegan', value: true },
    ]);
  });

  it('with options is a group of checkboxes for a list', async () => {
    const form = await mountAt(
      new Mailbox(),
      '<newsletter-field name="Topics" kind="list" options="AI, Design, Code"></newsletter-field>',
    );
    if (form.isOurs) expect(form.find('legend').textContent?.trim()).to.equal('Topics (optional)');
    form.labelled('AI').click();
    form.labelled('Code').click();
    expect(await sent(form)).to.deep.equal([{ name: 'Topics', value: ['AI', 'Code'] }]);
  });

  it('keeps a comma that belongs to a choice', async () => {
    const form = await mountAt(
      new Mailbox(),
      '<newsletter-field name="Music" kind="list" options="Rock, Pop | Jazz"></newsletter-field>',
    );
    form.labelled('Rock, Pop').click();
    expect(await sent(form)).to.deep.equal([{ name: 'Music', value: ['Rock, Pop'] }]);
  });

  it('with options is a group of radio buttons for a string', async () => {
    const form = await mountAt(
      new Mailbox(),
      '<newsletter-field name="Rhythm" options="Daily, Weekly"></newsletter-field>',
    );
    form.labelled('Daily').click();
    form.labelled('Weekly').click();
    expect(await sent(form)).to.deep.equal([{ name: 'Rhythm', value: 'Weekly' }]);
  });

  for (const kind of ['colour', 'toString', '__proto__']) {
    it(`with options is a group of radio buttons for the unknown kind ${kind}`, async () => {
      const form = await mountAt(
        new Mailbox(),
        `<newsletter-field name="Rhythm" kind="${kind}" options="Daily, Weekly"></newsletter-field>`,
      );
      form.labelled('Weekly').click();
      expect(await sent(form)).to.deep.equal([{ name: 'Rhythm', value: 'Weekly' }]);
    });
  }

  it('that is required is marked, and the first missing one gets the focus', async () => {
    const form = await mountAt(
      new Mailbox(),
      `<newsletter-field name="First name"></newsletter-field>
       <newsletter-field name="Topics" kind="list" options="AI, Design" required></newsletter-field>
       <newsletter-field name="Terms" label="I agree" kind="boolean" required></newsletter-field>`,
    );
    await form.signUp('error');
    expect(form.description(form.find('fieldset'))).to.equal('Topics is needed.');
    expect(form.description(form.labelled('I agree'))).to.equal('Tick this box to go on.');
    expect(form.hasFocus(form.labelled('AI'))).to.equal(true);
    if (!form.isOurs) return;
    expect(form.find('label').textContent).not.to.contain('(optional)');
    expect(form.labelled('First name').labels?.[0]?.textContent).to.contain('(optional)');
  });

  it('of kind date is invalid if only a part of it was typed', async () => {
    const form = await mountAt(new Mailbox(), '<newsletter-field name="Birthday" kind="date"></newsletter-field>');
    form.email.value = 'ada@example.com';
    await form.type(form.labelled('Birthday'), '12');
    await form.submit('error');
    expect(form.description(form.labelled('Birthday'))).to.equal('Enter a valid date.');
    expect(await form.mailbox.received()).to.deep.equal([]);
  });

  for (const [kind, typed, earlier] of [
    ['date', '0501-12-09', '0500-01-01'],
    ['datetime', '0501-12-09T10:00', '0500-01-01T00:00'],
  ] as const) {
    itOurs(`of kind ${kind} is invalid in a year that nobody means, unless it has a min`, async () => {
      const form = await mountAt(new Mailbox(), `<newsletter-field name="Day" kind="${kind}"></newsletter-field>`);
      form.email.value = 'ada@example.com';
      form.labelled('Day').value = typed;
      await form.submit('error');
      expect(form.description(form.labelled('Day'))).to.equal('Enter a valid date.');
      expect(await form.mailbox.received()).to.deep.equal([]);
      form.find('newsletter-field').setAttribute('min', earlier);
      await form.settled();
      await form.submit('success');
    });
  }

  itOurs('shows its placeholder, and the keyboard its kind needs', async () => {
    const form = await mountAt(
      new Mailbox(),
      '<newsletter-field name="Age" kind="integer" placeholder="42"></newsletter-field>',
    );
    expect(form.labelled('Age')).to.include({ placeholder: '42', inputMode: 'numeric' });
  });

  itOurs('can come, change and go while the form is on the page', async () => {
    const form = await mountAt(new Mailbox());
    const field = document.createElement('newsletter-field');
    form.element.append(field);
    await form.settled();
    expect(form.root.querySelectorAll('[part=field]')).to.have.lengthOf(1);
    field.setAttribute('name', 'City');
    await form.settled();
    field.setAttribute('label', 'Town');
    await form.settled();
    form.labelled('Town').value = 'Köln';
    expect(await sent(form)).to.deep.equal([{ name: 'City', value: 'Köln' }]);
    field.remove();
    await form.settled();
    expect(form.root.querySelectorAll('[part=field]')).to.have.lengthOf(1);
  });

  itOurs('takes hostile names and labels as texts', async () => {
    const form = await mountAt(new Mailbox(), '<newsletter-field></newsletter-field>');
    const field = form.element.querySelector('newsletter-field');
    field?.setAttribute('name', `"><img src=x onerror=alert(1)>']`);
    field?.setAttribute('label', '<b>Name</b>');
    await form.settled();
    expect(form.root.querySelectorAll('b, img')).to.have.lengthOf(0);
    form.labelled('<b>Name</b>').value = '__proto__';
    expect(await sent(form)).to.deep.equal([{ name: `"><img src=x onerror=alert(1)>']`, value: '__proto__' }]);
  });

  itOurs('sends a long text whole, and takes no longer one than endpoints keep', async () => {
    const form = await mountAt(new Mailbox(), '<newsletter-field name="Essay"></newsletter-field>');
    const essay = 'Wörter '.repeat(300).slice(0, 1999) + '.';
    expect(form.labelled('Essay').maxLength).to.equal(essay.length);
    form.labelled('Essay').value = essay;
    expect(await sent(form)).to.deep.equal([{ name: 'Essay', value: essay }]);
  });

  it('shows an error message if the values exceed the limit of endpoints', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `Essay ${index}`);
    const form = await mountAt(
      new Mailbox(),
      names.map((name) => `<newsletter-field name="${name}"></newsletter-field>`).join(''),
    );
    form.email.value = 'ada@example.com';
    for (const name of names) form.labelled(name).value = 'ä'.repeat(499);
    await form.submit('error');
    expect(form.notice.textContent).to.contain('This is too long.');
    expect(form.labelled('Essay 0').value).to.have.lengthOf(499);
    expect(await form.mailbox.received()).to.deep.equal([]);
  });
});

describe('a <newsletter-field>', () => {
  it('that is hidden sends its value converted by its kind, and is not visible', async () => {
    const constants = [
      ['string', 'footer', 'footer'],
      ['integer', '42', 42],
      ['double', '3.5', 3.5],
      ['boolean', 'true', true],
      ['boolean', 'false', false],
      ['date', '2026-03-01', '2026-03-01'],
      ['datetime', '2026-03-01T17:30:00Z', '2026-03-01T17:30:00Z'],
      ['list', 'AI, Design', ['AI', 'Design']],
    ] as const;
    const form = await mountAt(
      new Mailbox(),
      constants
        .map(
          ([kind, value], position) =>
            `<newsletter-field hidden name="${position}" kind="${kind}" value="${value}"></newsletter-field>`,
        )
        .join(''),
    );
    expect(form.root.querySelectorAll('[part=field]')).to.have.lengthOf(1);
    expect(await sent(form)).to.deep.equal(constants.map(([, , value], position) => ({ name: `${position}`, value })));
  });

  it('that is hidden and invalid does not prevent the signup', async () => {
    const form = await mountAt(
      new Mailbox(),
      '<newsletter-field hidden name="A" kind="integer" value="many"></newsletter-field><newsletter-field hidden name="B" kind="datetime" value="soon"></newsletter-field>',
    );
    expect(await sent(form)).to.equal(undefined);
  });

  it('has its initial value', async () => {
    const form = await mountAt(
      new Mailbox(),
      `<newsletter-field name="City" value="Köln"></newsletter-field><newsletter-field name="Topics" kind="list" options="AI, Design, Code" value="AI, Code"></newsletter-field>
       <newsletter-field name="Rhythm" options="Daily, Weekly" value="Weekly"></newsletter-field><newsletter-field name="Vegan" kind="boolean" value="true"></newsletter-field>`,
    );
    form.labelled('City').value = 'Bonn';
    form.element.reset();
    expect(await sent(form)).to.deep.equal([
      { name: 'City', value: 'Köln' },
      { name: 'Topics', value: ['AI', 'Code'] },
      { name: 'Rhythm', value: 'Weekly' },
      { name: 'Vegan', value: true },
    ]);
  });

  it('lets the browser fill in a name', async () => {
    const form = await mountAt(
      new Mailbox(),
      '<newsletter-field name="First name" autocomplete="given-name"></newsletter-field><newsletter-field name="City"></newsletter-field>',
    );
    expect(form.labelled('First name').autocomplete).to.equal('given-name');
    expect(form.labelled('City').hasAttribute('autocomplete')).to.equal(false);
    expect(form.email.autocomplete).to.equal('email');
  });

  describe('for a consent', () => {
    /** A form with a consent of this label. */
    async function withConsent(label: string, attributes = 'href="/privacy" required'): Promise<Form> {
      const form = await mountAt(new Mailbox(), `<newsletter-field kind="consent" ${attributes}></newsletter-field>`);
      form.find('newsletter-field').setAttribute('label', label);
      await form.settled();
      return form;
    }

    it('links each of its words in brackets, and sends the sentence that it shows', async () => {
      const sentence = 'I agree to the terms, the rules and the notice.';
      const form = await withConsent('I agree to the [terms](/terms), the [rules](javascript:alert) and the [notice].');
      expect(
        Array.from(form.root.querySelectorAll('a'), (link) => [
          link.textContent,
          link.getAttribute('href'),
          link.target,
        ]),
      ).to.deep.equal([
        ['terms', '/terms', '_blank'],
        ['notice', '/privacy', '_blank'],
      ]);
      await form.signUp('error');
      expect(form.description(form.labelled(sentence))).to.equal('Tick this box to go on.');
      await expect(form.element).to.be.accessible();
      form.labelled(sentence).click();
      await sent(form);
      expect((await form.mailbox.body())['consent']).to.equal(sentence);
    });

    it('shows the words that it sends, over 10,000 labels with brackets and links', async () => {
      const form = await withConsent('');
      const piece = fc.oneof(
        fc.constantFrom('[', ']', '](', ')', '[terms](/terms)', '[privacy]', '<b>', '&amp;', ' ', '\u202E'),
        fc.string({ unit: 'grapheme', maxLength: 8 }),
      );
      const labels = fc.array(piece, { minLength: 1, maxLength: 9 }).map((pieces) => `Yes, I agree ${pieces.join('')}`);
      for (const label of fc.sample(labels, { numRuns: 10_000, seed: 63 })) {
        form.find('newsletter-field').setAttribute('label', label);
        form.element.requestUpdate();
        await form.element.updateComplete;
        const box = form.find<HTMLInputElement>('[type=checkbox]');
        box.checked = true;
        const { consent } = readValues(form.find('form')).values;
        for (const words of [box.labels?.[0]?.textContent ?? '', label])
          expect(consentOf(String(consent), [words]).given, label).to.equal(true);
      }
    }).timeout(60_000);

    for (const [times, state] of [
      [200, 'success'],
      [400, 'error'],
    ] as const)
      it(`is sent whole or not at all: ${times} times two links`, async () => {
        const form = await withConsent('I agree to [this] and [that](/that). '.repeat(times));
        form.find<HTMLInputElement>('[type=checkbox]').click();
        form.email.value = 'ada@example.com';
        form.element.submit();
        await form.reaches(state);
        const whole = 'I agree to this and that. '.repeat(times).trim();
        expect((await form.mailbox.bodies()).map(({ consent }) => consent === whole)).to.deep.equal(
          state === 'success' ? [true] : [],
        );
      });

    it('is not sent if it is optional and not ticked', async () => {
      const form = await withConsent('I agree.', '');
      await sent(form);
      expect(await form.mailbox.body()).to.deep.equal({ email: 'ada@example.com' });
    });

    for (const href of ['javascript:alert(1)', ' java\nscript:alert(1)', 'data:text/html,x', 'vbscript:x', '']) {
      it(`does not link to "${href}"`, async () => {
        const form = await withConsent('I have read the [privacy notice].');
        form.find('newsletter-field').setAttribute('href', href);
        await form.settled();
        expect(form.root.querySelectorAll('a')).to.have.lengthOf(0);
      });
    }

    it('shows markup in its sentence as text', async () => {
      const form = await withConsent('<b>Yes</b>');
      form.labelled('<b>Yes</b>').click();
      await sent(form);
      expect((await form.mailbox.body())['consent']).to.equal('<b>Yes</b>');
    });
  });

  itOurs('that is a required group says so to screen readers', async () => {
    const form = await mountAt(
      new Mailbox(),
      '<newsletter-field name="Topics" kind="list" options="AI, Design" required></newsletter-field>',
    );
    expect(form.find('legend').textContent?.trim()).to.equal('Topics (required)');
    expect(getComputedStyle(form.find('legend small')).clipPath).to.equal('inset(50%)');
  });

  it('loses its error message when it is corrected, and other fields keep theirs', async () => {
    const form = await mountAt(new Mailbox(), '<newsletter-field name="City" required></newsletter-field>');
    await form.submit('error');
    const city = form.labelled('City');
    await form.type(form.email, 'ada@example.co');
    await form.settled();
    expect(form.email.getAttribute('aria-invalid')).not.to.equal('true');
    expect(form.description(form.email)).to.equal('');
    expect(form.description(city)).to.equal('City is needed.');
    expect(form.hasFocus(form.email)).to.equal(true);
    expect(form.element.state).to.equal('error');
    await form.type(city, 'L');
    await form.settled();
    expect(form.root.querySelectorAll('[part=problem]')).to.have.lengthOf(0);
    expect(form.element.state).to.equal('idle');
  });

  itOurs('whose boolean attribute is "false" is as without it: frameworks write a value of false so', async () => {
    const form = await mountAt(
      new Mailbox(),
      '<newsletter-field name="City" required="false"></newsletter-field>',
      'expose-email="false" debug="false"',
    );
    const success = form.nextEvent('newsletter-success');
    expect(await sent(form)).to.equal(undefined);
    expect((await success).email).to.equal(undefined);
  });
});

describe('a textarea', () => {
  it('keeps its line breaks', async () => {
    const form = await mountAround(
      new Mailbox(),
      '<input name="email"><textarea name="custom_fields[Note]"></textarea><button>Join</button>',
    );
    form.find<HTMLTextAreaElement>('textarea').value = ' one\n\ntwo ';
    expect(await sent(form)).to.deep.equal([{ name: 'Note', value: 'one\n\ntwo' }]);
  });
});
