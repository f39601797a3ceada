/** What the JSON of a 2xx means: a yes, or a no with a message. */
import { expect } from '@open-wc/testing';
import { Mailbox, mountAt } from './harness.ts';
import { inBothModes } from './modes.ts';

/** JSON that is a yes, by where it comes from. */
const yes: Readonly<Record<string, unknown>> = {
  relay: { status: 'accepted' },
  'n8n, at once': { message: 'Workflow was started' },
  'n8n, last node': [{ id: 1, success: true, status: 'active' }],
  'an empty object': {},
  'an empty list': [],
  'a text': 'Accepted',
  'the word null': null,
  'a yes': { success: true, ok: 'yes', error: null, errors: [] },
  'empty errors of any kind': { error: false, errors: {}, error_message: '', exception: 0 },
  'the API, pending': { data: { id: 'sub_1', status: 'pending', email: 'ada@example.com' } },
  'an echo': { email: 'ada@example.com', custom_fields: [{ name: 'OK', value: false }], consent: false },
  'a number that is no status': { status: 1, code: 200, count: 404 },
  'a word that only contains another': { status: 'no_errors_found', result: 'failsafe' },
  Zapier: { status: 'success', attempt: '0192', request_id: '0192' },
  'a list of records': [{ status: 'invalid' }, { status: 'error' }],
  'a yes with a word that a refusal has': { status: 'accepted', ask: { token: 'signed' } },
  'a double opt-in': { subscribed: false, confirmed: false, status: 'unconfirmed' },
};

/** JSON that is a no, and what the visitor reads. */
const no: readonly (readonly [from: string, json: unknown, message: string])[] = [
  [
    'errors with a message',
    { errors: [{ message: 'We know no field "Size".', code: 'FIELD' }] },
    'We know no field "Size".',
  ],
  ['errors that are texts', { errors: ['Too young.', 'Too late.'] }, 'Too young.'],
  ['errors by field', { errors: { email: ['Already taken.'] } }, 'Already taken.'],
  ['GraphQL', { errors: [{ message: 'Not allowed.', path: ['subscribe'] }], data: null }, 'Not allowed.'],
  ['an error', { error: 'We are full.' }, 'We are full.'],
  ['an error with a message', { error: { code: 7, message: 'We are full.' } }, 'We are full.'],
  ['Google Apps Script', { result: 'error', error: { name: 'Error' } }, 'Not accepted.'],
  ['Slack', { ok: false, error: 'closed' }, 'closed'],
  ['a success that is false', { success: false }, 'Not accepted.'],
  ['a success that is a text', { success: 'false', msg: 'Sorry.' }, 'Sorry.'],
  ['a success that is 0', { success: 0, detail: 'Sorry.' }, 'Sorry.'],
  ['an ok that is false', { ok: false, message: 'Sorry.' }, 'Sorry.'],
  ['WordPress, a text', { success: false, data: 'Nonce is too old.' }, 'Nonce is too old.'],
  ['WordPress, a list', { success: false, data: [{ code: 'a', message: 'Too old.' }] }, 'Too old.'],
  ['WordPress, REST', { code: 'rest_x', message: 'No route.', data: { status: 404 } }, 'No route.'],
  ['Contact Form 7', { status: 'validation_failed', message: 'Please check.', invalid_fields: [] }, 'Please check.'],
  ['Gravity Forms', { is_valid: false, validation_messages: { 1: 'Needed.' } }, 'Not accepted.'],
  ['Mailchimp', { result: 'error', msg: '0 - Too many.' }, '0 - Too many.'],
  ['Lambda', { statusCode: 400, body: '{}' }, 'Not accepted.'],
  ['an error body with 200', { status: 422, statusText: 'no', errors: [{ message: 'No.' }] }, 'No.'],
  ['a status', { status: 'error', message: 'Broken.' }, 'Broken.'],
  ['a status in capitals', { status: 'ERROR' }, 'Not accepted.'],
  ['a failure', { status: 'failed', detail: 'Broken.' }, 'Broken.'],
  ['a type', { type: 'error', message: 'Broken.' }, 'Broken.'],
  ['nested', { response: { data: { success: false, message: 'Deep.' } } }, 'Not accepted.'],
  ['nested under data', { data: { success: false, message: 'Deep.' } }, 'Deep.'],
  ['in a list of one', [{ success: false, message: 'Listed.' }], 'Listed.'],
  ['the word false', false, 'Not accepted.'],
  ['markup', { error: '<img src=x onerror="document.title=1">' }, '<img src=x onerror="document.title=1">'],
  ['values of any type', { errors: [null, 7, { message: { a: 1 } }], message: 3 }, 'Not accepted.'],
];

const says = (status: number, json: unknown): Mailbox => new Mailbox(`says ${status} ${JSON.stringify(json)}`);

inBothModes('an answer with 2xx', () => {
  for (const [from, json] of Object.entries(yes)) {
    it(`is a yes: ${from}`, async () => {
      const form = await mountAt(says(200, json));
      form.email.value = 'ada@example.com';
      form.element.submit();
      await form.reaches('success');
    });
  }

  for (const [from, json, message] of no) {
    it(`is a no, and keeps what was typed: ${from}`, async () => {
      const form = await mountAt(says(200, json));
      form.email.value = 'ada@example.com';
      const failed = form.nextEvent('newsletter-error');
      form.element.submit();
      expect(await failed).to.include({ kind: 'refused', status: 200 });
      await form.reaches('error');
      expect(form.notice.textContent).to.match(message === 'Not accepted.' ? /^Not accepted\. Please check/ : /./);
      if (message !== 'Not accepted.') expect(form.notice.textContent).to.equal(message);
      expect(form.email.value).to.equal('ada@example.com');
    });
  }

  for (const status of [200, 201, 202, 204]) {
    it(`is a yes without a body: ${status}`, async () => {
      const form = await mountAt(new Mailbox(`says ${status} `));
      form.email.value = 'ada@example.com';
      form.element.submit();
      await form.reaches('success');
    });
  }

  it('is a no if its JSON is broken', async () => {
    const form = await mountAt(new Mailbox('says 200 {"status":"acc'));
    form.email.value = 'ada@example.com';
    form.element.submit();
    await form.reaches('error');
    expect(form.notice.textContent).to.contain('This does not work right now.');
  });
});

inBothModes('what an endpoint says about the address', () => {
  const own = 'No mail arrives at this address: check the part after the @.';
  for (const [code, message, shown] of [
    ['EMAIL_INVALID', 'Not an address, says the server.', 'Enter an email address like name@example.com.'],
    ['EMAIL_REQUIRED', 'Enter an e-mail address.', 'Enter an email address like name@example.com.'],
    ['EMAIL_DOMAIN_TAKES_NO_MAIL', own, own],
    ['EMAIL_OF_THE_WEEK', '', 'Enter an email address like name@example.com.'],
    ['EMAIL_TEXT', 'later', 'later'],
  ] as const) {
    for (const status of [400, 200]) {
      it(`is shown at its field: ${code}, ${status}`, async () => {
        const form = await mountAt(says(status, { errors: [{ message, code }] }));
        await form.type(form.email, 'ada@gmial.example');
        await form.press('Enter');
        await form.reaches('error');
        expect(form.description(form.email)).to.equal(shown);
        expect(form.notice.textContent).to.equal('');
        expect(form.hasFocus(form.email)).to.equal(true);
        await form.press('Backspace');
        await form.reaches('idle');
        expect(form.email.getAttribute('aria-invalid')).not.to.equal('true');
      });
    }
  }
});
