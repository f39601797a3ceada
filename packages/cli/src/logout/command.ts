import type { Command } from '../command/definition.ts';

export const logout: Command<Record<never, never>> = {
  about: 'end the login at the service and forget it here',
  options: {},
  load: () => import('./run.ts'),
};
