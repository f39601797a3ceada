/** Fields that both credentials have: the service, its addresses, and the publication. */
import type { INodeProperties } from 'n8n-workflow';

/**
 * `other` is the default, because a credential that was saved before there was a choice has an address and no service;
 * n8n fills in the default, and drops every field that is hidden then.
 */
export const service: INodeProperties = {
  displayName: 'Service',
  name: 'service',
  type: 'options',
  default: 'other',
  description: 'The newsletter service. Choose it to have its addresses filled in.',
  options: [
    {
      name: 'Beehiiv',
      value: 'beehiiv',
      description: 'A compatible service, API version 2. These nodes were never tried against it live.',
    },
    {
      name: 'Local Sandbox',
      value: 'sandbox',
      description: 'The sandbox on the machine of n8n, at 127.0.0.1:4010. Elsewhere, choose Other.',
    },
    { name: 'Other', value: 'other', description: 'Any service that speaks the Newsletter Publishing API' },
  ],
};

const otherService = { show: { service: ['other'] } };

export const appUrl: INodeProperties = {
  displayName: 'App URL',
  name: 'appUrl',
  type: 'string',
  required: true,
  default: '',
  placeholder: 'e.g. https://app.example.com',
  description: 'Root address of the app where you sign in and consent',
  displayOptions: otherService,
};

export const baseUrl: INodeProperties = {
  displayName: 'Base URL',
  name: 'baseUrl',
  type: 'string',
  required: true,
  default: '',
  placeholder: 'e.g. https://api.example.com/v2',
  description: 'Root address of the API. It ends with /v2.',
  displayOptions: otherService,
};

export const publicationId: INodeProperties = {
  displayName: 'Publication ID',
  name: 'publicationId',
  type: 'string',
  default: '',
  placeholder: 'e.g. pub_00000000-0000-4000-8000-000000000001',
  description: 'The publication of every node that chooses none. Where it is empty, each node has to choose one.',
};
