/**
 * What the owner of a mailbox can choose: its open signups by form and address and, where several differ, their
 * versions. None wins by being the first or the last. Pure.
 */
import type { KeptSubmission } from '@newsletter-kit/core/endpoint';
import type { Consent, OpenSignup } from '../store/signup-store.ts';

/** What a choice sends, and the words that are shown with it. */
export interface Choice extends Pick<Consent, 'sentence' | 'version'> {
  readonly submission: KeptSubmission;
}

/** The open signups of one form and address. */
export interface Group {
  readonly form: string;
  readonly ids: readonly string[];
  /** The address as written, with whatever all of them agree on. */
  readonly agreed: Choice;
  /** The versions, the newest last; empty where there is one. */
  readonly versions: readonly Choice[];
}

/** Maximum number of versions of a group. */
const mostVersions = 3;

export function groupsOf(open: readonly OpenSignup[]): readonly Group[] {
  const groups = Map.groupBy(open, ({ form, submission }) => JSON.stringify([form, submission.email]));
  return [...groups.values()].flatMap((signups) => {
    const agreed = agreedIn(signups);
    const ofVersion = Map.groupBy(signups, ({ submission: { custom_fields: fields = [] }, consent }) =>
      JSON.stringify([consent.sentence, fields.map((field) => JSON.stringify(field)).toSorted()]),
    );
    const versions = ofVersion.size === 1 ? [] : [...ofVersion.values()].slice(-mostVersions);
    return signups.slice(0, 1).map(({ form }) => ({
      form,
      ids: signups.map(({ id }) => id),
      agreed,
      versions: versions.map((same) => versionOf(same, agreed)),
    }));
  });
}

/** The fields of a version that its group does not agree on. */
export function ownFields({ submission }: Choice, { agreed }: Group): NonNullable<KeptSubmission['custom_fields']> {
  const common = new Set(agreed.submission.custom_fields?.map(({ name }) => name));
  return submission.custom_fields?.filter(({ name }) => !common.has(name)) ?? [];
}

/** The fields and the consent of a version, with the attribution of its whole group. */
function versionOf(signups: readonly OpenSignup[], { submission }: Choice): Choice {
  const { submission: own, ...words } = agreedIn(signups);
  const { custom_fields: fields, consent } = own;
  return {
    ...words,
    submission: { ...submission, ...(fields && { custom_fields: fields }), ...(consent !== undefined && { consent }) },
  };
}

/** Whatever is the same in all of these signups; a field with values in some alone is not. */
function agreedIn([first, ...others]: readonly OpenSignup[]): Choice {
  if (!first) throw new Error('A group has at least one signup.');
  const isAgreed = (part: (signup: OpenSignup) => unknown): boolean =>
    others.every((other) => JSON.stringify(part(other)) === JSON.stringify(part(first)));
  const { email, custom_fields: fields = [], ...rest } = first.submission;
  const agreedFields = fields.filter((field) =>
    isAgreed(({ submission }) => submission.custom_fields?.filter(({ name }) => name === field.name)),
  );
  return {
    sentence: isAgreed(({ consent }) => consent.sentence) ? first.consent.sentence : null,
    version: isAgreed(({ consent }) => consent.version) ? first.consent.version : null,
    submission: {
      email,
      ...Object.fromEntries(
        Object.entries(rest).filter(([name]) =>
          isAgreed(({ submission }) => Object.entries(submission).find(([key]) => key === name)),
        ),
      ),
      ...(agreedFields.length > 0 && { custom_fields: agreedFields }),
    },
  };
}
