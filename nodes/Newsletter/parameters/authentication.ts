/** The parameter Authentication, and the credentials of the nodes. */
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

/** Whether the node uses OAuth2. The parameter takes no expression, so its stored value is final. */
export function usesOAuth2({ parameters }: INode): boolean {
  return parameters['authentication'] === 'oAuth2';
}
