import { operation } from '@newsletter-kit/core/contract';
import type { Command } from '../command/definition.ts';
import { connectionOptions } from '../settings/settings.ts';

export const watchOptions = {
  ...connectionOptions,
  events: {
    value: 'EVENT',
    multiple: true,
    help: 'created (default), became_active, unsubscribed, status_changed, updated, removed; with commas between',
  },
  'custom-fields': { value: 'NAME', multiple: true, help: 'custom fields whose change is an update, or all' },
  expand: {
    value: 'WHAT',
    multiple: true,
    help: `what events carry as well: ${operation('subscriptions.list').expand.join(', ')}`,
  },
  state: { value: 'FILE', help: 'keeps how far it is, so that the next watch goes on there' },
  since: {
    value: 'TIME',
    help: 'report also who subscribed from this time on, such as 2026-01-31T12:00:00Z; only without a kept state',
  },
  every: { value: 'SECONDS', help: 'from the end of one look to the next; default 60' },
  pages: { value: 'NUMBER', help: 'most requests of one look; default 10' },
  once: { help: 'look once and end' },
} as const;

export const watch: Command<typeof watchOptions> = {
  about: 'report new and changed subscriptions, until Ctrl-C',
  options: watchOptions,
  notes: `The first look only notes where the list stands. All events but "created" need looks at the whole list, a slice at a time: how
long ago the oldest look was is told on the way. With --state every event is reported at least once, also over crashes.
Stopping it is no failure: the exit code is 0.`,
  load: () => import('./run.ts'),
};
