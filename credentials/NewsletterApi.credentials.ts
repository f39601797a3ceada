/** The API key, where the API stands, and the publication it is used for. */
import type { IAuthenticateGeneric, ICredentialTestRequest, ICredentialType, INodeProperties } from 'n8n-workflow';

export class NewsletterApi implements ICredentialType {
  name = 'newsletterApi';
  displayName = 'Newsletter API';
  icon = {
    light: 'file:../nodes/Newsletter/newsletter.svg',
    dark: 'file:../nodes/Newsletter/newsletter.dark.svg',
  } as const;
  documentationUrl = 'https://github.com/newsletter-kit/newsletter-kit/blob/main/docs/n8n/credentials.md';

  properties: INodeProperties[] = [
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      required: true,
      default: '',
      description: 'The key that the newsletter service issued. The local sandbox takes sandbox-key.',
    },
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      required: true,
      default: 'http://127.0.0.1:4010/v2',
      placeholder: 'e.g. https://api.example.com/v2',
      description: 'Root address of the API. It ends with /v2. The default is the local sandbox.',
    },
    {
      displayName: 'Publication ID',
      name: 'publicationId',
      type: 'string',
      required: true,
      default: '',
      placeholder: 'e.g. pub_00000000-0000-4000-8000-000000000001',
      description: 'The publication used wherever a node names none',
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
  };

  // The API has no "who am I": reading one subscription tells a wrong key (401) from a wrong publication (404).
  test: ICredentialTestRequest = {
    request: {
      baseURL: '={{$credentials.baseUrl.replace(/\\/+$/, "")}}',
      url: '=/publications/{{encodeURIComponent($credentials.publicationId)}}/subscriptions',
      qs: { limit: 1 },
    },
    rules: [
      {
        type: 'responseCode',
        properties: { value: 401, message: 'The service does not know this API key. Check the API Key.' },
      },
      {
        type: 'responseCode',
        properties: {
          value: 403,
          message: 'The API key may not read subscriptions. Check what the key is allowed to do.',
        },
      },
      {
        type: 'responseCode',
        properties: {
          value: 404,
          message:
            'The API key works, but there is no such publication for it. Check the Publication ID and that the Base URL ends with /v2.',
        },
      },
      {
        type: 'responseCode',
        properties: {
          value: 400,
          message: 'The service refused the publication. Check that the Publication ID looks like pub_<uuid>.',
        },
      },
    ],
  };
}
