/** `newsletter logout`: revokes the tokens, then forgets them. */
import { NewsletterError } from '@newsletter-kit/core';
import type { Call } from '../command/definition.ts';
import { exitCodes, type ExitCode } from '../command/exit-codes.ts';
import { appOf } from '../settings/connection.ts';
import { forgetLogin, readLogin, tokenStore } from '../settings/kept-login.ts';
import { readSettings } from '../settings/settings.ts';

export async function run({ options, env, report }: Pick<Call, 'options' | 'env' | 'report'>): Promise<ExitCode> {
  const login = await readLogin(env);
  if (!login) {
    report.result({ type: 'logout', text: 'Nobody is logged in.', data: { logged_in: false } });
    return exitCodes.done;
  }
  const { clientSecret } = readSettings([], { flags: options, env });
  const store = tokenStore(env, login);
  // Under the lock: a refresh of another command would bring new tokens into being meanwhile.
  const problem = await store.exclusively(async () => {
    const tokens = await store.load();
    const failed = tokens ? await revoked(() => appOf(login, clientSecret).revoke(tokens)) : null;
    await store.clear();
    return failed;
  });
  await forgetLogin(env);
  if (problem === null) {
    report.result({ type: 'logout', text: `Logged out of ${login.appUrl}.`, data: { revoked: true } });
    return exitCodes.done;
  }
  // Whoever logs out wants the tokens gone from here in any case.
  report.result({
    type: 'logout',
    text: `The login is forgotten here, but ${login.appUrl} could not be told to end it.`,
    data: { revoked: false },
  });
  report.failure(
    `${problem} The refresh token may still work for whoever has a copy: end the app's access in the settings of the service.`,
  );
  return exitCodes.failed;
}

async function revoked(revoke: () => Promise<void>): Promise<string | null> {
  try {
    await revoke();
    return null;
  } catch (error) {
    if (error instanceof NewsletterError) return error.message;
    throw error;
  }
}
