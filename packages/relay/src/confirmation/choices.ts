/**
 * What the owner of a mailbox can choose: its open signups by form and address and, where several differ, their
 * versions. None wins by being the first or the last. Pure.
 */
import type { KeptSubmission } from '@newsletter-kit/core/endpoint';
import type { SubmittedField } from '@newsletter-kit/core/signup';
import type { Consent, OpenSignup } from '../store/signup-store.ts';

/** What a choice sends, and what is shown of it. */
export interface Choice extends Pick<Consent, 'sentence' | 'version'> {
  readonly submission: KeptSubmission;
  /** The fields that not all signups of the group agree on. */
  readonly own: readonly SubmittedField[];
}

/** The open signups of one form and address. */
export interface Group {
  readonly form: string;
  /** As written. */
  readonly email: string;
  readonly ids: readonly string[];
  /** One where all agree; otherwise the versions, the newest last, and then what all agree on. */
  readonly choices: readonly Choice[];
}

/** Maximum number of versions of a group. */
const mostVersions = 3;

export function groupsOf(open: readonly OpenSignup[]): readonly Group[] {
  const groups = Map.groupBy(open, ({ form, submission }) => JSON.stringify([form, submission.email]));
  return [...groups.values()].flatMap((all) => {
    const versions = Map.groupBy(all, ({ submission: { custom_fields: fields = [] }, consent }) =>
      JSON.stringify([consent.sentence, fields.map((field) => JSON.stringify(field)).toSorted()]),
    );
    const differing = versions.size === 1 ? [] : [...versions.values()].slice(-mostVersions);
    const choices = [...differing, all].flatMap((same) => same.slice(0, 1).map((first) => choiceOf(first, same, all)));
    const ids = all.map(({ id }) => id);
    return all.slice(0, 1).map(({ form, submission: { email } }) => ({ form, email, ids, choices }));
  });
}

/** The fields and words that are the same in one version, with the attribution that is the same in its whole group. */
function choiceOf(first: OpenSignup, same: readonly OpenSignup[], all: readonly OpenSignup[]): Choice {
  const agree = (signups: readonly OpenSignup[], part: (signup: OpenSignup) => unknown): boolean =>
    new Set(signups.map((signup) => JSON.stringify(part(signup)))).size === 1;
  const agreeOn = (signups: readonly OpenSignup[], { name }: SubmittedField): boolean =>
    agree(signups, ({ submission }) => submission.custom_fields?.filter((field) => field.name === name));
  const { email, custom_fields = [], consent, ...source } = first.submission;
  const fields = custom_fields.filter((field) => agreeOn(same, field));
  const agreedSource = Object.entries(source).filter(([name]) =>
    agree(all, ({ submission }) => Object.entries(submission).find(([each]) => each === name)),
  );
  return {
    sentence: agree(same, (signup) => signup.consent.sentence) ? first.consent.sentence : null,
    version: agree(same, (signup) => signup.consent.version) ? first.consent.version : null,
    own: fields.filter((field) => !agreeOn(all, field)),
    submission: {
      email,
      ...Object.fromEntries(agreedSource),
      ...(fields.length > 0 && { custom_fields: fields }),
      ...(consent !== undefined && agree(same, ({ submission }) => submission.consent) && { consent }),
    },
  };
}
