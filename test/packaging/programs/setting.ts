import type { ClientOptions } from '@newsletter-kit/core';

/** The setting that a program runs in. */
export interface Setting {
  /** The sandbox, its API key and its publication. */
  readonly options: Pick<ClientOptions, 'baseUrl' | 'token' | 'publicationId'>;
  /** The address of the sandbox's OAuth endpoints. */
  readonly appUrl: string;
  /** Signs in as a person would, and returns the address that the browser came back to. */
  readonly signIn: (url: string) => Promise<string>;
  readonly print: (...values: readonly unknown[]) => void;
}
