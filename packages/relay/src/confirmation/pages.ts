/** The pages of a confirmation link: GET shows a button, and only its POST confirms. */
import { buttonHtml, messageHtml, pageHeaders } from '@newsletter-kit/core/endpoint';
import { Hono } from 'hono';
import type { Form } from '../config/form.ts';
import type { RelayContext } from '../context.ts';
import { StoreUnavailableError } from '../errors.ts';
import { mailboxOf } from '../store/mailbox-mails.ts';
import type { StoredSignup } from '../store/signup-store.ts';
import { verifyLink } from './mail.ts';

/** Options of {@link confirmationPages}. */
export interface ConfirmationPagesOptions {
  /** Signs the links. */
  readonly key: Buffer;
  /** The visitor's address in the form the consent ledger keeps. */
  visitor(this: void, request: Request, peer: string | null, form: Form): string | null;
}

interface PageEnvironment {
  readonly Bindings: { peer: string | null };
}

/**
 * Routes for `/TOKEN`. Mail scanners open links, so GET changes nothing and POST confirms. A second POST shows the same
 * page and changes nothing.
 */
export function confirmationPages(
  { config: { forms }, store, health, log, events, now }: RelayContext,
  { key, visitor }: ConfirmationPagesOptions,
): Hono<PageEnvironment> {
  /** The signup of a link; `unknown` for an invalid link, `gone` if its signup was deleted. */
  async function find(token: string): Promise<StoredSignup | 'unknown' | 'gone'> {
    const id = verifyLink(key, token);
    if (id === null) return 'unknown';
    const [signup] = await store.list({ ids: [id] }, { limit: 1 });
    // A dead letter without an attempt to deliver: its confirmation mail was refused.
    const isGone = !signup || (signup.state === 'dead' && signup.attempts === 0);
    return isGone ? 'gone' : signup;
  }

  /** Redirects relative to the link, because a proxy may serve the relay under a path of its own. */
  function done({ form }: StoredSignup): Response {
    return redirect(forms[form]?.confirmation?.confirmedUrl ?? donePath);
  }

  return new Hono<PageEnvironment>()
    .get(`/${donePath}`, () => page(200, confirmedHtml))
    .get('/:token', async (context) => {
      const signup = await find(context.req.param('token'));
      if (signup === 'unknown') return page(404, unknownHtml);
      if (signup === 'gone') return page(410, goneHtml);
      if (signup.state !== 'unconfirmed') return done(signup);
      const { subject: title, button, lang } = forms[signup.form]?.confirmation ?? fallback;
      return page(200, buttonHtml({ title: title.replaceAll('{form}', signup.form), button, lang }));
    })
    .post('/:token', async ({ req, env }) => {
      const signup = await find(req.param('token'));
      if (signup === 'unknown') return page(404, unknownHtml);
      if (signup === 'gone') return page(410, goneHtml);
      if (signup.state === 'unconfirmed') {
        const { id, form, submission, receivedAt } = signup;
        const rules = forms[form];
        const consent = {
          sentence: null,
          version: rules?.consent.version ?? null,
          page: null,
          visitor: rules ? visitor(req.raw, env.peer, rules) : null,
        };
        const mailbox = rules && submission ? mailboxOf(submission.email, rules.publicationId) : undefined;
        if (!(await store.confirmPerson(id, now(), consent, mailbox))) return page(410, goneHtml);
        health.succeeded('accept');
        log.info({ signup: id }, 'confirmed by the person');
        events.emit({ type: 'confirmed', form, waitedMs: now() - receivedAt });
      }
      return done(signup);
    })
    .all('/:token', () => page(405, unknownHtml, { allow: 'GET, HEAD, POST' }))
    .onError((error) => {
      if (error instanceof StoreUnavailableError) {
        health.failed('accept', error);
        log.error({ reason: error.message }, 'a confirmation was answered with 503');
      } else log.error({ err: error }, 'an unexpected failure was answered with 503');
      return page(503, failedHtml, { 'retry-after': '30' });
    });
}

/** Path of the page after a confirmation, shorter than any token. It outlives the signup, which may be deleted. */
const donePath = 'done';

/** Texts for a form that is no longer in the configuration. */
const fallback = { subject: 'Please confirm your subscription', button: 'Confirm', lang: 'en' } as const;

const confirmedHtml = messageHtml('Thank you for confirming', ['Your signup is complete. You can close this page.']);

/** Page for a link that was not signed with this relay's secret. */
export const unknownHtml = messageHtml('This link does not work', [
  'Part of it may be missing: copy the whole link from the mail, or sign up again.',
]);

const goneHtml = messageHtml('This link is no longer valid', [
  'If you have confirmed before, there is nothing left to do. Otherwise sign up again.',
]);

const failedHtml = messageHtml('This did not work', ['Please open the link again in a minute.']);

const always = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
} as const;

function page(status: number, html: string, more: Readonly<Record<string, string>> = {}): Response {
  return new Response(html, { status, headers: { ...pageHeaders, ...always, ...more } });
}

function redirect(location: string): Response {
  return new Response(null, {
    status: 303,
    headers: { ...always, 'referrer-policy': pageHeaders['referrer-policy'], location },
  });
}
