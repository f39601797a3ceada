/** An n8n of a test's own beside the shared one, for tests that end it or run it in another mode. */
import { inject } from 'vitest';
import { createInstallation, type Installation } from './n8n.ts';
import { sharePackage } from '../../../scripts/n8n/pack.ts';
import { Rest } from './rest.ts';

export interface OwnN8n extends Installation {
  /** Signed in; the session outlives a restart. */
  readonly rest: Rest;
}

/** Starts it with the package that the shared one has. The caller closes it. */
export async function startOwnN8n(settings?: Readonly<Record<string, string>>): Promise<OwnN8n> {
  const { program, userFolder } = inject('newsletter');
  const installation = await createInstallation(program, settings);
  try {
    await sharePackage(userFolder, installation.userFolder);
    await installation.start();
    return { ...installation, rest: new Rest(installation.url, await Rest.setUpOwner(installation.url)) };
  } catch (error) {
    await installation.close();
    throw error;
  }
}
