/** "Return All" and "Limit", the same in every list operation. */
import type { INodeProperties } from 'n8n-workflow';
import { readParameter, type ItemParameters } from './read.ts';

const returnAll: INodeProperties = {
  displayName: 'Return All',
  name: 'returnAll',
  type: 'boolean',
  default: false,
  description: 'Whether to return all results or only up to a given limit',
};

const limit: INodeProperties = {
  displayName: 'Limit',
  name: 'limit',
  type: 'number',
  typeOptions: { minValue: 1 },
  default: 50,
  description: 'Max number of results to return',
  displayOptions: { show: { returnAll: [false] } },
};

/** How many results a list operation gives. */
export const listLength: readonly INodeProperties[] = [returnAll, limit];

/**
 * The number of results asked for; infinite for all.
 *
 * @throws ParameterMismatch
 */
export function readLength(item: ItemParameters): number {
  return readParameter(item, returnAll) === true
    ? Number.POSITIVE_INFINITY
    : Number(readParameter(item, limit) ?? limit.default);
}

/** Largest page the API gives. */
export const largestPage = 100;
