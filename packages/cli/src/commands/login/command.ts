/** `newsletter login`: signs in with a browser, or saves an API key from stdin. */
import type { Command } from '@commander-js/extra-typings';
import { collectList, notes, wholeNumber } from '#command-line';
import { apiUrlOption, appUrlOption, clientIdOption, profileOption, publicationOption } from '../../connection.ts';
import type { Context } from '../../context.ts';
import { jsonOption } from '../../output.ts';
import { login } from './login.ts';

export function define(command: Command, context: Context) {
  return (
    command
      .option('--with-token', 'read an API key from stdin and save it')
      .addOption(profileOption())
      .addOption(apiUrlOption())
      .addOption(publicationOption())
      .addOption(appUrlOption())
      .addOption(clientIdOption())
      .option(
        '--scope <scope>',
        'OAuth scope to request; repeatable, or separated by commas (default: the scopes that the commands need)',
        collectList,
      )
      .option(
        '--port <number>',
        'local port for the redirect after the sign-in (default: a free port)',
        wholeNumber(0, 65_535),
      )
      // Commander sets the default before this definition is loaded, so it is given here.
      .option('--no-browser', 'print the address of the sign-in instead of opening a browser', true)
      .option('--timeout <seconds>', 'how long to wait for the sign-in', wholeNumber(1, 86_400), 300)
      .addOption(jsonOption())
      .addHelpText(
        'after',
        notes(
          'The login is saved in the profile that --profile names, otherwise in the current profile, otherwise in "default". The OAuth app must have http://127.0.0.1/callback as a redirect URI. If the app has a client secret, set NEWSLETTER_OAUTH_CLIENT_SECRET for this and all later commands: the secret is not saved.',
          '  newsletter login --with-token --profile prod --api-url URL < key.txt',
        ),
      )
      .action((options) => context.run(login, options))
  );
}
