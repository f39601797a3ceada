/** Event: a subscription was created. */
import type { Arguments, Engine } from '@newsletter-kit/core/engine';
import { pollCreated } from '@newsletter-kit/core/watch';
import type { IPollFunctions } from 'n8n-workflow';
import { toRecord } from '../records/record.ts';
import { largestPage } from '../parameters/list.ts';
import { readCollection } from '../parameters/read.ts';
import { subscriptionInclude } from '../parameters/subscriptionInclude.ts';
import { openEngine } from '../transport/engine.ts';
import type { EventDefinition } from './events.ts';
import { resume, toKeep } from './state.ts';

/** Most pages one poll reads. What a burst leaves over is read by the next polls. */
const pagesAPoll = 50;

export const subscriptionCreated: EventDefinition = {
  name: 'Subscription Created',
  description: 'When an address is subscribed, wherever it was entered',

  async poll(context) {
    const { engine, publicationId, query } = await open(context);
    const kept = context.getWorkflowStaticData('node');
    const before = resume(kept['newsletter'], publicationId);
    const { events, state, complete, interruption } = await pollCreated({
      state: before,
      pages: pagesAPoll,
      hasTime: timeKeeper(context),
      read: async (cursor) => {
        const page = await engine.list('subscriptions.list', { ...query, limit: largestPage, ...(cursor !== null && { cursor }) });
        return { items: page.items, nextCursor: page.hasMore ? page.nextCursor : null };
      },
    });
    if (interruption !== undefined) {
      context.logger.warn('Newsletter Trigger: the poll was cut short; what it found is passed on, the next poll goes on from there');
    } else if (!complete) {
      context.logger.info('Newsletter Trigger: more is new than one poll takes; the next poll goes on from there');
    }
    if (state !== before) kept['newsletter'] = toKeep(publicationId, state);
    return events.map(toRecord);
  },

  async sample(context) {
    const { engine, query } = await open(context);
    const { items } = await engine.list('subscriptions.list', { ...query, limit: 1 });
    return items.slice(0, 1).map(toRecord);
  },
};

async function open(
  context: IPollFunctions,
): Promise<{ engine: Engine; publicationId: string; query: Arguments<'subscriptions.list'> }> {
  const own = String(context.getNodeParameter('publicationId', '', { extractValue: true }) ?? '');
  const { engine, publicationId } = await openEngine(context, own);
  return {
    engine,
    publicationId,
    query: {
      ...readCollection([subscriptionInclude], { expand: context.getNodeParameter('expand', []) }),
      order_by: 'created',
      direction: 'desc',
    },
  };
}

/** n8n abandons a poll that takes too long, and with it what was found: stop while two thirds of the time are used. */
function timeKeeper(context: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>): () => boolean {
  const budget = context.getPollBudgetMs?.();
  if (budget === undefined) return () => true;
  const end = Date.now() + (budget * 2) / 3;
  return () => Date.now() < end;
}

