/** The pages of a confirmation link: GET shows a button, and only its POST confirms. */
import { buttonHtml, type KeptSubmission, messageHtml, pageHeaders } from '@newsletter-kit/core/endpoint';
import { Hono } from 'hono';
import type { Form } from '../config/form.ts';
import type { RelayContext } from '../context.ts';
import { StoreUnavailableError } from '../errors.ts';
import { mailboxOf } from '../store/mailbox-mails.ts';
import type { StoredSignup } from '../store/signup-store.ts';
import { notMePath, verifyLink } from './mail.ts';

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
 * Routes for `/TOKEN`, and `/TOKEN/not-me` for people who did not sign up. Mail scanners open links, so GET changes
 * nothing: POST confirms, or stops the mails. A second POST changes nothing.
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

  /** Answers for an unconfirmed signup, or says why the link of a person who did not sign up has nothing to stop. */
  async function objection(token: string, answer: (signup: Unconfirmed) => Response | Promise<Response>) {
    const signup = await find(token);
    if (signup === 'unknown') return page(404, unknownHtml);
    if (signup === 'gone' || signup.state !== 'unconfirmed' || signup.submission === null)
      return page(410, notOpenHtml);
    return answer({ ...signup, submission: signup.submission });
  }

  return new Hono<PageEnvironment>()
    .get(`/${donePath}`, () => page(200, confirmedHtml))
    .get(`/${stoppedPath}`, () => page(200, stoppedHtml))
    .get(`/:token/${notMePath}`, ({ req }) => objection(req.param('token'), () => page(200, notMeHtml)))
    .post(`/:token/${notMePath}`, ({ req }) =>
      objection(req.param('token'), async ({ id, form, submission }) => {
        await store.stopMails(id, mailboxOf(submission.email, forms[form]?.publicationId ?? ''), now());
        health.succeeded('accept');
        log.info(
          { signup: id },
          'deleted, as the owner of the mailbox did not sign up; the mailbox gets no more mails',
        );
        return redirect(`../${stoppedPath}`);
      }),
    )
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
    .all(`/:token/${notMePath}`, () => page(405, unknownHtml, { allow: 'GET, HEAD, POST' }))
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

/** Path of the page after an objection. */
const stoppedPath = 'stopped';

type Unconfirmed = StoredSignup & { readonly submission: KeptSubmission };

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

const notMeHtml = buttonHtml({ title: 'Did somebody else sign you up?', button: 'This was not me', lang: 'en' });

const stoppedHtml = messageHtml('You get no more of these mails', [
  'The signup is deleted. For about half a year nobody can have such a mail sent to you.',
]);

const notOpenHtml = messageHtml('There is nothing to stop', [
  'This signup is deleted already, or confirmed. To leave a newsletter, use the link in one of its issues.',
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
