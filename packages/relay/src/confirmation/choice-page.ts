/** The page of a link on which the owner of a mailbox chooses what to confirm, and the choice in its posts. */
import { timingSafeEqual } from 'node:crypto';
import { escapeHtml } from '@newsletter-kit/core/endpoint';
import { sign } from '../secrets.ts';
import type { Words } from '../pages/words.ts';
import type { OpenSignup } from '../store/signup-store.ts';
import { type Choice, type Group, groupsOf } from './choices.ts';

/** The link of a page. */
export interface PageLink {
  /** Signs the ids of the signups that are shown. */
  readonly key: Buffer;
  /** Id of the signup that the mail named. */
  readonly id: string;
}

/** The texts of a page. */
export interface ChoiceTexts {
  readonly words: Words;
  /** Title of the newsletter of a form. */
  titleOf(this: void, form: string): string;
}

/**
 * A section with a box for each form and address, and one of its own for each that has several versions. Ticked is what
 * the mail named, which comes first. Nothing that was sent becomes a link.
 */
export function choicesHtml(open: readonly OpenSignup[], link: PageLink, texts: ChoiceTexts): string {
  const { words } = texts;
  const groups = groupsOf(open);
  const place = (group: Group, n = 0): string => `${groups.indexOf(group)}.${n}`;
  const press = (value: string, label = words.confirm, more = ''): string =>
    `<button name="choice" value="${value}"${more}>${escapeHtml(label)}</button>`;
  const described = ({ form, email, choices }: Group): string =>
    `<b>${escapeHtml(texts.titleOf(form))}</b> <bdi>${escapeHtml(email)}</bdi>${choices.slice(-1).map(sentenceOf).join('')}`;
  const section = (...content: readonly string[]): string =>
    `<form method="post">\n<input type="hidden" name="shown" value="${signed(link, open)}">\n${content.join('\n')}\n</form>\n`;
  const [plain = [], differing = []] = [true, false].map((isPlain) =>
    groups.filter(({ choices }) => (choices.length === 1) === isPlain),
  );
  const boxes = plain.map((group) => {
    const checked = group.ids.includes(link.id) ? ' checked' : '';
    return `<label class="choice"><input type="checkbox" name="choice" value="${place(group)}"${checked}> <span>${described(group)}</span></label>`;
  });
  const sections = differing.map((group) =>
    section(
      `<p>${described(group)}</p>`,
      `<p>${escapeHtml(words.sentTwice)}</p>`,
      ...group.choices.slice(0, -1).flatMap((choice, n) => {
        const value = place(group, n);
        return [versionHtml(choice, value, words), press(value, words.confirm, ` aria-describedby="${value}"`)];
      }),
      press(place(group, group.choices.length - 1), words.onlyAddress),
    ),
  );
  const alone = plain.map((group) => section(`<p>${described(group)}</p>`, press(place(group))));
  const others = plain.length > 1 ? [section(...boxes, press('ticked'))] : alone;
  const isOfMail = differing.some(({ ids }) => ids.includes(link.id));
  return (isOfMail ? [...sections, ...others] : [...others, ...sections]).join('');
}

function sentenceOf({ sentence }: Choice): string {
  return sentence === null ? '' : `<br>\n<small>${escapeHtml(sentence)}</small>`;
}

function versionHtml(choice: Choice, id: string, { noDetails }: Words): string {
  const fields = choice.own.map(({ name, value }) =>
    escapeHtml(`${name}: ${typeof value === 'object' ? value.join(', ') : value}`),
  );
  return `<p id="${id}">${fields.join('<br>\n') || escapeHtml(noDetails)}${sentenceOf(choice)}</p>`;
}

function signed({ key, id }: PageLink, shown: readonly { readonly id: string }[]): string {
  const ids = shown.map((each) => each.id);
  return [...ids, sign(key, ['shown', id, ...ids]).toString('base64url')].join('.');
}

/** What a post has chosen. */
export interface Chosen {
  /** The signups that the page showed. */
  readonly shown: readonly OpenSignup[];
  readonly groups: readonly (Group & { readonly choice: Choice })[];
}

/**
 * Reads the post of the page. Without the ids that it showed, it chooses the signup of the link where that is all there
 * is.
 *
 * @returns null where the ids are not signed, one of them is no longer open, or nothing was chosen
 */
export function readChoice(fields: URLSearchParams, open: readonly OpenSignup[], link: PageLink): Chosen | null {
  const field = fields.get('shown');
  const ids = new Set(field?.split('.'));
  const shown = field === null ? open : open.filter(({ id }) => ids.has(id));
  const groups = groupsOf(shown);
  const isOnly = groups.length === 1 && groups[0]?.choices.length === 1 && groups[0].ids.includes(link.id);
  if (field === null ? !isOnly : !isSame(link.key, field, signed(link, shown))) return null;
  const values = new Set(field === null ? ['0.0'] : fields.getAll('choice'));
  const chosen = groups.flatMap((group, place) =>
    group.choices
      .filter((_, n) => values.has(`${place}.${n}`))
      .slice(0, 1)
      .map((choice) => ({ ...group, choice })),
  );
  return chosen.length > 0 ? { shown, groups: chosen } : null;
}

/** Compares in constant time. */
const isSame = (key: Buffer, one: string, other: string): boolean =>
  timingSafeEqual(sign(key, [one]), sign(key, [other]));
