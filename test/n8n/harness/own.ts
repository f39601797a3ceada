/** A separate n8n for tests that end it or run it in another mode. */
import { cp } from 'node:fs/promises';
import { inject } from 'vitest';
import { createInstallation, type Installation } from './n8n.ts';
import { packageFolder } from '../../../scripts/n8n/pack.ts';
import { Rest } from './rest.ts';

const durable = { N8N_SCHEDULER_ENABLED: 'true', N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true' };

/** What runs the polls of n8n 2. */
export const schedulers = {
  default: {},
  durable,
  'durable with cursors': { ...durable, N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true' },
};

export interface OwnN8n extends Installation {
  /** Signed in; the session survives a restart. */
  readonly rest: Rest;
}

/** Starts it with the package of the shared n8n. The caller closes it. */
export async function startOwnN8n(settings?: Readonly<Record<string, string>>): Promise<OwnN8n> {
  const { program, userFolder } = inject('newsletter');
  const installation = await createInstallation(program, settings);
  try {
    await cp(packageFolder(userFolder), packageFolder(installation.userFolder), { recursive: true });
    await installation.start();
    return { ...installation, rest: new Rest(installation.url, await Rest.setUpOwner(installation.url)) };
  } catch (error) {
    await installation.close();
    throw error;
  }
}
