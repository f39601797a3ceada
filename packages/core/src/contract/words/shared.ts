/**
 * Types of the reference documentation, and the parameters that several resources share. A resource's file names them
 * one by one, without spread or property access, so that a bundler can drop the documentation that is not used.
 */

/** Documentation of one parameter or field of a request. */
export interface ParameterWords {
  /** Meaning, unit and limits, in whole sentences. The default value stands in `default`. */
  readonly text: string;
  /** The value the service uses when none is sent. */
  readonly default?: string | number | boolean;
}

/** Parameters by name; repeatable ones without their `[]`. */
export type ParametersWords = Readonly<Record<string, ParameterWords>>;

/** Documentation of one operation, beyond its one line `doc`. */
export interface OperationWords {
  /** What the operation does, and what a caller has to know. */
  readonly description: string;
  /** Content of the answer. */
  readonly returns: string;
  /** The part of the specification that the operation comes from. */
  readonly section: string;
  /** Path, query and body parameters, in the order of the contract. */
  readonly parameters: ParametersWords;
  /** What an error status means here, where it says more than {@link statuses}. */
  readonly errors?: Readonly<Partial<Record<number, string>>>;
  /** Arguments of a call that succeeds, as TypeScript. */
  readonly example?: string;
}

export const publicationId = {
  text: 'Prefixed ID of the publication, for example `pub_00000000-0000-4000-8000-000000000001`.',
} as const satisfies ParameterWords;

export const limit = {
  text: 'Number of records per page, from 1 to 100.',
  default: 10,
} as const satisfies ParameterWords;

export const cursor = {
  text: 'Where the page starts: the `next_cursor` of the previous answer, unchanged. Cannot be combined with `page`.',
} as const satisfies ParameterWords;

export const page = {
  text: 'Number of the page, from 1 to 100. Offset pagination is deprecated; use `cursor` where the list has one.',
  default: 1,
} as const satisfies ParameterWords;

export const doubleOptOverride =
  '`on` sends the double opt-in confirmation e-mail, and the subscriber must confirm before becoming active. `off` activates the subscription immediately without a confirmation e-mail. `not_set` applies the setting of the publication.';

export const authorName = {
  text: 'Only authors with this full name or first name. Case-insensitive.',
} as const satisfies ParameterWords;

export const conditionSetPurpose = {
  text: 'Only condition sets for this purpose. All purposes when left out.',
} as const satisfies ParameterWords;

export const journeyStatus = {
  text: 'Only journeys of this status.',
  default: 'all',
} as const satisfies ParameterWords;

export const publicationFieldStatus = {
  text: 'Only fields of this status; `all` includes archived ones.',
  default: 'active',
} as const satisfies ParameterWords;

/** Filters of the lists beside that of subscriptions. */
export const filterWords = {
  authorName,
  conditionSetPurpose,
  journeyStatus,
  publicationFieldStatus,
} as const satisfies ParametersWords;
