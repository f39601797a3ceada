/** The OAuth scopes of the specification, with a description of each for the consent page. */
import { defaultScope } from '@newsletter-kit/core/contract';
import { OauthError } from './endpoint.ts';

/** Resources with the verbs they have: those of the specification's list, and those named on endpoints only. */
const resources = {
  identify: { read: 'See your name and e-mail address' },
  publications: { read: 'See your publications', write: 'Change your publications' },
  subscriptions: { read: 'See your subscribers', write: 'Add, change and remove subscribers' },
  custom_fields: { read: 'See custom fields', write: 'Add, rename and delete custom fields' },
  automations: {
    read: 'See automations and the journeys of subscribers',
    write: 'Enroll subscribers into automations',
  },
  posts: { read: 'See posts and advertisement opportunities', write: 'Write, change and delete posts' },
  segments: { read: 'See segments', write: 'Change segments' },
  condition_sets: { read: 'See condition sets' },
  tiers: { read: 'See premium tiers', write: 'Change premium tiers' },
  complimentary_access: { read: 'See complimentary access', write: 'Give complimentary access' },
  referral_program: { read: 'See the referral program', write: 'Change the referral program' },
  polls: { read: 'See polls and their answers', write: 'Change polls' },
  podcasts: { read: 'See podcasts', write: 'Change podcasts' },
  webhooks: { read: 'See webhooks', write: 'Add, change and delete webhooks' },
  publication_fields: { read: 'See publication fields' },
  data_deletion: { read: 'See deletion requests', write: 'Have the data of a subscriber deleted for good' },
} as const;

const words: ReadonlyMap<string, string> = new Map(
  Object.entries(resources).flatMap(([resource, verbs]) =>
    Object.entries(verbs).map(([verb, text]) => [`${resource}:${verb}`, text]),
  ),
);

/** Every scope there is. */
export const knownScopes: readonly string[] = [...words.keys()];

/** A scope in words for the person who is asked. */
export function inWords(scope: string): string {
  return words.get(scope) ?? scope;
}

/**
 * The scopes asked for, each once, in the order given; the default one where none is.
 *
 * @throws OauthError invalid_scope where one is unknown or beyond `within`
 */
export function readScopes(
  requested: string | undefined,
  within: readonly string[] = knownScopes,
  otherwise: readonly string[] = [defaultScope],
): readonly string[] {
  if (requested === undefined) return otherwise;
  const scopes = [...new Set(requested.split(/ +/))];
  const unknown = scopes.find((scope) => !within.includes(scope));
  if (unknown === undefined) return scopes;
  const name = /^[\w:.-]{1,40}$/.test(unknown) ? `"${unknown}"` : 'One of them';
  throw new OauthError('invalid_scope', {
    reason: `${name} is not a scope that can be requested here. Valid scopes: ${within.join(', ')}.`,
  });
}
