/** The commands of `newsletter` as a table. A command's module is loaded when it is called. */
import type { Candidate, CommandEntry, CommandLine } from '@newsletter-kit/core/command-line';
import type { Context } from './context.ts';

const commands = {
  login: { about: 'sign in with a browser, or keep an API key', load: () => import('./commands/login.ts') },
  logout: { about: 'revoke the login of a profile and delete it here', load: () => import('./commands/logout.ts') },
  whoami: { about: 'show the key or login in use, and what it reaches', load: () => import('./commands/whoami.ts') },
  profiles: { about: 'list, choose and remove named connections', load: () => import('./commands/profiles.ts') },
  api: { about: 'call any operation or path of the API', load: () => import('./commands/api.ts') },
  export: { about: 'write all subscriptions to a file, or to stdout', load: () => import('./commands/export.ts') },
  import: { about: 'import subscriptions from a CSV file', load: () => import('./commands/import.ts') },
  watch: {
    about: 'report new and changed subscriptions, until Ctrl-C',
    load: () => import('./commands/watch.ts'),
  },
  sync: {
    about: 'keep subscriptions and contacts in PostgreSQL in step',
    load: () => import('./commands/sync.ts'),
  },
} as const satisfies Readonly<Record<string, CommandEntry<Context>>>;

export const newsletter: CommandLine<Context> = {
  name: 'newsletter',
  about: "A newsletter's subscriptions from the command line.",
  manifest: new URL('../package.json', import.meta.url),
  commands,
  notes: [
    'newsletter COMMAND --help prints the options of a command.',
    'Exit codes: 0 done · 1 failed · 2 done except for rejected rows or findings · 3 interrupted, the same command continues',
  ],
  completeValue,
};

/** Operations and profiles. */
async function completeValue(name: string, { env }: Context): Promise<readonly Candidate[]> {
  if (name === 'operation') {
    const { operations } = await import('@newsletter-kit/core/contract');
    return operations.map(({ id, doc }) => ({ value: id, about: doc }));
  }
  if (name !== '--profile' && name !== 'name') return [];
  const { readProfiles, sandboxName } = await import('./profiles.ts');
  const { profiles } = await readProfiles(env);
  const all: Readonly<Record<string, { readonly apiUrl: string } | null>> = { [sandboxName]: null, ...profiles };
  return Object.entries(all).map(([value, profile]) => ({ value, about: profile?.apiUrl ?? 'built in' }));
}
