/** "Return All" and "Limit", the same in every list operation. */
import type { INodeProperties } from 'n8n-workflow';

/** How many results a list operation gives. */
export const listLength: readonly INodeProperties[] = [
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    default: false,
    description: 'Whether to return all results or only up to a given limit',
  },
  {
    displayName: 'Limit',
    name: 'limit',
    type: 'number',
    typeOptions: { minValue: 1 },
    default: 50,
    description: 'Max number of results to return',
    displayOptions: { show: { returnAll: [false] } },
  },
];

/** Largest page the API gives. */
export const largestPage = 100;
