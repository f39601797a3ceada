/** An account connected through OAuth 2.0 with PKCE: one credential for public and confidential apps. */
import type { ICredentialType, INodeProperties } from 'n8n-workflow';
import { appUrl, baseUrl, publicationId, service } from '../nodes/Newsletter/parameters/connection.ts';
import { several, text } from '../nodes/Newsletter/parameters/properties.ts';
import { addressOf, callInExpression, connectionTest } from '../nodes/Newsletter/transport/credential.ts';

/** Root address of the app, for n8n's own OAuth2. */
const app = callInExpression(addressOf, '$self', '"appUrl"');

const access = [
  { name: 'Advertisement Opportunities: Read', value: 'posts:read' },
  { name: 'Automations and Journeys: Enroll', value: 'automations:write' },
  { name: 'Automations and Journeys: Read', value: 'automations:read' },
  { name: 'Complimentary Access: Read', value: 'complimentary_access:read' },
  { name: 'Condition Sets: Read', value: 'condition_sets:read' },
  { name: 'Custom Fields: Create, Rename and Delete', value: 'custom_fields:write' },
  { name: 'Custom Fields: Read', value: 'custom_fields:read' },
  { name: 'Data Deletion: Read', value: 'data_deletion:read' },
  { name: 'Data Deletion: Request', value: 'data_deletion:write' },
  { name: 'Publication Fields: Read', value: 'publication_fields:read' },
  { name: 'Publications: Read', value: 'publications:read' },
  { name: 'Subscriptions: Create and Update', value: 'subscriptions:write' },
  { name: 'Subscriptions: Read', value: 'subscriptions:read' },
];

/**
 * The scopes requested without a choice: all except data deletion. They cannot be the default of the parameter, because
 * n8n's editor shows and saves a multi-select in a credential as empty, whatever its default.
 */
const usualAccess = access.map(({ value }) => value).filter((value) => !value.startsWith('data_deletion:'));

/** A field of n8n's own OAuth2 credential with a fixed value. */
const hidden = (displayName: string, name: string, preset: string): INodeProperties => ({
  displayName,
  name,
  type: 'hidden',
  default: preset,
});

export class NewsletterOAuth2Api implements ICredentialType {
  name = 'newsletterOAuth2Api';
  extends = ['oAuth2Api'];
  displayName = 'Newsletter (Beehiiv) OAuth2 API';
  icon = {
    light: 'file:../nodes/Newsletter/newsletter.svg',
    dark: 'file:../nodes/Newsletter/newsletter.dark.svg',
  } as const;
  documentationUrl =
    'https://github.com/newsletter-kit/newsletter-kit/blob/main/docs/src/content/docs/n8n/credentials.md';

  properties: INodeProperties[] = [
    service,
    appUrl,
    baseUrl,
    publicationId,
    text({
      displayName: 'Client Secret',
      name: 'clientSecret',
      typeOptions: { password: true },
      description: 'Leave empty for a public app: PKCE protects the exchange in either case',
    }),
    several({
      displayName: 'Access',
      name: 'access',
      description:
        'What the workflows may do with the account. Leave empty for everything but data deletion. Connect again after a change.',
      options: access,
    }),
    hidden('Grant Type', 'grantType', 'pkce'),
    { ...hidden('Authorization URL', 'authUrl', `={{ ${app} }}/oauth/authorize`), required: true },
    { ...hidden('Access Token URL', 'accessTokenUrl', `={{ ${app} }}/oauth/token`), required: true },
    hidden(
      'Scope',
      'scope',
      `={{($self["access"]?.length ? $self["access"] : ${JSON.stringify(usualAccess)}).join(" ")}}`,
    ),
    hidden('Auth URI Query Parameters', 'authQueryParameters', ''),
    hidden('Authentication', 'authentication', 'body'),
  ];

  // n8n refreshes an expired token only where the 401 is thrown.
  test = connectionTest(
    { ignore: true, except: [401] },
    'The access has expired or was revoked. Connect the account again.',
    'The account or its access may not read this. Access must include subscriptions:read; without a Publication ID, publications:read. Connect again after a change.',
  );
}
