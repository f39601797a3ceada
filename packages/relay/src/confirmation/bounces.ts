/** Mails that came back, as the service behind the mail server reports them: by posts signed as Standard Webhooks. */
import { redact } from '@newsletter-kit/core';
import { collectBody, refused } from '@newsletter-kit/core/endpoint';
import { submissionLimit } from '@newsletter-kit/core/signup';
import { Hono } from 'hono';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import * as z from 'zod';
import type { RelayContext } from '../context.ts';
import { StoreUnavailableError } from '../errors.ts';
import { refuse } from '../pages/page.ts';

/** A bounce as this endpoint has it, or an event of Resend, whose bounces are permanent unless it says otherwise. */
const bounce = z.union([
  z.object({ address: z.string().min(3), reason: z.string(), hard: z.boolean() }),
  z
    .object({
      type: z.enum(['email.bounced', 'email.complained']),
      data: z.object({
        to: z.array(z.string()).length(1),
        bounce: z.object({ message: z.string().default(''), type: z.string().default('Permanent') }).prefault({}),
      }),
    })
    .transform(({ type, data: { to, bounce } }) => {
      const address = to.join('');
      // A person who reports the mail as spam wants no other.
      if (type === 'email.complained') return { address, reason: 'It was reported as spam.', hard: true };
      return { address, reason: bounce.message, hard: bounce.type === 'Permanent' };
    }),
  // Any other event: nothing came back.
  z.object({ type: z.string().regex(/^(?!email\.(?:bounced|complained)$)/) }).transform(() => null),
]);

/** What a post may contain, for a refusal. */
const formats = 'Send {"address": "…", "reason": "…", "hard": true}, or an event email.bounced.';

/** The reply of a mail server in a text: its code (RFC 5321, 4.2.1) where a reply begins. */
const replyCode = /(?:^|[:;"'(<[])\s*([245])[0-5]\d(?=[ -]|$)/m;
/** A code of RFC 3463, which counts where the reply itself is left out. */
const enhancedCode = /(?<![\w.])([245])\.\d{1,3}\.\d{1,3}(?![\w.])/;

/** Whether the server will never take such a mail: by the class of its reply, else as the service has it. */
export function isPermanent(reason: string, hard: boolean): boolean {
  const [, digit] = replyCode.exec(reason) ?? enhancedCode.exec(reason) ?? [];
  return digit === undefined ? hard : digit === '5';
}

/**
 * A hard bounce makes dead letters of the open signups of its address, and ends the mails to that mailbox; a soft one
 * is noted with them. Whether the address is known shows in no answer.
 *
 * @param secrets - of Standard Webhooks: any of them may have signed
 */
export function bounceRoutes(context: RelayContext, secrets: readonly string[]): Hono {
  /** @returns what was sent; undefined where none of the secrets has signed it @throws SyntaxError if it is no JSON */
  const contentOf = (body: string, { headers }: Request): unknown => {
    // Services that send by the library Svix name them after it.
    const sent = ['id', 'timestamp', 'signature'].map(
      (name) => [`webhook-${name}`, headers.get(`webhook-${name}`) ?? headers.get(`svix-${name}`) ?? ''] as const,
    );
    for (const secret of secrets) {
      try {
        return new Webhook(secret).verify(body, Object.fromEntries(sent));
      } catch (error) {
        if (!(error instanceof WebhookVerificationError)) throw error;
      }
    }
    return undefined;
  };
  return new Hono()
    .post('/', async ({ req: { raw } }) => {
      const bytes = await collectBody(raw.body ?? [], submissionLimit);
      if (bytes === null)
        return refuse(refused(413, 'PAYLOAD_TOO_LARGE', `A bounce may be ${submissionLimit} bytes at most.`));
      const body = new TextDecoder().decode(bytes);
      const content = contentOf(body, raw);
      if (content === undefined)
        return refuse(refused(401, 'UNAUTHORIZED', 'The signature is missing, old, or of another secret.'));
      const read = bounce.safeParse(content);
      if (!read.success) return refuse(refused(400, 'INVALID_BODY', formats));
      if (read.data) await note(context, read.data);
      return new Response(null, { status: 204 });
    })
    .onError((error) => {
      if (error instanceof SyntaxError) return refuse(refused(400, 'INVALID_BODY', 'The body is not JSON.'));
      if (!(error instanceof StoreUnavailableError)) throw error;
      return refuse(refused(503, 'UNAVAILABLE', 'The store cannot be written: send it again.'));
    });
}

async function note(
  { store, log, events, secrets, now }: RelayContext,
  { address, reason: said, hard }: NonNullable<z.output<typeof bounce>>,
): Promise<void> {
  const { signups, mails } = await store.person(address);
  const open = signups.filter(({ state }) => state === 'unconfirmed');
  const text = redact(said, secrets).slice(0, 300);
  if (!isPermanent(said, hard)) {
    const reason = `The confirmation mail came back for now: ${text}`;
    for (const { id, tried } of open.filter(({ nextAttemptAt }) => nextAttemptAt === null)) {
      await store.settle([id], { state: 'unconfirmed', at: now(), nextAttemptAt: null, reason, tried });
      log.warn({ signup: id, reason }, 'the confirmation mail came back; its mailbox may get others');
    }
    return;
  }
  const reason = `The confirmation mail came back: ${text}`;
  await store.settle(
    open.map(({ id }) => id),
    { state: 'dead', at: now(), reason, ofMail: true },
  );
  for (const mailbox of mails) await store.stopMails(null, mailbox, now());
  for (const { id, form } of open) {
    log.error({ signup: id, reason }, 'the confirmation mail came back; kept as a dead letter');
    events.emit({ type: 'deadLetter', signup: id, form, reason, ofMail: true });
  }
}
