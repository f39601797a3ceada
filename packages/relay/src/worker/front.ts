/**
 * The part of a relay that a Worker runs itself, in front of the Durable Object of a publication. It answers whatever
 * needs no state, so that a request that is refused costs no request to the object and no row.
 */
import { tooManySignups } from '../admission/abuse-protection.ts';
import { networksOf } from '../admission/client-address.ts';
import { Reception, type SignUp } from '../admission/reception.ts';
import { Screening } from '../admission/screening.ts';
import type { SignupPost } from '../admission/signup-post.ts';
import type { RelayConfig } from '../config/settings.ts';
import { Events } from '../events.ts';
import type { Log } from '../log.ts';
import { createSignupRoutes, statefulPaths } from '../routes.ts';
import { collectRefusals } from './refusals.ts';

/** A binding of Cloudflare's rate limiting. */
export interface PlatformRateLimit {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>;
}

/** Answers a request, or passes it on. @param visitor - the visitor's IP address; null where it is unknown */
export type Front = (request: Request, visitor: string | null) => Promise<Response>;

/** The longer of the two periods that the platform's rate limiting has, in seconds. */
const longestPeriodSeconds = 60;

/**
 * @param config - of one publication
 * @param pass - calls the Durable Object of the publication
 * @param visitors - limits the posts of each visitor. Default: only the object's own limits apply
 */
export function createFront(
  config: RelayConfig,
  log: Log,
  pass: (request: Request) => Promise<Response>,
  visitors?: PlatformRateLimit,
): Front {
  const events = new Events();
  const withRefusals = collectRefusals(events);
  const reception = new Reception({ config, log, events });
  const screening = new Screening({ secret: config.secret });

  const passOn = (request: Request): Promise<Response> => pass(withRefusals(request));

  const isWithinLimit = async ({ client }: SignupPost): Promise<boolean> => {
    if (!visitors || client === null) return true;
    try {
      return (await visitors.limit({ key: networksOf(client).narrow })).success;
    } catch (error) {
      log.warn({ err: error }, "the platform's rate limiting failed; the relay's own limits apply");
      return true;
    }
  };

  const signUp: SignUp = async (post, _thanks, request) => {
    const body = await screening.read(post);
    if ('refused' in body) return reception.refuse(post, body.refused);
    // Whether there is an attack is state: the object decides it.
    const screened = await screening.screen(post, body, Date.now());
    if ('refused' in screened) return reception.refuse(post, screened.refused);
    if (!(await isWithinLimit(post))) return reception.refuse(post, tooManySignups(longestPeriodSeconds), 'ip');
    const { url, method, headers } = request;
    return passOn(new Request(url, { method, headers, body: new Uint8Array(body) }));
  };
  const hasOperator = config.operator.token !== undefined;
  const app = createSignupRoutes(config.forms, reception, signUp, hasOperator);
  for (const path of statefulPaths)
    for (const each of [path, `${path}/*`]) app.all(each, ({ req: { raw } }) => passOn(raw));
  return async (request, visitor) => app.fetch(request, { peer: visitor });
}
