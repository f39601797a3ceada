/** `newsletter logout`: revokes the tokens of a profile, then deletes its credential. */
import type { Command } from '@commander-js/extra-typings';
import { createClient, NewsletterError } from '@newsletter-kit/core';
import { notes } from '#command-line';
import { appOf, profileOption, readSecret } from '../connection.ts';
import { exitCodes, type Context, type Environment, type ExitCode, type Session } from '../context.ts';
import { jsonOption, type Reporter } from '../output.ts';
import { saveProfile, profileNamed, readProfiles, sandboxName, tokenStore, type Profile } from '../profiles.ts';

export function define(command: Command, context: Context) {
  return command
    .addOption(profileOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      notes(
        'The profile keeps its addresses for the next login; newsletter profiles remove deletes the whole profile. An API key is only deleted on this machine: delete it at the service as well if nothing else uses it.',
      ),
    )
    .action((options) => context.run(logout, options.profile || undefined));
}

/** @param named - the profile; undefined for the current one */
async function logout(named: string | undefined, { env, report }: Session): Promise<ExitCode> {
  const stored = await readProfiles(env);
  const name = named ?? stored.current;
  const profile = name === null || name === sandboxName ? null : profileNamed(stored, name);
  if (name === null || !profile?.credential) {
    report.result({ type: 'logout', text: 'Nobody is logged in.', data: { profile: name, logged_in: false } });
    return exitCodes.done;
  }
  const problem = await revoke(env, name, profile);
  await saveProfile(env, name, { ...profile, credential: null });
  const login = profile.credential.kind === 'login' ? profile.credential : null;
  const from = login?.appUrl ?? profile.apiUrl;
  report.result({
    type: 'logout',
    text:
      problem === null
        ? `Logged out of ${from} (profile ${name}).`
        : `The login was deleted here, but ${from} did not revoke it.`,
    data: { profile: name, logged_in: true, revoked: problem === null && login !== null },
  });
  return endOf(problem, report);
}

/** Tells why tokens were not revoked, if so. */
export function endOf(problem: string | null, report: Reporter): ExitCode {
  if (problem === null) return exitCodes.done;
  report.failure({ type: 'RevocationError', message: problem });
  return exitCodes.failed;
}

/**
 * Revokes the tokens of a profile's login and deletes them here in any case.
 *
 * @returns why the service did not revoke them, or null
 */
export async function revoke(env: Environment, name: string, { apiUrl, credential }: Profile): Promise<string | null> {
  if (credential?.kind !== 'login') return null;
  const store = tokenStore(env, name, credential);
  const app = appOf(credential, readSecret(env, 'NEWSLETTER_OAUTH_CLIENT_SECRET'));
  const { oauth } = createClient({ baseUrl: apiUrl, appUrl: credential.appUrl, oauth: app });
  // Under the lock: a refresh of another command would create new tokens meanwhile.
  return await store.exclusively(async () => {
    const tokens = await store.load();
    try {
      if (tokens) await oauth.revokeTokens(tokens);
      return null;
    } catch (error) {
      if (!(error instanceof NewsletterError)) throw error;
      return `${error.message} A copy of the refresh token may still work: revoke the access of the app in the settings of the service.`;
    } finally {
      await store.clear();
    }
  });
}
