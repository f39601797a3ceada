/** The pages of a confirmation link: GET shows what is open, and only its POST confirms. */
import { buttonHtml, collectBody, messageHtml, pageHeaders, pageHtml } from '@newsletter-kit/core/endpoint';
import { submissionLimit } from '@newsletter-kit/core/signup';
import { Hono } from 'hono';
import type { Form } from '../config/form.ts';
import type { RelayContext } from '../context.ts';
import { StoreUnavailableError } from '../errors.ts';
import { mailboxOf } from '../store/mailbox-mails.ts';
import type { LinkedSignup, OpenSignup } from '../store/signup-store.ts';
import { choicesHtml, type Chosen, readChoice } from './choice-page.ts';
import { notMePath, signLink, verifyLink } from './mail.ts';
import { statePage } from './state-page.ts';

/** Options of {@link confirmationPages}. */
export interface ConfirmationPagesOptions {
  /** Signs the links. */
  readonly key: Buffer;
  /** The visitor's address in the form the consent ledger keeps. */
  visitor(this: void, request: Request, peer: string | null, form: Form): string | null;
  /** Status of the subscription of an address in the publication of a form; null if it is unknown. */
  statusOf(this: void, form: string, email: string): Promise<string | null>;
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
  { key, visitor, statusOf }: ConfirmationPagesOptions,
): Hono<PageEnvironment> {
  /** Answers for the signup of a link. @param gone - the page where it was deleted */
  async function linkedTo(
    token: string,
    answer: (linked: LinkedSignup) => Response | Promise<Response>,
    gone = goneHtml,
  ) {
    const id = verifyLink(key, token);
    if (id === null) return page(404, unknownHtml);
    const linked = await store.linked(id);
    // A dead letter without an attempt to deliver: its confirmation mail was refused.
    const isGone = !linked || (linked.signup.state === 'dead' && linked.signup.attempts === 0);
    return isGone ? page(410, gone) : answer(linked);
  }

  /** Answers for an unconfirmed signup, or says why the link of a person who did not sign up has nothing to stop. */
  function objection(token: string, answer: (signup: OpenSignup) => Response | Promise<Response>) {
    const ofLink = ({ signup, open }: LinkedSignup) => {
      const own = open.find(({ id }) => id === signup.id);
      return own ? answer(own) : page(410, notOpenHtml);
    };
    return linkedTo(token, ofLink, notOpenHtml);
  }

  /** What is open; of a signup that is confirmed its state, and then what else is open. */
  function show(status: number, { signup, open }: LinkedSignup, seen = 0): Response {
    const form = forms[signup.form];
    const { subject, button, lang } = form?.confirmation ?? fallback;
    const content = choicesHtml(open, { key, id: signup.id }, button);
    if (signup.state === 'unconfirmed') {
      const title = subject.replaceAll('{form}', signup.form);
      return page(status, pageHtml({ title, paragraphs: [], content, lang }));
    }
    const { refreshSeconds, ...text } = statePage(signup, form, seen);
    // A refresh would take away what is ticked.
    const refreshes = refreshSeconds !== null && open.length === 0;
    const more = open.length > 0 ? `<h2>Not confirmed yet</h2>\n${content}` : '';
    return page(
      status,
      pageHtml({ ...text, content: more, style: 'h2{font-size:1.15em}' }),
      refreshes ? { refresh: `${refreshSeconds}; url=?seen=${seen + 1}` } : {},
    );
  }

  /** Confirms what was chosen. @returns where to go then; null if something has changed since the page was opened */
  async function confirm({ shown, groups }: Chosen, named: string, visitorOf: (form: Form) => string | null) {
    const confirmed = await Promise.all(
      groups.map(async ({ form, ids, choice: { submission, sentence, version } }) => {
        const rules = forms[form];
        const consent = { sentence, version, page: null, visitor: rules ? visitorOf(rules) : null };
        // Whoever had left by now knows it: the click is later.
        const status = rules?.confirmation?.reactivates ? await statusOf(form, submission.email) : null;
        // The link of the mail leads to its state.
        return { id: ids.find((id) => id === named) ?? ids[0] ?? '', form, submission, status, consent };
      }),
    );
    const at = now();
    const chosen = new Set(groups.flatMap(({ ids }) => ids));
    const superseded = [...chosen].filter((id) => confirmed.every((each) => each.id !== id));
    const left = shown.map(({ id }) => id).filter((id) => !chosen.has(id));
    const ids = await store.confirmPerson({ at, confirmed, superseded, left });
    health.succeeded('accept');
    for (const { id, form, receivedAt } of shown.filter((each) => ids.includes(each.id))) {
      log.info({ signup: id }, 'confirmed by the person');
      events.emit({ type: 'confirmed', form, waitedMs: at - receivedAt });
    }
    const id = ids.find((each) => each === named) ?? ids[0];
    const form = confirmed.find((each) => each.id === id)?.form ?? '';
    return id === undefined ? null : (forms[form]?.confirmation?.confirmedUrl ?? signLink(key, id));
  }

  return new Hono<PageEnvironment>()
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
    .get('/:token', ({ req }) =>
      linkedTo(req.param('token'), (linked) => show(200, linked, Number(req.query('seen') ?? 0))),
    )
    .post('/:token', async ({ req, env }) => {
      const token = req.param('token');
      return linkedTo(token, async (linked) => {
        const body = (await collectBody(req.raw.body ?? [], submissionLimit)) ?? undefined;
        const fields = new URLSearchParams(new TextDecoder().decode(body));
        const { id } = linked.signup;
        const chosen = readChoice(fields, linked.open, { key, id });
        const location = chosen && (await confirm(chosen, id, (form) => visitor(req.raw, env.peer, form)));
        if (location !== null) return redirect(location);
        // Nothing is confirmed: of two clicks at once the first has decided, or the page shows what there is to choose.
        return linkedTo(token, (now) => (now.signup.state === 'unconfirmed' ? show(409, now) : redirect(token)));
      });
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

/** Path of the page after an objection, shorter than any token. It outlives the signup, which is deleted. */
const stoppedPath = 'stopped';

/** Texts for a form that is no longer in the configuration. */
const fallback = { subject: 'Please confirm your subscription', button: 'Confirm', lang: 'en' } as const;

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
