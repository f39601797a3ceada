/** Subscription and its operations. */
import type { ResourceDefinition } from '../definition.ts';
import { create } from './create.ts';
import { getMany } from './getMany.ts';

export const subscription: ResourceDefinition = { name: 'Subscription', operations: { create, getMany } };
