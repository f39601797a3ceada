/** The page of a link on which the owner of a mailbox chooses what to confirm, and the choice in its posts. */
import { timingSafeEqual } from 'node:crypto';
import { escapeHtml } from '@newsletter-kit/core/endpoint';
import { sign } from '../secrets.ts';
import type { OpenSignup } from '../store/signup-store.ts';
import { type Choice, type Group, groupsOf, ownFields } from './choices.ts';

/** Options of {@link choicesHtml}. */
export interface ChoicesOptions {
  /** Signs the ids of the signups that are shown. */
  readonly key: Buffer;
  /** Id of the signup that the mail named. */
  readonly id: string;
  /** Label of the buttons. */
  readonly button: string;
}

/**
 * A section with a box for each form and address, and one of its own for each of which several versions are open.
 * Ticked is what the mail named. Nothing that was sent becomes a link.
 */
export function choicesHtml(open: readonly OpenSignup[], { key, id, button }: ChoicesOptions): string {
  const shown = open.map((signup) => signup.id);
  const groups = groupsOf(open).map((group, number) => ({ group, number }));
  const section = (content: readonly string[]): string =>
    `<form method="post">\n<input type="hidden" name="shown" value="${signed(key, id, shown)}">\n${content.join('\n')}\n</form>\n`;
  const press = (value: string, label: string): string =>
    `<p><button name="choice" value="${value}">${escapeHtml(label)}</button></p>`;
  const [plain = [], differing = []] = [true, false].map((isPlain) =>
    groups.filter(({ group }) => (group.versions.length === 0) === isPlain),
  );
  const [only] = plain;
  const boxes = plain.map(({ group, number }) => {
    const checked = group.ids.includes(id) ? ' checked' : '';
    return `<p><label><input type="checkbox" name="choice" value="${number}"${checked}> ${described(group)}</label></p>`;
  });
  return [
    ...(only && plain.length === 1
      ? [section([`<p>${described(only.group)}</p>`, press(`${only.number}`, button)])]
      : []),
    ...(plain.length > 1 ? [section([...boxes, `<button>${escapeHtml(button)}</button>`])] : []),
    ...differing.map(({ group, number }) =>
      section([
        `<p>${described(group)}</p>`,
        '<p lang="en">It was sent more than once, with different details. Choose yours:</p>',
        ...group.versions.flatMap((version, n) => [versionHtml(version, group), press(`${number}.${n}`, button)]),
        press(`${number}.address`, 'Only my address'),
      ]),
    ),
  ].join('');
}

function described({ form, agreed }: Group): string {
  return `<b>${escapeHtml(form)}</b> ${escapeHtml(agreed.submission.email)}${words(agreed)}`;
}

function words({ sentence }: Choice): string {
  return sentence === null ? '' : `<br>\n<small>${escapeHtml(sentence)}</small>`;
}

function versionHtml(version: Choice, group: Group): string {
  const fields = ownFields(version, group).map(({ name, value }) =>
    escapeHtml(`${name}: ${typeof value === 'object' ? value.join(', ') : value}`),
  );
  const details = fields.length > 0 ? fields.join('<br>\n') : '<span lang="en">No more than the address</span>';
  return `<p>${details}${group.agreed.sentence === version.sentence ? '' : words(version)}</p>`;
}

function signed(key: Buffer, id: string, shown: readonly string[]): string {
  return [...shown, sign(key, ['shown', id, ...shown]).toString('base64url')].join('.');
}

/** What a post has chosen. */
export interface Choices {
  /** The signups that the page showed. */
  readonly shown: readonly string[];
  readonly groups: readonly { readonly group: Group; readonly choice: Choice }[];
}

/**
 * Reads the post of the page. Without the ids that it showed, it chooses the signup of the link where that is all there
 * is.
 *
 * @returns null where the ids are not signed, one of them is no longer open, or nothing was chosen
 */
export function readChoices(
  fields: URLSearchParams,
  open: readonly OpenSignup[],
  { key, id }: Pick<ChoicesOptions, 'key' | 'id'>,
): Choices | null {
  const field = fields.get('shown');
  if (field === null) {
    const [group, ...others] = groupsOf(open);
    if (!group?.ids.includes(id) || group.versions.length > 0 || others.length > 0) return null;
    return { shown: group.ids, groups: [{ group, choice: group.agreed }] };
  }
  const shown = field.split('.').slice(0, -1);
  const expected = Buffer.from(signed(key, id, shown));
  const presented = Buffer.from(field);
  if (presented.length !== expected.length || !timingSafeEqual(presented, expected)) return null;
  const known = open.filter((signup) => shown.includes(signup.id));
  if (known.length < shown.length) return null;
  const values = new Set(fields.getAll('choice'));
  const groups = groupsOf(known).flatMap((group, number) =>
    [
      { value: group.versions.length === 0 ? `${number}` : `${number}.address`, choice: group.agreed },
      ...group.versions.map((choice, n) => ({ value: `${number}.${n}`, choice })),
    ]
      .filter(({ value }) => values.has(value))
      .slice(0, 1)
      .map(({ choice }) => ({ group, choice })),
  );
  return groups.length > 0 ? { shown, groups } : null;
}
