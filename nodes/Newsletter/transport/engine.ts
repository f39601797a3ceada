/** Creates the engine of a node from its credential. */
import {
  type Arguments,
  BadRequestError,
  type CallOptions,
  createEngine,
  deviationText,
  type Engine,
  type EngineOptions,
  isRecord,
  readServiceAddress,
} from '@newsletter-kit/core/engine';
import { type IAllExecuteFunctions, NodeOperationError } from 'n8n-workflow';
import { showHint } from '../execution.ts';
import { usesOAuth2 } from '../parameters/connection.ts';
import { addressOf, type CredentialConnection, publicationIdOf } from './credential.ts';
import { createHost } from './host.ts';

const differs = 'The service differs from its specification';

/** An engine, and the publication it works on. */
export interface OpenEngine {
  readonly engine: Engine;
  readonly publicationId: string;
}

/**
 * @param named - the node's publication; empty for the credential's
 * @param onAttempt - called after each request to the service, retries included
 * @throws NodeOperationError for an OAuth2 credential without a token, or a credential without an address
 */
export async function openEngine(
  context: IAllExecuteFunctions,
  named: string,
  onAttempt?: EngineOptions['onAttempt'],
): Promise<OpenEngine> {
  const node = context.getNode();
  const oAuth2 = usesOAuth2(node);
  const type = oAuth2 ? 'newsletterOAuth2Api' : 'newsletterApi';
  const credential = await context.getCredentials<CredentialData>(type);
  // n8n does not check the token of a PKCE grant, and the service's 401 would not tell that it is missing.
  if (oAuth2 && !hasToken(credential)) {
    throw new NodeOperationError(node, 'The Newsletter OAuth2 credential is not connected', {
      description: 'Open the credential and choose Connect.',
    });
  }
  const baseUrl = addressOf(credential, 'baseUrl');
  if (baseUrl === '') {
    throw new NodeOperationError(node, 'The credential has no address of the API', {
      description: 'Choose the Service in the credential; for Other, enter its Base URL.',
    });
  }
  const read = readServiceAddress(baseUrl);
  if ('problem' in read) throw new NodeOperationError(node, `The Base URL of the credential ${read.problem}`);
  const publicationId = named.trim() || publicationIdOf(credential);
  return {
    engine: createEngine({
      host: createHost(context, type),
      baseUrl,
      publicationId,
      onAttempt,
      // The name that the published clients of this service use; it ignores the specification's.
      customerIdField: credential.service === 'beehiiv' ? 'stripe_customer_id' : undefined,
      onDeviation(deviation) {
        const label = deviationText(deviation);
        const text = `${differs}. ${label}`;
        if ('addExecutionHints' in context)
          showHint(context, text, { key: 'deviation', summary: `${differs} in {count} places`, label });
        else context.logger.warn(text);
      },
    }),
    publicationId,
  };
}

/** An aborted connection leaves token data without a token. */
function hasToken({ oauthTokenData }: CredentialData): boolean {
  return isRecord(oauthTokenData) && typeof oauthTokenData['access_token'] === 'string';
}

/** A credential as n8n gives it. */
interface CredentialData extends CredentialConnection {
  readonly oauthTokenData?: unknown;
}

/** How many subscriptions there are, or of one status; null where the service does not tell. */
export async function listSize(
  engine: Pick<Engine, 'list'>,
  call?: CallOptions,
  status?: Arguments<'subscriptions.list'>['status'],
): Promise<number | null> {
  return engine.list('subscriptions.list', { page: 1, limit: 1, status }, call).then(
    ({ totalResults }) => totalResults,
    // Pages by number are deprecated, and not every status has a list.
    (error: unknown) => (error instanceof BadRequestError ? null : Promise.reject(error)),
  );
}
