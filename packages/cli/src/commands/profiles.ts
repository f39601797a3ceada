/** `newsletter profiles`: lists, chooses and removes named connections. */
import type { Command } from '@commander-js/extra-typings';
import { UsageError, notes } from '#command-line';
import { exitCodes, type Context, type ExitCode, type Session } from '../context.ts';
import { jsonOption } from '../output.ts';
import {
  profileNamed,
  readProfiles,
  sandboxName,
  sandboxProfile,
  sandboxUrl,
  writeProfiles,
  type Profile,
} from '../profiles.ts';

export function define(command: Command, context: Context) {
  command
    .usage('list | use NAME | remove NAME')
    .addHelpText(
      'after',
      notes(
        `newsletter login --profile NAME creates a profile. The profile "sandbox" is built in: the sandbox at ${sandboxUrl} with its key. --profile NAME or NEWSLETTER_PROFILE selects a profile for a single command.`,
      ),
    );

  command
    .command('list')
    .description('list the profiles; * marks the current one')
    .addOption(jsonOption())
    .action(() => context.run(list, undefined));

  command
    .command('use')
    .argument('<name>', 'the profile that later commands use')
    .description('make a profile the current profile')
    .addOption(jsonOption())
    .action((name) => context.run(use, name));

  command
    .command('remove')
    .argument('<name>', 'the profile to delete')
    .description('log out and delete a profile')
    .addOption(jsonOption())
    .action((name) => context.run(remove, name));
}

async function list(_options: undefined, { env, report }: Session): Promise<ExitCode> {
  const { current, profiles } = await readProfiles(env);
  for (const [name, profile] of Object.entries({ [sandboxName]: sandboxProfile, ...profiles })) {
    const isCurrent = name === (current ?? sandboxName);
    report.result({
      type: 'profile',
      text: `${isCurrent ? '*' : ' '} ${name.padEnd(15)} ${profile.apiUrl}  ${describe(profile)}`,
      data: {
        profile: name,
        current: isCurrent,
        api_url: profile.apiUrl,
        app_url: profile.appUrl ?? null,
        publication_id: profile.publicationId ?? null,
        credential: profile.credential?.kind ?? null,
      },
    });
  }
  return exitCodes.done;
}

async function use(name: string, { env, report }: Session): Promise<ExitCode> {
  const stored = await readProfiles(env);
  const { apiUrl } = profileNamed(stored, name);
  await writeProfiles(env, { ...stored, current: name });
  report.result({
    type: 'profile',
    text: `The current profile is now ${name} (${apiUrl}).`,
    data: { profile: name, current: true, api_url: apiUrl },
  });
  return exitCodes.done;
}

async function remove(name: string, { env, report }: Session): Promise<ExitCode> {
  const stored = await readProfiles(env);
  const profile = profileNamed(stored, name);
  if (!Object.hasOwn(stored.profiles, name))
    throw new UsageError(`The profile ${name} is built in and cannot be removed.`);
  const { endOf, revoke } = await import('./logout.ts');
  const problem = await revoke(env, name, profile);
  const profiles = Object.fromEntries(Object.entries(stored.profiles).filter(([each]) => each !== name));
  await writeProfiles(env, { current: stored.current === name ? null : stored.current, profiles });
  report.result({ type: 'profile_removed', text: `Removed the profile ${name}.`, data: { profile: name } });
  return endOf(problem, report);
}

function describe({ credential, publicationId }: Profile): string {
  const login = !credential ? 'not logged in' : credential.kind === 'key' ? 'API key' : 'login';
  return publicationId === undefined ? login : `${login}, ${publicationId}`;
}
