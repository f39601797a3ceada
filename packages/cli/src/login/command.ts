import type { Command } from '../command/definition.ts';
import { appOptions, connectionOptions } from '../settings/settings.ts';

export const loginOptions = {
  ...connectionOptions,
  ...appOptions,
  scope: {
    value: 'SCOPE',
    multiple: true,
    help: 'what to ask for, with commas between; default: what the commands need',
  },
  port: { value: 'NUMBER', help: 'port on this machine that the browser comes back to; default: a free one' },
  'no-browser': { help: 'only print the address; open it yourself' },
  timeout: { value: 'SECONDS', help: 'how long to wait for the browser; default 300' },
} as const;

export const login: Command<typeof loginOptions> = {
  about: 'sign in with a browser and keep the login',
  options: loginOptions,
  notes: `The service must know http://127.0.0.1/callback as a redirect URI of the app. An app with a secret reads it from
NEWSLETTER_OAUTH_CLIENT_SECRET, for this command and those that follow. NEWSLETTER_API_KEY wins over a login.`,
  load: () => import('./run.ts'),
};
