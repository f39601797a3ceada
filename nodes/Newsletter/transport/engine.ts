/** Opens the engine for a node: its credential says where the API stands and which publication is meant. */
import { createEngine, type Engine } from '@newsletter-kit/core/engine';
import type { IAllExecuteFunctions } from 'n8n-workflow';
import { createHost } from './host.ts';

/** The credential type that every node of the package takes. */
export const credentialType = 'newsletterApi';

/** An engine, and the publication it works on. */
export interface OpenEngine {
  readonly engine: Engine;
  readonly publicationId: string;
}

/** @param named - the publication the node names; empty for the credential's */
export async function openEngine(context: IAllExecuteFunctions, named: string): Promise<OpenEngine> {
  const credential = await context.getCredentials<Connection>(credentialType);
  const publicationId = named.trim() || credential.publicationId.trim();
  return { engine: createEngine({ host: createHost(context, credentialType), baseUrl: credential.baseUrl.trim(), publicationId }), publicationId };
}

/** The fields of the credential that are not secret. */
interface Connection {
  readonly baseUrl: string;
  readonly publicationId: string;
}
