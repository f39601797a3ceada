/** The environment variables that connect a program to a sandbox. */
import { apiKeys, oauthClients, publicationId } from '../world/standard-values.ts';

/**
 * @param address - `http://host:port`
 * @param controlToken - undefined where the control requires none
 */
export function environmentOf(address: string, controlToken?: string): Readonly<Record<string, string>> {
  return {
    NEWSLETTER_API_URL: `${address}/v2`,
    NEWSLETTER_APP_URL: address,
    NEWSLETTER_API_KEY: apiKeys.workspace,
    NEWSLETTER_PUBLICATION_ID: publicationId,
    NEWSLETTER_OAUTH_CLIENT_ID: oauthClients.confidential.uid,
    NEWSLETTER_OAUTH_CLIENT_SECRET: oauthClients.confidential.secret,
    NEWSLETTER_SANDBOX_URL: `${address}/_sandbox`,
    ...(controlToken !== undefined && { NEWSLETTER_SANDBOX_TOKEN: controlToken }),
  };
}
