/** Setups of the playground to start from, one for each feature. The documentation shows the same ones live. */
import { endpointKey } from './options.ts';
import { initialSetup, type Setup } from './setup.ts';

export interface ExampleSetup {
  readonly title: string;
  readonly about: string;
  /** Differences from the initial setup. */
  readonly changes: Partial<Setup>;
  readonly setup: Setup;
}

/** The parts of a setup that an example replaces together. */
const formParts = ['values', 'fields', 'mode', 'theme'] as const;

/**
 * The setup after an example is chosen. Its form replaces the one on show; an example without a form of its own, such
 * as a language or a state, keeps that. Endpoint, place and language stay.
 */
export function withExample(setup: Setup, { changes }: ExampleSetup): Setup {
  if (!formParts.some((part) => part in changes)) return { ...setup, ...changes };
  const { platform, language, direction, values } = setup;
  const endpoint = values[endpointKey];
  return {
    ...initialSetup,
    platform,
    language,
    direction,
    ...changes,
    values: { ...(endpoint && { [endpointKey]: endpoint }), ...changes.values },
  };
}

/** A lighthouse in a few shapes, so that the example needs no file. */
const picture =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 4 3'%3E%3Cpath fill='%23264e70' d='M0 0h4v3H0z'/%3E%3Cpath fill='%23f6c667' d='M2 .8 4 .2v1z'/%3E%3Cpath fill='%23fff' d='M1.7 2.6 1.8 1h.4l.1 1.6z'/%3E%3Cpath fill='%23d1495b' d='M1.7.7h.6V1h-.6z'/%3E%3Cpath fill='%23123' d='M0 2.5h4V3H0z'/%3E%3C/svg%3E";

const example = (title: string, about: string, changes: Partial<Setup>): ExampleSetup => ({
  title,
  about,
  changes,
  setup: { ...initialSetup, ...changes },
});

const letters = { 'slot.head': 'Letters from the lighthouse', 'slot.note': 'Every Tuesday. Leave with one click.' };

export const exampleSetups: readonly ExampleSetup[] = [
  example('One line', 'The default layout, `inline`: address and button side by side where there is room.', {
    values: {},
  }),
  example('Joined', 'Address and button share one frame.', { values: { 'attribute.layout': 'joined' } }),
  example('Card', 'A surface with your own heading and small print in the slots `head` and `note`.', {
    values: { 'attribute.layout': 'card', ...letters },
  }),
  example('Cover', 'A picture beside the form, or above it where the form is narrow.', {
    values: { 'attribute.layout': 'cover', ...letters, 'slot.picture': picture, 'slot.proof': 'Join 4,200 readers.' },
    width: '768',
  }),
  example('Dialog', 'The button in the slot `trigger` opens the form. `open-on` can open it by itself too.', {
    values: { 'attribute.layout': 'dialog', 'slot.trigger': 'Get the letters', ...letters },
  }),
  example(
    'Custom fields',
    'A text, a choice, a list and a date. The name of each is the name of the custom field in the publication.',
    {
      values: { 'attribute.layout': 'stacked' },
      fields: [
        { name: 'First Name', label: 'First name', autocomplete: 'given-name', required: 'on' },
        { name: 'Rhythm', options: 'Daily, Weekly', label: 'How often?' },
        { name: 'Topics', kind: 'list', options: 'AI, Design, Code' },
        { name: 'Birthday', kind: 'date' },
      ],
    },
  ),
  example('Consent', 'A sentence to agree to. It is sent with the signup, and the relay keeps it.', {
    fields: [
      {
        kind: 'consent',
        label: 'I have read the [privacy notice].',
        href: 'https://example.com/privacy',
        required: 'on',
      },
    ],
  }),
  example('Your colours', 'Custom properties of CSS set colours, corners and widths.', {
    values: {
      'attribute.layout': 'card',
      'style.--newsletter-accent': 'rebeccapurple',
      'style.--newsletter-radius': '1.5rem',
      'slot.head': 'Letters from the lighthouse',
    },
  }),
  example('Theme', 'A theme is one style sheet of the package. It has a light and a dark scheme.', {
    values: { 'attribute.layout': 'card', ...letters },
    theme: 'harbor',
  }),
  example('Your texts', 'Five texts have an attribute; the property `messages` takes all of them.', {
    values: {
      'attribute.text-button': 'Send me letters',
      'attribute.text-email-placeholder': 'name@example.com',
      'attribute.text-thanks': 'Welcome aboard.',
    },
  }),
  example('German', 'A language is a file of less than 700 bytes. The form uses the language of the nearest `lang`.', {
    language: 'de',
  }),
  example('Arabic', 'Right to left.', { language: 'ar', direction: 'rtl' }),
  example('Attribution', 'Where a visitor came from is read from the address of the page. Attributes set it instead.', {
    values: {
      'attribute.utm-source': 'docs',
      'attribute.utm-campaign': 'example',
      'attribute.referral-code': 'ada42',
    },
  }),
  example('Your own form', 'The tag around a form that you wrote. Without JavaScript the form posts by itself.', {
    mode: 'enhance',
    fields: [{ name: 'First Name', label: 'First name', autocomplete: 'given-name' }],
  }),
  example('Refused', 'The endpoint answers 400 with a sentence for the visitor. The values stay in the form.', {
    state: 'refused',
  }),
  example('Too many signups', 'The endpoint answers 429 with `Retry-After`. The button waits.', { state: 'limited' }),
  example('Down', 'The endpoint answers 503. The form says when to try again.', { state: 'unavailable' }),
  example('No answer', 'The form is busy until the endpoint answers, or until `timeout` ends the wait.', {
    state: 'busy',
    values: { 'attribute.timeout': '10' },
  }),
];
