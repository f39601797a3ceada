/** What a person sees who presses "Test" on the credential. */
import { describe, expect, inject, it } from 'vitest';
import { Rest } from './harness/rest.ts';

const { n8nUrl, cookie, credentialId, credential } = inject('newsletter');
const n8n = new Rest(n8nUrl, cookie);

const press = (fields: Partial<typeof credential> = {}) =>
  n8n.testCredential(credentialId, 'newsletterApi', { ...credential, ...fields });

describe('the credential test', () => {
  it('passes with the right key and publication', async () => {
    expect(await press()).toMatchObject({ status: 'OK' });
  });

  it('passes with a slash at the end of the base URL', async () => {
    expect(await press({ baseUrl: `${credential.baseUrl}/` })).toMatchObject({ status: 'OK' });
  });

  it('passes with a key restricted to the publication', async () => {
    expect(await press({ apiKey: 'sandbox-key-restricted' })).toMatchObject({ status: 'OK' });
  });

  it.each([
    { wrong: 'key', fields: { apiKey: 'no-such-key' }, says: 'Check the API Key' },
    {
      wrong: 'publication',
      fields: { publicationId: 'pub_00000000-0000-4000-8000-00000000dead' },
      says: 'Check the Publication ID',
    },
    {
      wrong: 'path of the base URL',
      fields: { baseUrl: credential.baseUrl.replace('/v2', '/v3') },
      says: 'Base URL ends with /v2',
    },
    { wrong: 'form of the publication', fields: { publicationId: 'my newsletter' }, says: 'Publication ID' },
  ])('says what to check for a wrong $wrong, and does not repeat the key', async ({ fields, says }) => {
    const outcome = await press(fields);
    expect(outcome).toMatchObject({ status: 'Error', message: expect.stringContaining(says) });
    expect(outcome.message).not.toContain('no-such-key');
  });

  it('says that the service cannot be reached where nothing listens', async () => {
    const outcome = await press({ baseUrl: 'http://127.0.0.1:9/v2' });
    expect(outcome).toMatchObject({ status: 'Error', message: expect.stringMatching(/refused|ECONNREFUSED/i) });
  });
});
