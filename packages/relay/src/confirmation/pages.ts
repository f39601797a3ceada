/** The pages of a confirmation link: GET shows what is open, and only its POST confirms. */
import { collectBody, enteredIn, type Page, pageHeaders } from '@newsletter-kit/core/endpoint';
import { getsMail, isInvalid, isUnconfirmed, isUnsubscribed } from '@newsletter-kit/core/facts';
import { submissionLimit } from '@newsletter-kit/core/signup';
import { Hono } from 'hono';
import type { Form } from '../config/form.ts';
import type { RelayContext, RequestEnvironment } from '../context.ts';
import { StoreUnavailableError } from '../errors.ts';
import { type Content, contents } from '../pages/contents.ts';
import { linkPage, pageOf, type PageParts, siteOf, unstored } from '../pages/page.ts';
import { wordsIn } from '../pages/words.ts';
import { mailboxOf } from '../store/mailbox-mails.ts';
import { personHash } from '../store/signup-identity.ts';
import type { LinkedSignup, OpenSignup, StoredSignup } from '../store/signup-store.ts';
import { choicesHtml, type Chosen, readChoice } from './choice-page.ts';
import { notMePath, signLink, verifyLink } from './mail.ts';

/** Options of {@link confirmationPages}. */
export interface ConfirmationPagesOptions {
  /** Signs the links. */
  readonly key: Buffer;
  /** The visitor's address in the form the consent ledger keeps. */
  visitor(this: void, request: Request, peer: string | null, form: Form): string | null;
  /** Status of the subscription of an address in the publication of a form; null if it is unknown. */
  statusOf(this: void, form: string, email: string): Promise<string | null>;
}

/**
 * Routes for `/TOKEN`, and `/TOKEN/not-me` for people who did not sign up. Mail scanners open links, so GET changes
 * nothing: POST confirms, or stops the mails. A second POST changes nothing.
 */
