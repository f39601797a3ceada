/** Parameters of every node for the service: Authentication, Publication, and the fields that both credentials have. */
import type { INode, INodeCredentialDescription, INodeProperties } from 'n8n-workflow';
import { anyIdMode, listMode, modesOf } from './locators.ts';
import { select, text } from './properties.ts';
import type { ItemParameters } from './read.ts';

export const authentication = select({
  displayName: 'Authentication',
  name: 'authentication',
  noDataExpression: true,
  default: 'apiKey',
  options: [
    { name: 'API Key', value: 'apiKey' },
    { name: 'OAuth2', value: 'oAuth2' },
  ],
});

/** The credentials of every node of the package. */
export const credentials: INodeCredentialDescription[] = [
  { name: 'newsletterApi', required: true, displayOptions: { show: { authentication: ['apiKey'] } } },
  { name: 'newsletterOAuth2Api', required: true, displayOptions: { show: { authentication: ['oAuth2'] } } },
];

/** Whether the node uses OAuth2. The parameter takes no expression, so its stored value is final. */
export function usesOAuth2({ parameters }: INode): boolean {
  return parameters['authentication'] === 'oAuth2';
}

export const publication: INodeProperties = {
  displayName: 'Publication',
  name: 'publicationId',
  type: 'resourceLocator',
  default: { mode: 'list', value: '' },
  description: 'The publication to work on. Leave empty to use the one of the credential.',
  modes: modesOf([
    listMode('searchPublications', { hint: 'Empty: the publication of the credential' }),
    anyIdMode({
      hint: 'Empty: the publication of the credential',
      placeholder: 'e.g. pub_00000000-0000-4000-8000-000000000001',
      validation: [
        {
          type: 'regex',
          properties: { regex: '^(pub_[0-9a-zA-Z-]+)?$', errorMessage: 'A publication ID looks like pub_<uuid>' },
        },
      ],
    }),
  ]),
};

/** The publication that the node names; empty for the credential's. */
export function publicationOf({ node, itemIndex }: ItemParameters): string {
  return String(node.getNodeParameter(publication.name, itemIndex, '', { extractValue: true }) ?? '');
}

/** n8n drops the fields of a credential that are hidden, such as an address without the service Other. */
export const service = select({
  displayName: 'Service',
  name: 'service',
  default: 'beehiiv',
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
});

const otherService = { show: { service: ['other'] } };

export const appUrl = text({
  displayName: 'App URL',
  name: 'appUrl',
  required: true,
  placeholder: 'e.g. https://app.example.com',
  description: 'Root address of the app where you sign in and consent',
  displayOptions: otherService,
});

export const baseUrl = text({
  displayName: 'Base URL',
  name: 'baseUrl',
  required: true,
  placeholder: 'e.g. https://api.example.com/v2',
  description: 'Root address of the API. It ends with /v2.',
  displayOptions: otherService,
});

export const publicationId = text({
  displayName: 'Publication ID',
  name: 'publicationId',
  placeholder: 'e.g. pub_00000000-0000-4000-8000-000000000001',
  description: 'The publication of every node that chooses none. Where it is empty, each node has to choose one.',
});
