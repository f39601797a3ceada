/** The subscription that an operation works on: named by its address or by its ID. */
import type { INodeProperties } from 'n8n-workflow';
import { ParameterMismatch, readParameter, type ItemParameters } from './read.ts';

/** How a subscription is named. */
export type Subscriber = { readonly email: string } | { readonly id: string };

export const subscriber: INodeProperties = {
  displayName: 'Subscription',
  name: 'subscription',
  type: 'resourceLocator',
  required: true,
  default: { mode: 'email', value: '' },
  description: 'The subscription to work on',
  typeOptions: { loadOptionsDependsOn: ['publicationId.value'] },
  modes: [
    {
      displayName: 'By Email',
      name: 'email',
      type: 'string',
      placeholder: 'name@email.com',
      hint: 'Upper and lower case are the same',
    },
    {
      displayName: 'By ID',
      name: 'id',
      type: 'string',
      placeholder: 'e.g. sub_00000000-0000-4000-8000-000000000001',
      validation: [
        {
          type: 'regex',
          properties: { regex: '^sub_[0-9a-fA-F-]+$', errorMessage: 'A subscription ID looks like sub_<uuid>' },
        },
      ],
    },
    {
      displayName: 'From List',
      name: 'list',
      type: 'list',
      placeholder: 'Choose…',
      hint: 'Newest first; search by the whole address',
      typeOptions: { searchListMethod: 'searchSubscriptions', searchable: true },
    },
  ],
};

/** The error where nobody is subscribed by this name. */
export function noSubscription(): ParameterMismatch {
  return new ParameterMismatch(
    '"Subscription" names no subscription of this publication; check the address or the ID, and the Publication',
  );
}

/**
 * Whichever way it was chosen: an address has an @ and an ID has none.
 *
 * @throws ParameterMismatch where it is empty
 */
export function readSubscriber(item: ItemParameters, parameter: INodeProperties = subscriber): Subscriber {
  const named = String(readParameter(item, parameter));
  return named.includes('@') ? { email: named } : { id: named };
}