export function confirmationPages(
  { config: { forms }, store, health, log, events, now }: RelayContext,
  { key, visitor, statusOf }: ConfirmationPagesOptions,
): Hono<RequestEnvironment> {
  const page = (status: number, content: Content, { form, headers, ...parts }: AnswerParts = {}): Response =>
    linkPage(status, pageOf(siteOf(formOf(forms, form)), content, parts), headers);

  /** Answers for the signup of a link. @param gone - the page where it was deleted */
  async function linkedTo(
    token: string,
    answer: (linked: LinkedSignup) => Response | Promise<Response>,
    gone: Content = contents.gone,
  ) {
    const id = verifyLink(key, token);
    if (id === null) return page(404, contents.brokenLink);
    const linked = await store.linked(id);
    // A dead letter without an attempt to deliver: its confirmation mail was refused.
    const isGone = !linked || (linked.signup.state === 'dead' && linked.signup.attempts === 0);
    return isGone ? page(410, gone) : answer(linked);
  }

  /** Answers for an unconfirmed signup, or says why the link of a person who did not sign up has nothing to stop. */
  function objection(token: string, answer: (signup: OpenSignup) => Response | Promise<Response>) {
    const ofLink = ({ signup, open }: LinkedSignup) => {
      const own = open.find(({ id }) => id === signup.id);
      return own ? answer(own) : page(410, contents.nothingToStop, { form: signup.form });
    };
    return linkedTo(token, ofLink, contents.nothingToStop);
  }

  async function stopMails({ id, form, submission }: Pick<OpenSignup, 'id' | 'form' | 'submission'>): Promise<void> {
    await store.stopMails(id, mailboxOf(submission.email, forms[form]?.publicationId ?? ''), now());
    health.succeeded('accept');
    log.info({ signup: id }, 'deleted, as the owner of the mailbox did not sign up; the mailbox gets no more mails');
  }

  /** Answers a program for mails (RFC 8058), which shows no page: an objection, or once it is confirmed a leave. */
  async function leave(token: string): Promise<Response> {
    const id = verifyLink(key, token);
    if (id === null) return page(404, contents.brokenLink);
    const first = (await store.linked(id))?.signup;
    const isOpen = first?.submission && first.state === 'unconfirmed';
    if (isOpen) await stopMails({ ...first, submission: first.submission });
    // It is still there if it was confirmed at the same moment.
    const signup = isOpen ? (await store.linked(id))?.signup : first;
    if (signup?.submission) {
      const { form, state, submission } = signup;
      const entry = { signup: id, kind: 'left', at: now(), form, person: personHash(submission.email) } as const;
      await store.load([], [{ ...entry, sentence: null, version: null, page: null, visitor: null }]);
      await store.leave(id, now());
      log.info({ signup: id }, 'the person has left by the program that shows their mails');
      events.emit({ type: 'left', form, isDelivered: state === 'delivered' });
    } else if (signup)
      log.warn({ signup: id }, 'a person has left whose address is erased here: nobody can unsubscribe them');
    health.succeeded('accept');
    return new Response(null, { headers: unstored });
  }

  /** What is open; of a signup that is confirmed its state, and then what else is open. */
  function show(status: number, { signup, open }: LinkedSignup, seen = 0): Response {
    const form = forms[signup.form];
    const words = wordsIn(siteOf(form).lang);
    const texts = { words, titleOf: (name: string) => forms[name]?.site.title ?? name };
    const html = choicesHtml(open, { key, id: signup.id }, texts);
    if (signup.state === 'unconfirmed') return page(status, contents.confirm, { form: signup.form, html });
    // A refresh would take away what is ticked.
    const seconds = open.length === 0 && isOnItsWay(signup) ? refreshes[seen] : undefined;
    return page(status, stateContent(signup), {
      form: signup.form,
      values: {
        email: signup.submission?.email ?? '…',
        status: signup.status ?? '',
        sender: form?.confirmation?.from.address ?? siteOf(form).title,
      },
      html: open.length > 0 ? `<h2>${words.notConfirmedYet}</h2>\n${html}` : '',
      headers: seconds === undefined ? {} : { refresh: `${seconds}; url=?seen=${seen + 1}` },
    });
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

  return new Hono<RequestEnvironment>()
    .get(`/${stoppedPath}`, () => page(200, contents.stopped))
    .get(`/${stoppedPath}/:form`, ({ req }) => page(200, contents.stopped, { form: req.param('form') }))
    .get(`/:token/${notMePath}`, ({ req }) =>
      objection(req.param('token'), ({ form }) => page(200, contents.notMe, { form })),
    )
    .post(`/:token/${notMePath}`, async ({ req }) => {
      const body = await collectBody(req.raw.body ?? [], submissionLimit);
      const entered = body && (await enteredIn((name) => req.header(name) ?? null, body).catch(() => null));
      const isOneClick = new Map(entered ?? []).get('List-Unsubscribe') === 'One-Click';
      if (isOneClick) return leave(req.param('token'));
      return objection(req.param('token'), async (signup) => {
        await stopMails(signup);
        return redirect(`../${stoppedPath}/${signup.form}`);
      });
    })
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
    .all('/:token', () => page(405, contents.brokenLink, allow))
    .all(`/:token/${notMePath}`, () => page(405, contents.brokenLink, allow))
    .onError((error) => {
      if (error instanceof StoreUnavailableError) {
        health.failed('accept', error);
        log.error({ reason: error.message }, 'a confirmation was answered with 503');
      } else log.error({ err: error }, 'an unexpected failure was answered with 503');
      return page(503, contents.failed, { headers: { 'retry-after': '30' } });
    });
}

/**
 * What the page of a confirmed signup says: what the API says of the subscription, as far as it is known. It promises
 * nothing.
 */
function stateContent(signup: Pick<StoredSignup, 'state' | 'status'>): Content {
  const { state, status } = signup;
  if (isOnItsWay(signup)) return contents.onItsWay;
  if (state !== 'delivered') return contents.notTaken;
  if (getsMail(status)) return contents.subscribed;
  if (isUnsubscribed(status)) return contents.left;
  if (isInvalid(status)) return contents.noMail;
  if (isUnconfirmed(status)) return contents.unfinished;
  return status === null ? contents.unknownStatus : contents.otherStatus;
}

/** Whether the signup waits for its delivery. */
const isOnItsWay = ({ state }: Pick<StoredSignup, 'state'>): boolean => state === 'waiting' || state === 'sent';

/** Seconds until its page asks again by itself, after it was shown for the first and for the second time. */
const refreshes = [5, 20];

/** What an answer has beside its content. */
interface AnswerParts extends PageParts {
  /** Name of the form whose site it shows. Default: that of the relay where it has a single one, or the default. */
  readonly form?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const allow: AnswerParts = { headers: { allow: 'GET, HEAD, POST' } };

/** Path of the page after an objection, shorter than any token. It outlives the signup, which is deleted. */
const stoppedPath = 'stopped';

type Forms = RelayContext['config']['forms'];

/** The form of that name; without one, that of the relay where it has a single one, or the default. */
function formOf(forms: Forms, name: string | undefined): Form | undefined {
  const [only, ...others] = Object.values(forms);
  if (name !== undefined) return Object.hasOwn(forms, name) ? forms[name] : undefined;
  return others.length === 0 ? only : forms['default'];
}

/** The page of a link that this relay has not signed. */
export const brokenLinkPage = (forms: Forms): Page => pageOf(siteOf(formOf(forms, undefined)), contents.brokenLink);

function redirect(location: string): Response {
  return new Response(null, {
    status: 303,
    headers: { ...unstored, 'referrer-policy': pageHeaders['referrer-policy'], location },
  });
}
