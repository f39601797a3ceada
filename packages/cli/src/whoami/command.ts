import type { Command } from '../command/definition.ts';
import { connectionOptions } from '../settings/settings.ts';

export const whoami: Command<typeof connectionOptions> = {
  about: 'say which key or login is used, and what it reaches',
  options: connectionOptions,
  notes: 'Exit code 0 where the service takes the key or login and the publication is within its reach.',
  load: () => import('./run.ts'),
};
