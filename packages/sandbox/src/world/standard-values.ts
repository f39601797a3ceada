/**
 * The publication, API keys and OAuth clients of every standard seed, which tests, documentation and users rely on.
 */

/** The publication of every standard seed. */
export const publicationId = 'pub_00000000-0000-4000-8000-000000000001';

/** API keys of every standard seed: one for the whole workspace, one for that publication only. */
export const apiKeys = { workspace: 'sandbox-key', restricted: 'sandbox-key-restricted' } as const;

/** OAuth clients of every standard seed. */
export const oauthClients = {
  confidential: { uid: 'sandbox-app', secret: 'sandbox-secret' },
  public: { uid: 'sandbox-public', secret: null },
} as const;
