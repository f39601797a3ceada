/** Opens the engine for a node: its credential says where the API stands and which publication is meant. */
import { createEngine, type Engine, type EngineOptions } from '@newsletter-kit/core/engine';
import { NodeOperationError, type IAllExecuteFunctions } from 'n8n-workflow';
import { isRecord } from '../isRecord.ts';
import { usesOAuth2 } from '../parameters/authentication.ts';
import { createHost } from './host.ts';

/** An engine, and the publication it works on. */
export interface OpenEngine {
  readonly engine: Engine;
  readonly publicationId: string;
}

/**
 * @param named - the publication the node names; empty for the credential's
 * @param onAttempt - called after each request to the service, repetitions included
 * @throws NodeOperationError where the credential is of an account that was never connected
 */
export async function openEngine(
  context: IAllExecuteFunctions,
  named: string,
  onAttempt?: EngineOptions['onAttempt'],
): Promise<OpenEngine> {
  const node = context.getNode();
  const oAuth2 = usesOAuth2(node);
  const type = oAuth2 ? 'newsletterOAuth2Api' : 'newsletterApi';
  const credential = await context.getCredentials<Connection>(type);
  // For a grant with PKCE n8n does not look whether there is a token; the service's 401 would not say what is missing.
  if (oAuth2 && !hasToken(credential)) {
    throw new NodeOperationError(node, 'The Newsletter OAuth2 credential is not connected', {
      description: 'Open the credential and choose Connect.',
    });
  }
  const publicationId = named.trim() || credential.publicationId.trim();
  return {
    engine: createEngine({
      host: createHost(context, type),
      baseUrl: credential.baseUrl.trim(),
      publicationId,
      onAttempt,
    }),
    publicationId,
  };
}

/** Where a person began to connect and did not go through with it, there is token data without a token. */
function hasToken({ oauthTokenData }: Connection): boolean {
  return isRecord(oauthTokenData) && typeof oauthTokenData['access_token'] === 'string';
}

/** The fields of the credential that are not secret, and whether there is a token. */
interface Connection {
  readonly baseUrl: string;
  readonly publicationId: string;
  readonly oauthTokenData?: unknown;
}
