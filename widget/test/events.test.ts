import { expect } from '@open-wc/testing';
import {
  NewsletterErrorEvent,
  NewsletterSubmitEvent,
  NewsletterSuccessEvent,
  NewsletterWarningEvent,
} from '../src/index.ts';
import { Mailbox, mountAt, type Form, laterPost } from './harness.ts';
import { inBothModes } from './modes.ts';

const names = ['newsletter-submit', 'newsletter-success', 'newsletter-error', 'newsletter-warning'] as const;
const fields =
  '<newsletter-field name="First name"></newsletter-field><newsletter-field name="Odd" kind="colour"></newsletter-field>';

/** All properties of an event: its own and those of its class. */
function said(event: Event): string {
  const values: unknown[] = [];
  for (const key in event) if (!(key in Event.prototype)) values.push(Reflect.get(event, key));
  return JSON.stringify(values);
}

/** Runs a function, and returns every newsletter event and every console message meanwhile. */
async function heardWhile(act: () => Promise<void>): Promise<{ events: Event[]; lines: string[] }> {
  const events: Event[] = [];
  const lines: string[] = [];
  const { warn, error } = console;
  const listen = (event: Event): void => void events.push(event);
  console.warn = console.error = (...words: unknown[]) => void lines.push(words.join(' '));
  for (const name of names) document.addEventListener(name, listen);
  try {
    await act();
  } finally {
    for (const name of names) document.removeEventListener(name, listen);
    [console.warn, console.error] = [warn, error];
  }
  return { events, lines };
}

async function send(form: Form, ends: 'error' | 'success'): Promise<void> {
  const ended = form.nextEvent(`newsletter-${ends}`);
  form.email.value = 'ada@example.com';
  form.labelled('First name').value = 'Lovelace';
  form.element.submit();
  await ended;
  await form.settled();
}

inBothModes('events and the console', () => {
  it('never contain typed values: after a refusal, a page as answer, a check, a server error, and a success', async () => {
    const mailbox = new Mailbox('refused', 'page', 'asksTooMuch', 'broken', 'limitedSilently', 'accepted');
    const { events, lines } = await heardWhile(async () => {
      const form = await mountAt(
        mailbox,
        fields,
        'debug redirect="https://stranger.example/?email=ada@example.com" storage="cookie" attribution="both"',
      );
      for (const end of ['error', 'error', 'error', 'error', 'error', 'success'] as const) await send(form, end);
      await laterPost();
    });
    expect(new Set(events.map(({ type }) => type))).to.deep.equal(new Set(names));
    for (const event of events) expect(said(event)).not.to.match(/ada|Lovelace/);
    expect(lines).to.not.have.lengthOf(0);
    for (const line of lines) expect(line).not.to.match(/ada|Lovelace/);
  });

  it('contain the email address with expose-email, only before sending and after success', async () => {
    const { events } = await heardWhile(async () => {
      const form = await mountAt(new Mailbox('broken', 'accepted'), fields, 'expose-email');
      await send(form, 'error');
      await send(form, 'success');
    });
    const carrying = events.filter((event) => said(event).includes('ada'));
    expect(carrying.map(({ type }) => type)).to.deep.equal([
      'newsletter-submit',
      'newsletter-submit',
      'newsletter-success',
    ]);
    for (const event of carrying) expect(event).to.include({ email: 'ada@example.com' });
    for (const event of events) expect(said(event)).not.to.contain('Lovelace');
  });

  it('have their own classes and the attribution, and bubble out of shadow trees; only newsletter-submit is cancelable', async () => {
    const { events } = await heardWhile(async () => {
      const form = await mountAt(new Mailbox('broken', 'accepted'), fields, 'utm-source="footer"');
      await send(form, 'error');
      await send(form, 'success');
    });
    const ofSignups = events.filter(({ type }) => type !== 'newsletter-warning');
    expect(ofSignups.map((event) => [event.type, Reflect.get(event, 'attribution')])).to.deep.equal([
      ['newsletter-submit', { utm_source: 'footer' }],
      ['newsletter-error', undefined],
      ['newsletter-submit', { utm_source: 'footer' }],
      ['newsletter-success', { utm_source: 'footer' }],
    ]);
    const classes = {
      'newsletter-submit': NewsletterSubmitEvent,
      'newsletter-success': NewsletterSuccessEvent,
      'newsletter-error': NewsletterErrorEvent,
      'newsletter-warning': NewsletterWarningEvent,
    };
    for (const name of names) {
      const event = events.find(({ type }) => type === name);
      expect(event).to.be.an.instanceOf(classes[name]);
      expect(event).to.include({ bubbles: true, composed: true, cancelable: name === 'newsletter-submit' });
    }
  });
});

inBothModes('an invalid attribute value', () => {
  it('is reported once for each element and value, in the console and as an event, and the default or nothing is used', async () => {
    const mailbox = new Mailbox('broken', 'broken', 'accepted');
    const { events, lines } = await heardWhile(async () => {
      const form = await mountAt(mailbox, fields, 'attribution="both"');
      form.labelled('Odd').value = 'green';
      await send(form, 'error');
      await send(form, 'error');
      form.element.attribution = 'last';
      await send(form, 'success');
      form.element.reset();
      Reflect.set(form.element, 'attribution', 'neither');
      await send(form, 'success');
    });
    const sentences = [
      'kind="colour" is not one of string, integer, boolean, date, datetime, list, double, email, consent: takes "string".',
      'attribution="both" is not one of none, first, last: takes "none".',
      'attribution="neither" is not one of none, first, last: takes "none".',
    ];
    const warnings = events.filter((event) => event instanceof NewsletterWarningEvent && event.reason === 'attribute');
    expect(warnings.map((event) => Reflect.get(event, 'message'))).to.have.members(sentences);
    for (const sentence of sentences) expect(lines.filter((line) => line.endsWith(sentence))).to.have.lengthOf(1);
    expect((await mailbox.bodies())[2]?.['custom_fields']).to.deep.include({ name: 'Odd', value: 'green' });
  });

  for (const endpoint of [
    '',
    'javascript:alert(1)',
    'data:application/json,{}',
    'blob:x',
    'mailto:ada@example.com',
    'http://[',
  ]) {
    it(`sends nothing: endpoint="${endpoint}"`, async () => {
      const form = await mountAt(new Mailbox(), fields);
      form.element.endpoint = endpoint;
      await send(form, 'error');
      expect(form.notice.textContent).to.contain('This does not work right now.');
      expect(form.email.value).to.equal('ada@example.com');
    });
  }

  it('is reported once for a page as answer', async () => {
    const { events } = await heardWhile(async () => {
      const form = await mountAt(new Mailbox('page'), fields);
      await send(form, 'error');
      await send(form, 'error');
    });
    const answers = events.filter((event) => event instanceof NewsletterWarningEvent && event.reason === 'answer');
    expect(answers).to.have.lengthOf(1);
    expect(answers[0]).to.have.property('message').that.contains('status 200');
  });
});
