import { UsageError } from '@newsletter-kit/core/command-line';
/** Options that several commands share, and the readers of their values. */
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';

const isWebAddress = (value: string): boolean => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
const withoutSlash = (value: string): string => value.replace(/\/+$/, '');

/** Reads and checks a value. A blank one becomes the empty string, which counts as not set. */
function reader(isValid: (value: string) => boolean, mustBe: string): (value: string) => string {
  return (given) => {
    const value = given.trim();
    if (value !== '' && !isValid(value)) throw new InvalidArgumentError(mustBe);
    return /^https?:/.test(value) ? withoutSlash(value) : value;
  };
}

export const jsonOption = () =>
  new Option('--json', 'events as JSON lines on stdout, errors as JSON on stderr; for programs');

export const profileOption = () =>
  new Option('--profile <name>', 'the named connection to use; wins over the other variables')
    .env('NEWSLETTER_PROFILE')
    .argParser(
      reader((value) => /^[\w.-]{1,64}$/.test(value), 'A name has letters, digits, dots, dashes and underscores.'),
    );

export const apiUrlOption = () =>
  new Option('--api-url <url>', 'root address of the API; ends with /v2')
    .env('NEWSLETTER_API_URL')
    .argParser(
      reader(
        (value) => isWebAddress(value) && /\/v2\/?$/.test(value),
        'It must be an http(s) address that ends with /v2, for example http://127.0.0.1:4010/v2.',
      ),
    );

export const publicationOption = () =>
  new Option('--publication <id>', 'publication: pub_ and a UUID')
    .env('NEWSLETTER_PUBLICATION_ID')
    .argParser(
      reader(
        (value) => /^pub_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value),
        'It must be pub_ and a UUID, as the service shows it.',
      ),
    );

export const appUrlOption = () =>
  new Option('--app-url <url>', 'root address of the app, where people sign in')
    .env('NEWSLETTER_APP_URL')
    .argParser(reader(isWebAddress, 'It must be an http(s) address, for example http://127.0.0.1:4010.'));

export const clientIdOption = () =>
  new Option('--client-id <id>', 'OAuth app to sign in as')
    .env('NEWSLETTER_OAUTH_CLIENT_ID')
    .argParser(reader((value) => /^[\x21-\x7e]+$/.test(value), 'It must have no spaces.'));

/** Reads a secret from a variable; blank counts as not set. @throws UsageError that does not repeat the value */
export function readSecret(env: Readonly<Record<string, string | undefined>>, variable: string): string | undefined {
  const value = env[variable]?.trim() ?? '';
  if (value === '') return undefined;
  if (!/^[\x21-\x7e]+$/.test(value))
    throw new UsageError(`${variable} must hold the bare secret: no spaces, no line breaks, no quotes around it.`);
  return value;
}
