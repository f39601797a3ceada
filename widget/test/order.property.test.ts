import { expect, fixture, html } from '@open-wc/testing';
import fc from 'fast-check';
import { NewsletterSignup } from '../src/index.ts';
import { Form, Mailbox, nextTask } from './harness.ts';

/**
 * Events in the life of an element besides its setup. Returns the element to continue with, which for a copy is another
 * one.
 */
type Journey = (element: HTMLElement, place: HTMLElement) => HTMLElement;

const journeys: Readonly<Record<string, Journey>> = {
  connect: (element, place) => place.appendChild(element),
  move: (element, place) => place.appendChild(document.createElement('section')).appendChild(element),
  remove: (element) => {
    element.remove();
    return element;
  },
  adopt: (element, place) => {
    document.implementation.createHTMLDocument().adoptNode(element);
    return place.appendChild(element);
  },
  empty: (element) => {
    element.innerHTML = '<newsletter-field name="Stray"></newsletter-field>';
    return element;
  },
};

/** The settings; as attributes and as properties if there are both. */
type Setting = (element: HTMLElement, endpoint: string) => void;

const settings: readonly (readonly Setting[])[] = [
  [
    (element, endpoint) => Reflect.set(element, 'endpoint', endpoint),
    (element, endpoint) => element.setAttribute('endpoint', endpoint),
  ],
  [
    (element) => Reflect.set(element, 'referralParam', 'wtr-nothing'),
    (element) => element.setAttribute('referral-param', 'wtr-nothing'),
  ],
  [(element) => Reflect.set(element, 'messages', { button: 'Join', optional: '(or not)' })],
  [(element) => element.setAttribute('text-email-label', 'Address')],
  [(element) => element.setAttribute('utm-source', 'blog')],
];

const fieldsSetting: Setting = (element) => {
  element.innerHTML =
    '<newsletter-field name="City"></newsletter-field><newsletter-field name="Terms" kind="boolean"></newsletter-field>';
};

/** How an element is created: by the parser, by a script, or in a document without the definition. */
const origins: Readonly<Record<string, () => HTMLElement>> = {
  parsed: () => {
    const { body } = new DOMParser().parseFromString('<newsletter-signup></newsletter-signup>', 'text/html');
    return body.firstElementChild as HTMLElement;
  },
  created: () => document.createElement('newsletter-signup'),
  constructed: () => new NewsletterSignup(),
  'not upgraded': () => document.implementation.createHTMLDocument().createElement('newsletter-signup'),
};

const setUps = fc
  .tuple(...settings.map((ways) => fc.constantFrom(...ways)))
  .map((chosen): readonly Setting[] => [...chosen, fieldsSetting]);

/**
 * All settings in any order, with any events in between; an event that empties the element comes before its fields are
 * set.
 */
const stories = fc
  .record({
    origin: fc.constantFrom(...Object.keys(origins)),
    steps: fc
      .tuple(setUps, fc.array(fc.constantFrom(...Object.keys(journeys)), { maxLength: 6 }))
      .chain(([chosen, happenings]) =>
        fc.shuffledSubarray([...chosen, ...happenings], { minLength: chosen.length + happenings.length }),
      ),
    waits: fc.array(fc.boolean(), { maxLength: 14 }),
    isCopied: fc.boolean(),
  })
  .filter(({ steps }) => steps.lastIndexOf('empty') < steps.indexOf(fieldsSetting));

interface Result {
  readonly rendered: string;
  readonly isStyled: boolean;
  readonly body: unknown;
  readonly problems: string;
}

/** Signs up, and returns everything observable. */
async function use(element: HTMLElement, mailbox: Mailbox): Promise<Result> {
  if (!(element instanceof NewsletterSignup)) throw new Error('The element was never upgraded.');
  const form = new Form(element);
  await form.settled();
  const rendered = (element.shadowRoot?.innerHTML ?? '')
    .replace(/<!--.*?-->/g, '')
    .replace(/\s+/g, ' ')
    .replaceAll(mailbox.endpoint, 'ENDPOINT');
  const isStyled = getComputedStyle(form.button).cursor === 'pointer';
  element.submit();
  await form.reaches('error');
  const problems = form.root.querySelector('[part~=problem]')?.textContent ?? '';
  form.labelled('Address').value = 'ada@example.com';
  form.labelled('City').value = 'Lyon';
  element.submit();
  await form.reaches('success');
  return { rendered, isStyled, problems, body: await mailbox.body() };
}

/** The same for settings without an attribute. */
function copyOf(element: HTMLElement, place: HTMLElement, done: readonly Setting[], endpoint: string): HTMLElement {
  const copy = place.appendChild(document.importNode(element, true));
  element.remove();
  for (const setting of done) setting(copy, endpoint);
  return copy;
}

describe('the order of changes', () => {
  it('does not matter: properties and attributes before and after the element is upgraded, connected, moved, copied and adopted', async function () {
    const mailbox = new Mailbox();
    const plain = await fixture<HTMLElement>(html`<newsletter-signup></newsletter-signup>`);
    for (const setting of [...settings.map(([first]) => first), fieldsSetting]) setting?.(plain, mailbox.endpoint);
    const expected = await use(plain, mailbox);
    expect(expected.body).to.deep.equal({
      email: 'ada@example.com',
      utm_source: 'blog',
      custom_fields: [
        { name: 'City', value: 'Lyon' },
        { name: 'Terms', value: false },
      ],
    });

    await fc.assert(
      fc.asyncProperty(stories, async ({ origin, steps, waits, isCopied }) => {
        const place = await fixture<HTMLElement>('<div></div>');
        const own = new Mailbox();
        let element = origins[origin]?.() ?? plain;
        const done: Setting[] = [];
        for (const [index, step] of steps.entries()) {
          if (typeof step === 'string') element = journeys[step]?.(element, place) ?? element;
          else {
            step(element, own.endpoint);
            done.push(step);
          }
          if (waits[index]) await nextTask();
        }
        if (!place.contains(element)) place.append(element);
        if (isCopied) element = copyOf(element, place, done, own.endpoint);
        expect(await use(element, own)).to.deep.equal(expected);
        place.remove();
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });

  it('leaves no listener behind: a removed element ignores the page', async () => {
    const element = await fixture<NewsletterSignup>('<newsletter-signup></newsletter-signup>');
    await new Form(element).settled();
    element.remove();
    const before = element.shadowRoot?.innerHTML;
    globalThis.newsletterMessages = { en: { button: 'Changed' } };
    dispatchEvent(new Event('newsletter-messages'));
    element.setAttribute('text-optional', '(changed)');
    await nextTask();
    globalThis.newsletterMessages = undefined;
    expect(element.shadowRoot?.innerHTML).to.equal(before);
  });
});
