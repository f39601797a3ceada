/**
 * The form in a tag: what a visitor gets without the script. It is in the slot `fallback`, and the element's form takes
 * its place; or it is the page's own form, which the script enhances.
 */
import { partsOfLabel } from '@newsletter-kit/core/signup';
import { splitChoices } from '../../../widget/src/form.ts';
import { exampleEndpoint } from './endpoint.ts';
import type { Tag } from './markup.ts';

/** Texts of the element by their names in `messages`. */
export type Texts = Readonly<Record<string, string>>;

/** The texts that a form without the script has too. */
export const fallbackTexts = ['emailLabel', 'emailPlaceholder', 'button', 'optional', 'listHint'] as const;

/** The id of the form of a dialog, which its trigger opens as a popover. */
const popoverId = 'letter-form';

/** Attributes whose text is in the markup of the page's own form. */
const writtenTexts: readonly string[] = ['text-email-label', 'text-email-placeholder', 'text-button'];

/** With more options than this, a single choice is a `<select>` instead of radio buttons. */
const radioLimit = 7;

type Attributes = Tag['attributes'];

export const isTag = (child: Tag | string): child is Tag => typeof child !== 'string';
const element = (name: string, attributes: Attributes, ...children: readonly (Tag | string)[]): Tag => ({
  name,
  attributes,
  children,
});

/** The custom fields of a tag. */
export const fieldsOf = ({ children }: Tag): readonly Tag[] =>
  children.filter(isTag).filter(({ name }) => name === 'newsletter-field');

/** The content of one of the tag's slots. */
export const slotted = ({ children }: Tag, slot: string): readonly Tag[] =>
  children.filter(isTag).filter(({ attributes }) => attributes['slot'] === slot);

/** The form in a tag. */
export const formOf = ({ children }: Tag): Tag | undefined =>
  children.filter(isTag).find(({ name }) => name === 'form');

const textOf = ({ attributes }: Tag, name: string): string => {
  const value = attributes[name];
  return typeof value === 'string' ? value.trim() : '';
};
const isSet = ({ attributes }: Tag, name: string): boolean =>
  ![undefined, 'false'].includes(attributes[name] as string);

