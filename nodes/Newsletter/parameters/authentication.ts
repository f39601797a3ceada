/** How the node signs its requests: which credential it takes. */
import type { INode, INodeCredentialDescription, INodeProperties } from 'n8n-workflow';

export const authentication: INodeProperties = {
  displayName: 'Authentication',
  name: 'authentication',
  type: 'options',
  noDataExpression: true,
  default: 'apiKey',
  options: [
    { name: 'API Key', value: 'apiKey' },
    { name: 'OAuth2', value: 'oAuth2' },
  ],
};

/** The credentials of every node of the package. */
export const credentials: INodeCredentialDescription[] = [
  { name: 'newsletterApi', required: true, displayOptions: { show: { authentication: ['apiKey'] } } },
  { name: 'newsletterOAuth2Api', required: true, displayOptions: { show: { authentication: ['oAuth2'] } } },
];

/** Whether the node signs with OAuth2. The parameter takes no expression, so what is stored is what is meant. */
export function usesOAuth2({ parameters }: INode): boolean {
  return parameters['authentication'] === 'oAuth2';
}
