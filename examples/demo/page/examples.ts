/** Setups of the playground to start from, one for each feature. The documentation shows the same ones live. */
import { initialSetup, type Setup } from './setup.ts';

export interface ExampleSetup {
  readonly title: string;
  readonly about: string;
  readonly setup: Setup;
}

/** A lighthouse in a few shapes, so that the example needs no file. */
const picture =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 4 3'%3E%3Cpath fill='%23264e70' d='M0 0h4v3H0z'/%3E%3Cpath fill='%23f6c667' d='M2 .8 4 .2v1z'/%3E%3Cpath fill='%23fff' d='M1.7 2.6 1.8 1h.4l.1 1.6z'/%3E%3Cpath fill='%23d1495b' d='M1.7.7h.6V1h-.6z'/%3E%3Cpath fill='%23123' d='M0 2.5h4V3H0z'/%3E%3C/svg%3E";

/** The setup with these differences from the initial one. */
const from = (changes: Partial<Setup>): Setup => ({ ...initialSetup, ...changes });

const letters = { 'slot.head': 'Letters from the lighthouse', 'slot.note': 'Every Tuesday. Leave with one click.' };

export const exampleSetups: readonly ExampleSetup[] = [
  {
    title: 'One line',
    about: 'The default layout, `inline`: address and button side by side where there is room.',
    setup: from({}),
  },
  {
    title: 'Joined',
    about: 'Address and button share one frame.',
    setup: from({ values: { 'look.layout': 'joined' } }),
  },
  {
    title: 'Card',
    about: 'A surface with your own heading and small print in the slots `head` and `note`.',
    setup: from({ values: { 'look.layout': 'card', ...letters } }),
  },
  {
    title: 'Cover',
    about: 'A picture beside the form, or above it where the form is narrow.',
    setup: from({
      values: { 'look.layout': 'cover', ...letters, 'slot.picture': picture, 'slot.proof': 'Join 4,200 readers.' },
      width: '768',
    }),
  },
  {
    title: 'Dialog',
    about: 'The button in the slot `trigger` opens the form. `open-on` can open it by itself too.',
    setup: from({ values: { 'look.layout': 'dialog', 'slot.trigger': 'Get the letters', ...letters } }),
  },
  {
    title: 'Custom fields',
    about: 'A text, a choice, a list and a date. The name of each is the name of the custom field in the publication.',
    setup: from({
      values: { 'look.layout': 'stacked' },
      fields: [
        { name: 'First name', autocomplete: 'given-name', required: 'on' },
        { name: 'Rhythm', options: 'Daily, Weekly', label: 'How often?' },
        { name: 'Topics', kind: 'list', options: 'AI, Design, Code' },
        { name: 'Birthday', kind: 'date' },
      ],
    }),
  },
  {
    title: 'Consent',
    about: 'A sentence to agree to. It is sent with the signup, and the relay keeps it.',
    setup: from({
      fields: [
        {
          kind: 'consent',
          label: 'I have read the [privacy notice].',
          href: 'https://example.com/privacy',
          required: 'on',
        },
      ],
    }),
  },
  {
    title: 'Your colours',
    about: 'Custom properties of CSS set colours, corners and widths.',
    setup: from({
      values: {
        'look.layout': 'card',
        'style.--newsletter-accent': 'rebeccapurple',
        'style.--newsletter-radius': '1.5rem',
        'slot.head': 'Letters from the lighthouse',
      },
    }),
  },
  {
    title: 'Theme',
    about: 'A theme is one style sheet of the package. It has a light and a dark scheme.',
    setup: from({ values: { 'look.layout': 'card', ...letters }, theme: 'harbor' }),
  },
  {
    title: 'Your texts',
    about: 'Five texts have an attribute; the property `messages` takes all of them.',
    setup: from({
      values: {
        'text.text-button': 'Send me letters',
        'text.text-email-placeholder': 'name@example.com',
        'text.text-thanks': 'Welcome aboard.',
      },
    }),
  },
  {
    title: 'German',
    about: 'A language is a file of less than 700 bytes. The form uses the language of the nearest `lang`.',
    setup: from({ language: 'de' }),
  },
  {
    title: 'Arabic',
    about: 'Right to left.',
    setup: from({ language: 'ar', direction: 'rtl' }),
  },
  {
    title: 'Attribution',
    about: 'Where a visitor came from is read from the address of the page. Attributes set it instead.',
    setup: from({
      values: {
        'attribution.utm-source': 'docs',
        'attribution.utm-campaign': 'example',
        'attribution.referral-code': 'ada42',
      },
    }),
  },
  {
    title: 'Your own form',
    about: 'The tag around a form that you wrote. Without JavaScript the form posts by itself.',
    setup: from({ mode: 'enhance', fields: [{ name: 'First name', autocomplete: 'given-name' }] }),
  },
  {
    title: 'Refused',
    about: 'The endpoint answers 400 with a sentence for the visitor. The values stay in the form.',
    setup: from({ state: 'refused' }),
  },
  {
    title: 'Too many signups',
    about: 'The endpoint answers 429 with `Retry-After`. The button waits.',
    setup: from({ state: 'limited' }),
  },
  {
    title: 'Down',
    about: 'The endpoint answers 503. The form says when to try again.',
    setup: from({ state: 'unavailable' }),
  },
  {
    title: 'No answer',
    about: 'The form is busy until the endpoint answers, or until `timeout` ends the wait.',
    setup: from({ state: 'busy', values: { 'attribute.timeout': '10' } }),
  },
];
