/** `/oauth/authorize`: shows the consent page, and takes the person's answer. */
import { authorizeParameters, readConsent, readReturn, type Return } from './authorization.ts';
import { requireOwnForm, tokenField, tokenFor } from './csrf.ts';
import { explainIgnored, json, uncached, type Endpoint, type OauthCall } from './endpoint.ts';
import { OauthError } from './errors.ts';
import { issueCode, type Consent } from './grants.ts';
import { consentPage, errorPage } from './page.ts';
import { readBody, readPairs, type Parameters } from './parameters.ts';
import { withParameters } from './redirect.ts';

/** What the form sends beside the parameters of the request. */
const answerFields = [tokenField, 'decision'];

/** `GET`: asks the person. */
export const askConsent: Endpoint = (call) =>
  authorize(
    call,
    () => readPairs(new URLSearchParams(call.search), authorizeParameters),
    (consent, _to, parameters) => {
      const { token, headers } = tokenFor(call.world, call.request);
      const given = authorizeParameters.flatMap((name) => [[name, parameters.get(name)] as const]);
      const fields = [
        ...given.filter((field): field is readonly [string, string] => field[1] !== undefined),
        [tokenField, token] as const,
      ];
      return consentPage({ consent, fields, headers });
    },
  );

/** `POST`: the form. The request is read anew, as nothing says that the fields are those of our page. */
export const takeAnswer: Endpoint = (call) =>
  authorize(
    call,
    async () => {
      const parameters = await readBody(call.request, [...authorizeParameters, ...answerFields]);
      requireOwnForm(call.request, parameters.get(tokenField));
      return parameters;
    },
    (consent, to, parameters) => {
      const decision = parameters.get('decision');
      if (decision === 'deny') throw new OauthError('access_denied');
      if (decision !== 'allow') throw new OauthError('invalid_request', { reason: 'decision must be allow or deny.' });
      return redirect(to, { code: issueCode(call.world, consent) });
    },
  );

/**
 * Goes through a request. Until it is known where its answer may go, mistakes are shown in place; later ones go to the
 * app.
 */
async function authorize(
  call: OauthCall,
  read: () => Parameters | Promise<Parameters>,
  answer: (consent: Consent, to: Return, parameters: Parameters) => Response | Promise<Response>,
): Promise<Response> {
  let to: Return | undefined;
  try {
    const parameters = await read();
    explainIgnored(call, parameters.ignored);
    to = readReturn(call.world.store.oauth, parameters);
    return await answer(readConsent(to, parameters), to, parameters);
  } catch (error) {
    if (!(error instanceof OauthError)) throw error;
    call.explain(error.reason);
    return to ? redirect(to, error.body) : inPlace(call.request, error);
  }
}

function redirect(to: Return, parameters: Readonly<Record<string, string>>): Response {
  return new Response(null, {
    status: 302,
    headers: { Location: withParameters(to.redirectUri, { ...parameters, state: to.state }), ...uncached },
  });
}

/** A person gets a page, a program the error as data. */
function inPlace(request: Request, error: OauthError): Response | Promise<Response> {
  return request.headers.get('accept')?.includes('text/html')
    ? errorPage(error)
    : json(error.status, error.body, error.headers);
}
