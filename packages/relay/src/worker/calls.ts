/** Headers and paths with which the Worker calls the Durable Object of a publication; the answer if it cannot start. */
import { unavailable } from '@newsletter-kit/core/endpoint';
import type { RelayConfig } from '../config/settings.ts';
import { unready } from '../health.ts';
import { refusePrivate } from '../ops/private-access.ts';
import { refuse } from '../pages/page.ts';

/** Headers of the Worker's own; those of a visitor are replaced. */
export const publicationHeader = 'newsletter-relay-publication';
export const visitorHeader = 'newsletter-relay-visitor';
export const callHeader = 'newsletter-relay-call';
export const refusedHeader = 'newsletter-relay-refused';

/** Every header of the Worker's own. */
export const ownHeaders = [publicationHeader, visitorHeader, callHeader, refusedHeader] as const;

/** A Durable Object of a publication. */
export interface RelayObjectStub {
  fetch(request: Request): Promise<Response>;
}

/** The binding of the class of Durable Objects. */
export interface RelayObjects {
  idFromName(name: string): unknown;
  get(id: unknown, options?: { readonly locationHint: string }): RelayObjectStub;
  /** The same class, in a jurisdiction; an object of the same name is another one there. */
  jurisdiction(name: string): RelayObjects;
}

/** The publications of a configuration, in the order of its forms. */
export function publicationsOf({ forms }: Pick<RelayConfig, 'forms'>): readonly string[] {
  return [...new Set(Object.values(forms).map(({ publicationId }) => publicationId))];
}

/** The part of a configuration that concerns one publication. */
export function configOf(all: RelayConfig, publicationId: string): RelayConfig {
  const forms = Object.fromEntries(
    Object.entries(all.forms).filter(([, form]) => form.publicationId === publicationId),
  );
  // The address that links in its mails begin with.
  const { publicUrl } = all.mail;
  const isPlain = publicUrl === undefined || publicationsOf(all).length === 1;
  const own = isPlain ? publicUrl : `${publicUrl}/publications/${publicationId}`;
  return { ...all, forms, mail: { ...all.mail, publicUrl: own } };
}

/** Path before every path of a publication's own: links in mails, and the operator's page and API. */
export const publicationPath = /^\/publications\/([^/]+)(?=\/)/;

/** Answers any request while the relay cannot start. @param token - of the operator, who may read the reason */
export function cannotStart(request: Request, reason: string, token: unknown): Response {
  if (new URL(request.url).pathname !== '/readyz') return refuse(unavailable());
  const access = { token: typeof token === 'string' ? token.trim() : undefined };
  return unready(reason, refusePrivate(request, access) === null);
}
