/** The test of a credential: one request, evaluated by the body of its answer. */
import type { ICredentialTestRequest, IHttpRequestOptions } from 'n8n-workflow';
import { addressOf, callInExpression, publicationIdOf } from './connection.ts';

type Rules = NonNullable<ICredentialTestRequest['rules']>;
type Rule = Rules[number];

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
      { type: 'responseCode', properties: { value: 401, message: unauthorized } },
      answered(401, unauthorized),
      answered(403, forbidden),
      answered(
        404,
        'The service finds no such publication. Enter or correct the Publication ID; with the Service Other, check also that the Base URL ends with /v2.',
      ),
      answered(400, 'The service refuses the Publication ID. It looks like pub_<uuid>.'),
      answered(429, 'The service asks to slow down. Try again in a minute.'),
      answered(500, 'The service does not work at the moment. Try again later.'),
      answered(503, 'The service does not work at the moment. Try again later.'),
      // Neither an error of the API nor a list: a web page, a redirect, another program.
      without('data'),
      without('data.length'),
      // n8n takes rules of both kinds in one list; its type has them apart.
    ] satisfies readonly Rule[] as Rules,
  };
}

/** The answer is the API's error of this status. */
const answered = (value: number, message: string): Rule => ({
  type: 'responseSuccessBody',
  properties: { key: 'status', value, message },
});

/** The answer lacks what every list of the API has. */
const without = (key: string): Rule => ({
  type: 'responseSuccessBody',
  properties: {
    key,
    value: undefined,
    message:
      'What answers at this address is not the API. Check the Service; for Other, check the Base URL, which ends with /v2. If Publication ID is empty, enter one: the service may not list publications.',
  },
});