/** The attribute of a text, by its name in `messages`. */
export const textAttribute = (name: string): string =>
  `text-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The texts of a tag: those of its language, and those that its attributes and its property `messages` replace. */
function textsOf({ attributes, properties = {} }: Tag, texts: Texts): Texts {
  const own = fallbackTexts.map((name) => {
    return [name, String(attributes[textAttribute(name)] ?? properties['messages']?.[name] ?? texts[name] ?? '')];
  });
  return Object.fromEntries(own) as Texts;
}

/**
 * Adds the form to a tag. Its `action` is the endpoint too: a browser without the script reads nothing else.
 *
 * @param tag - a tag without a form
 * @param texts - of its language
 * @param isOwners - whether the script enhances the form, instead of replacing it by the element's own
 */
export function withForm(tag: Tag, texts: Texts, isOwners: boolean): Tag {
  const words = textsOf(tag, texts);
  const { endpoint = exampleEndpoint } = tag.attributes;
  const opensPopover = !isOwners && tag.attributes['layout'] === 'dialog' && slotted(tag, 'trigger').length > 0;
  const attributes = Object.entries(tag.attributes).filter(([name]) => !isOwners || !writtenTexts.includes(name));
  const form = element(
    'form',
    {
      ...(!isOwners && { slot: 'fallback' }),
      ...(opensPopover && { id: popoverId, popover: 'auto' }),
      action: endpoint,
      method: 'post',
    },
    emailControl(words, isOwners, ['joined', 'cover'].includes(String(tag.attributes['layout']))),
    ...fieldsOf(tag).map((field) => customControl(field, words, isOwners)),
    element('button', {}, words['button'] ?? ''),
  );
  const children = tag.children.filter(isTag).filter(({ name }) => !isOwners || name !== 'newsletter-field');
  // In the order in which they are shown: without the script no slot moves them.
  const shown = ['picture', 'head', 'trigger', undefined]
    .flatMap((slot) => children.filter((child) => child.attributes['slot'] === slot))
    .map((child) => (opensPopover && child.attributes['slot'] === 'trigger' ? openingPopover(child) : child));
  const below = ['proof', 'note', 'thanks', 'turnstile'].flatMap((slot) => slotted(tag, slot));
  return { ...tag, attributes: Object.fromEntries(attributes), children: [...shown, form, ...below] };
}

/** The sentences that somebody agrees to in a form, as it sends them: the relay has to know them. */
export const consentSentences = ({ name, attributes, children }: Tag): readonly string[] =>
  name === 'input' && attributes['name'] === 'consent'
    ? [String(attributes['value'])]
    : children.filter(isTag).flatMap(consentSentences);

/** The tag on show, with another endpoint. */
export function withEndpoint(tag: Tag, endpoint: string): Tag {
  // After a redirect the page could not show the next setup.
  const { redirect: _redirect, ...attributes } = tag.attributes;
  const form = formOf(tag);
  const children = tag.children.map((child) =>
    isTag(child) && child === form ? { ...child, attributes: { ...child.attributes, action: endpoint } } : child,
  );
  return { ...tag, attributes: { ...attributes, endpoint }, children };
}

const openingPopover = (trigger: Tag): Tag => ({
  ...trigger,
  attributes: { ...trigger.attributes, popovertarget: popoverId },
});

/**
 * The address. A fallback's is a text input, whose selection a script can read, as the element's own is.
 *
 * @param hidesLabel - whether the style sheet hides the label, where the script will come
 */
function emailControl({ emailLabel = '', emailPlaceholder }: Texts, isOwners: boolean, hidesLabel: boolean): Tag {
  const placeholder = emailPlaceholder || (hidesLabel && 'name@example.com');
  const input = element('input', {
    ...(isOwners && { type: 'email' }),
    name: 'email',
    ...(!isOwners && { inputmode: 'email', pattern: '.+@.+' }),
    autocomplete: 'email',
    ...(placeholder && { placeholder }),
    required: true,
  });
  return labelled([emailLabel], input);
}

const labelled = (words: readonly (Tag | string)[], control: Tag): Tag => element('label', {}, ...words, ' ', control);

/** The control of each kind with one control. `data-kind` names a kind that the control's type does not imply. */
const controlKinds: Readonly<Partial<Record<string, { readonly type?: string; readonly inputmode?: string }>>> = {
  integer: { inputmode: 'numeric' },
  double: { inputmode: 'decimal' },
  date: { type: 'date' },
  datetime: { type: 'datetime-local' },
};

/** The native control of a `<newsletter-field>`, under the name of a form-encoded post. */
function customControl(field: Tag, texts: Texts, isOwners: boolean): Tag {
  const kind = textOf(field, 'kind');
  const name = kind === 'consent' ? kind : `custom_fields[${textOf(field, 'name')}]`;
  const label = textOf(field, 'label') || textOf(field, 'name');
  const value = textOf(field, 'value');
  const placeholder = textOf(field, 'placeholder');
  const autocomplete = textOf(field, 'autocomplete');
  const options = splitChoices(textOf(field, 'options'));
  const required = isSet(field, 'required') && { required: true as const };
  const isList = kind === 'list';
  const { type, inputmode } = (Object.hasOwn(controlKinds, kind) && controlKinds[kind]) || {};
  const hasChoice = options.length > 0 && (isList || !(type || inputmode));

  if (isSet(field, 'hidden')) return element('input', { type: 'hidden', name, value });
  if (kind === 'boolean')
    return element(
      'div',
      {},
      box({ type: 'checkbox', name, value: 'true', ...required, ...(value === 'true' && { checked: true }) }, label),
    );
  if (kind === 'consent') {
    const parts = partsOfLabel(label, textOf(field, 'href'));
    const sentence = parts.map(({ text }) => text).join('');
    const words = parts.map(({ text, address }) =>
      isPage(address) ? element('a', { href: address, target: '_blank' }, text) : text,
    );
    return element(
      'div',
      {},
      box({ type: 'checkbox', name, value: sentence, ...required }, element('span', {}, ...words)),
    );
  }

  const remarks = [isList && !hasChoice && texts['listHint'], !required && texts['optional']].filter(Boolean).join(' ');
  const title = remarks ? [`${label} `, element('small', {}, remarks)] : [label];
  const chosen = splitChoices(value);
  if (hasChoice && (isList || options.length <= radioLimit))
    return element(
      'fieldset',
      // The script requires one of several checkboxes; the browser cannot.
      isOwners && isList && required ? { 'data-required': true } : {},
      element('legend', {}, ...title),
      ...options.map((option) =>
        box(
          {
            type: isList ? 'checkbox' : 'radio',
            name: isList ? `${name}[]` : name,
            value: option,
            ...(!isList && required),
            ...(chosen.includes(option) && { checked: true }),
          },
          option,
        ),
      ),
    );
  if (hasChoice)
    return labelled(
      title,
      element(
        'select',
        { name, ...required },
        element('option', { value: '' }, placeholder),
        ...options.map((option) => element('option', chosen.includes(option) ? { selected: true } : {}, option)),
      ),
    );
  return labelled(
    title,
    element('input', {
      ...(type && { type }),
      name,
      ...(inputmode && { inputmode }),
      ...(isOwners && /^(integer|double|datetime|list)$/.test(kind) && { 'data-kind': kind }),
      ...(autocomplete && { autocomplete }),
      ...(placeholder && { placeholder }),
      ...(value && { value }),
      ...required,
    }),
  );
}

/** A checkbox or radio button before its words. */
const box = (attributes: Attributes, ...words: readonly (Tag | string)[]): Tag =>
  element('label', {}, element('input', attributes), ' ', ...words);

/** Whether a link leads to a page: the address of a setup can contain a `javascript:` URL. */
function isPage(href: string): boolean {
  return (
    href !== '' && URL.canParse(href, exampleEndpoint) && /^https?:$/.test(new URL(href, exampleEndpoint).protocol)
  );
}
