/**
 * Parameters that take several texts: a person adds them one by one, an expression gives a list or a text with commas.
 */
import type { INodeProperties } from 'n8n-workflow';

type Described = Pick<INodeProperties, 'displayName' | 'name' | 'placeholder' | 'description'>;

/** @param add - what the button says that adds one */
export function texts(add: string, described: Described): INodeProperties {
  return {
    ...described,
    type: 'string',
    typeOptions: { multipleValues: true, multipleValueButtonText: add },
    default: [],
  };
}

const listId = 'e.g. nl_list_00000000-0000-4000-8000-000000000001';

/** IDs of newsletter lists, which the API cannot list. */
export function newsletterLists(described: Described): INodeProperties {
  return texts('Add ID', { ...described, placeholder: listId });
}

/** Premium tiers by their IDs and by their names. @param what - what the two parameters do with them */
export function premiumTiers(what: {
  readonly byId: string;
  readonly byName: string;
}): readonly [INodeProperties, INodeProperties] {
  return [
    texts('Add ID', {
      displayName: 'Premium Tier IDs',
      name: 'premium_tier_ids',
      placeholder: 'e.g. tier_00000000-0000-4000-8000-000000000001',
      description: what.byId,
    }),
    texts('Add Name', {
      displayName: 'Premium Tier Names',
      name: 'premium_tiers',
      placeholder: 'e.g. Gold',
      description: what.byName,
    }),
  ];
}
