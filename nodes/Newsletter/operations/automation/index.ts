/** Automation and its operations. */
import type { ResourceDefinition } from '../definition.ts';
import { get } from './get.ts';
import { getEmails } from './getEmails.ts';
import { getMany } from './getMany.ts';

export const automation: ResourceDefinition = { name: 'Automation', operations: { get, getEmails, getMany } };
