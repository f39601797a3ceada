/** The registry: every resource of the node. The key is its value in a workflow and must never change. */
import type { ResourceDefinition } from './definition.ts';
import { subscription } from './subscription/index.ts';

export const resources: Readonly<Record<string, ResourceDefinition>> = { subscription };
