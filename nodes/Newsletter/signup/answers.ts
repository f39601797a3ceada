/** Every answer to a post. One success, the same for everybody: it must not tell who is subscribed. */
import { pageHeaders, refusalBody, refusalHtml, wantsPage, type Refused } from '@newsletter-kit/core/endpoint';
import type { Posted } from './admit.ts';
import type { Form } from './settings.ts';

/** What we use of Node's response. */
export interface OutgoingAnswer {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  removeHeader(name: string): void;
  end(body: string): unknown;
}

/** What a script gets whose signup was taken. */
export const acceptedBody = { status: 'accepted' } as const;

/**
 * n8n adds this header where it starts an execution, and leaves it out where it starts none; its text differs from
 * version to version. With this one in every answer a repeated signup looks like the first.
 */
const sandbox =
  'sandbox allow-downloads allow-forms allow-modals allow-orientation-lock allow-pointer-lock allow-popups allow-popups-to-escape-sandbox allow-presentation allow-scripts allow-top-navigation-by-user-activation allow-top-navigation-to-custom-protocols';

/** Sets status and headers of a success. n8n sends it, once it has saved the execution; n8n 1 does so first. */
export function prepareAccepted(response: OutgoingAnswer, posted: Posted, origin: string, { thanksUrl }: Form): void {
  setHeaders(response, { ...always, ...readableBy(origin), 'content-security-policy': sandbox });
  keepHeader(response, 'content-security-policy');
  const page = wantsPage(posted);
  response.statusCode = page ? 303 : 202;
  if (page) response.setHeader('location', thanksUrl ?? `${origin}/`);
}

/** Sends a refusal: the API's error body, or a page that says the same. */
export function refuse(response: OutgoingAnswer, posted: Posted, form: Form | null, refused: Refused): void {
  const { status, retryAfterSeconds } = refused;
  const page = wantsPage(posted);
  // n8n has let every origin read the answer by now.
  response.removeHeader('access-control-allow-origin');
  setHeaders(response, {
    ...always,
    ...(posted.origin !== null && form?.origins.has(posted.origin) && readableBy(posted.origin)),
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(Math.ceil(retryAfterSeconds)) }),
    // The rest of such a body is not read.
    ...(status === 413 && { connection: 'close' }),
    ...(page ? pageHeaders : { 'content-type': 'application/json' }),
  });
  response.statusCode = status;
  response.end(page ? refusalHtml(refused) : JSON.stringify(refusalBody(refused)));
}

const always = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', vary: 'Origin' };

/** Lets scripts of an allowed page read the answer, and how long to wait; cookies are neither sent nor taken. */
function readableBy(origin: string): Readonly<Record<string, string>> {
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': 'Retry-After' };
}

/** Ignores whatever is set under this name from now on. */
function keepHeader(response: OutgoingAnswer, kept: string): void {
  const setHeader = response.setHeader.bind(response);
  response.setHeader = (name, value) => (name.toLowerCase() === kept ? response : setHeader(name, value));
}

function setHeaders(response: OutgoingAnswer, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}
