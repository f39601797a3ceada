/** The API key, the service it belongs to, and the publication it is used for. */
import type { IAuthenticateGeneric, ICredentialType, INodeProperties } from 'n8n-workflow';
import { baseUrl, publicationId, service } from '../nodes/Newsletter/parameters/connection.ts';
import { text } from '../nodes/Newsletter/parameters/properties.ts';
import { apiKeyOf, callInExpression, connectionTest } from '../nodes/Newsletter/transport/credential.ts';

export class NewsletterApi implements ICredentialType {
  name = 'newsletterApi';
  displayName = 'Newsletter (Beehiiv) API';
  icon = {
    light: 'file:../nodes/Newsletter/newsletter.svg',
    dark: 'file:../nodes/Newsletter/newsletter.dark.svg',
  } as const;
  documentationUrl =
    'https://github.com/newsletter-kit/newsletter-kit/blob/main/docs/src/content/docs/n8n/credentials.md';

  properties: INodeProperties[] = [
    service,
    baseUrl,
    text({
      displayName: 'API Key',
      name: 'apiKey',
      typeOptions: { password: true },
      required: true,
      description: 'The key that the service issued; sandbox-key for the local sandbox',
    }),
    publicationId,
  ];

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: `=Bearer {{ ${callInExpression(apiKeyOf, '$credentials')} }}` } },
  };

  test = connectionTest(
    true,
    'The service does not know this API key. Check the API Key: it may be missing, mistyped, expired, revoked, or the key of another service.',
    'The API key may not read this. Check at the service what the key is allowed to do.',
  );
}
