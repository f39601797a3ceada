/** Where the operations of the contract lie below the sandbox's own address. */
import type { Operation } from '@newsletter-kit/core/contract';

/** Path prefix of the API. */
export const apiPrefix = '/v2';

/** The path of an operation, with the names of its parameters. */
export const addressOf = ({ base, path }: Operation): string => (base === 'api' ? apiPrefix : '') + path;
