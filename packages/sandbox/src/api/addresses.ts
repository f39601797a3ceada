/** Where the operations of the contract lie below the sandbox's own address. */
import type { Operation } from '@newsletter-kit/core/contract';

/** Path prefix of the API. */
export const apiPrefix = '/v2';

/** The path of an operation, with the names of its parameters. */
export const addressOf = ({ base, path }: Operation): string => (base === 'api' ? apiPrefix : '') + path;

/** Matches the paths that an address stands for; its groups are their parameters, not decoded. */
export const patternOf = (address: string): RegExp =>
  new RegExp(`^${address.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
