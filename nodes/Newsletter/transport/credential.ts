/**
 * Credentials: their normalized fields (the address of the API, the key, the publication), and their test. People paste
 * the fields with spaces, extra slashes or partial paths. The nodes call {@link addressOf}, {@link apiKeyOf} and
 * {@link publicationIdOf}; n8n evaluates their source in expressions for the credential's test, its signature and its
 * OAuth2 addresses. So each of them is self-contained: no imports, no outer variables.
 */
import type { ICredentialTestRequest, IHttpRequestOptions } from 'n8n-workflow';

/** The fields of a credential. */
export interface CredentialConnection {
  readonly service: string;
  /** Entered where the service is `other`. */
  readonly baseUrl?: string;
  readonly appUrl?: string;
  readonly apiKey?: string;
  readonly publicationId?: string;
}

/**
 * The address of the API (`baseUrl`, ends with its version) or of the app where people sign in (`appUrl`), without a
 * slash at its end; empty where none is known or entered.
 */
export const addressOf = (connection: CredentialConnection, which: 'baseUrl' | 'appUrl'): string => {
  const services: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    beehiiv: { baseUrl: 'https://api.beehiiv.com/v2', appUrl: 'https://app.beehiiv.com' },
    sandbox: { baseUrl: 'http://127.0.0.1:4010/v2', appUrl: 'http://127.0.0.1:4010' },
  };
  const known = services[connection.service];
  if (known) return known[which] ?? '';
  const entered = (connection[which] ?? '').trim().replace(/[?#].*$/, '');
  if (entered === '') return '';
  const local = /^(?:localhost|127\.|\[::1\])/i.test(entered);
  const scheme = /^[a-z][a-z\d+.-]*:\/\//i.test(entered) ? '' : local ? 'http://' : 'https://';
  const url = (scheme + entered).replace(/\/+$/, '');
  if (which === 'appUrl') return url.replace(/\/oauth(?:\/.*)?$/, '');
  const versioned = /^[^/]+\/\/[^/]+(?:\/[^/]+)*?\/v\d+(?=\/|$)/.exec(url);
  return versioned ? versioned[0] : `${url}/v2`;
};

/** The API key alone: a key has no white space, and "Bearer" belongs to the header it is sent in. */
export const apiKeyOf = (connection: Pick<CredentialConnection, 'apiKey'>): string =>
  (connection.apiKey ?? '').replace(/^\s*bearer\s/i, '').replace(/\s+/g, '');

/** The publication of the credential; empty where it names none. */
export const publicationIdOf = (connection: Pick<CredentialConnection, 'publicationId'>): string =>
  (connection.publicationId ?? '').trim();

/**
 * A call of one of these functions, for use between `{{` and `}}` of an expression.
 *
 * @param args - expressions, for example `$credentials`
 */
export function callInExpression(
  read: typeof addressOf | typeof apiKeyOf | typeof publicationIdOf,
  ...args: readonly string[]
): string {
  // Two braces in a row would begin or end n8n's expression.
  const source = String(read).replaceAll('{{', '{ {').replaceAll('}}', '} }');
  return `(${source})(${args.join(', ')})`;
}

/** What to do where the API answers 402. */
export const notIncluded = 'The plan of the account does not include this, or a payment is due: ask its owner.';

type Rules = NonNullable<ICredentialTestRequest['rules']>;
type AnswerRule = Rules[number];

const publication = callInExpression(publicationIdOf, '$credentials');

/**
 * Builds the test. Error statuses are ignored in favour of the body: an error of the API contains its status, which
 * distinguishes a 404 of the API (no such publication) from any other 404 (no such path). Redirects are not followed,
 * because they would receive the key.
 *
 * @param ignoreHttpStatusErrors - the statuses that do not fail the request
 * @param unauthorized - what to do where the API answers 401
 * @param forbidden - what to do where the API answers 403
 */
export function connectionTest(
  ignoreHttpStatusErrors: NonNullable<IHttpRequestOptions['ignoreHttpStatusErrors']>,
  unauthorized: string,
  forbidden: string,
): ICredentialTestRequest {
  // Not every service has an endpoint for the key itself; without a publication, the list of publications serves.
  const path = `${publication} ? "/publications/" + encodeURIComponent(${publication}) + "/subscriptions" : "/publications"`;
  return {
    request: {
      baseURL: `={{ ${callInExpression(addressOf, '$credentials', '"baseUrl"')} }}`,
      url: `={{ ${path} }}`,
      qs: { limit: 1 },
      ignoreHttpStatusErrors,
      disableFollowRedirect: true,
    },
    // n8n shows the first matching rule.
    rules: [
      answered(401, unauthorized),
      answered(402, notIncluded),
      answered(403, forbidden),
      answered(
        404,
        'The service finds no such publication. Enter or correct the Publication ID; with the Service Other, check also that the Base URL ends with /v2.',
      ),
      answered(400, 'The service refuses the Publication ID. It looks like pub_<uuid>.'),
      answered(429, 'The rate limit of the service is exceeded. Try again in a minute.'),
      ...[500, 502, 503, 504].map((status) =>
        answered(status, 'The service does not work at the moment. Try again later.'),
      ),
      // Neither an error of the API nor a list: a web page, a redirect, another program.
      without('data'),
      without('data.length'),
      // n8n takes rules of both kinds in one list; its type has them apart.
    ] satisfies readonly AnswerRule[] as Rules,
  };
}

/** A rule for an error of the API with this status. */
const answered = (value: number, message: string): AnswerRule => ({
  type: 'responseSuccessBody',
  properties: { key: 'status', value, message },
});

/** A rule for an answer without this key, which every list of the API has. */
const without = (key: string): AnswerRule => ({
  type: 'responseSuccessBody',
  properties: {
    key,
    value: undefined,
    message:
      'The server at this address is not the API. Check the Service; for Other, check the Base URL, which ends with /v2. If Publication ID is empty, enter one: the service may not list publications.',
  },
});
