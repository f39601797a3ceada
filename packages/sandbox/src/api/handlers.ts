/** Every operation of the API with what answers it. */
import { automationHandlers } from './automations.ts';
import { bulkHandlers } from './bulk.ts';
import { contentHandlers } from './content.ts';
import { customFieldHandlers } from './custom-fields.ts';
import { deletionRequestHandlers } from './deletion-requests.ts';
import type { Handler } from './handler.ts';
import { journeyHandlers } from './journeys.ts';
import { publicationFieldHandlers } from './publication-fields.ts';
import { publicationHandlers } from './publications.ts';
import { subscriptionHandlers } from './subscriptions.ts';

const all: readonly Handler[] = [
  ...subscriptionHandlers,
  ...bulkHandlers,
  ...automationHandlers,
  ...journeyHandlers,
  ...contentHandlers,
  ...customFieldHandlers,
  ...deletionRequestHandlers,
  ...publicationFieldHandlers,
  ...publicationHandlers,
];

/** By the operation's id in the contract. */
export const handlers: ReadonlyMap<string, Handler> = new Map(all.map((handler) => [handler.id, handler]));
