/** The parameters Wait for Completion and Timeout of operations that start a job. */
import type { INodeProperties } from 'n8n-workflow';
import { readParameter, type ItemParameters } from './read.ts';

const wait: INodeProperties = {
  displayName: 'Wait for Completion',
  name: 'waitForCompletion',
  type: 'boolean',
  default: true,
  description: 'Whether to wait until the service has carried out the job, and to report what it refused',
};

const timeout: INodeProperties = {
  displayName: 'Timeout (Seconds)',
  name: 'timeout',
  type: 'number',
  typeOptions: { minValue: 1 },
  default: 300,
  description: 'How long to wait at most. The service goes on with the job also after that.',
  displayOptions: { show: { waitForCompletion: [true] } },
};

export const waiting: readonly INodeProperties[] = [wait, timeout];

/** Seconds to wait at most; null for no wait. */
export function readWaiting(item: ItemParameters): number | null {
  return readParameter(item, wait) === true ? Number(readParameter(item, timeout) ?? timeout.default) : null;
}
