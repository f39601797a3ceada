/**
 * Protects forms against abuse where that needs state or a call: rate limits, Turnstile, single use of token and proof,
 * mail domain. A signup that is only suspected is kept for review.
 */
import { refused, type Refused } from '@newsletter-kit/core/endpoint';
import { domainOf } from '@newsletter-kit/core/facts';
import type { LimitKind } from '../config/relay.ts';
import type { RelayContext } from '../context.ts';
import type { Suspicion } from '../events.ts';
import { AttackDetector } from './attack-detector.ts';
import type { BlockedDomains } from './blocked-domains.ts';
import { MailDomains, type MailResolver } from './mail-domain.ts';
import { RateLimits } from './rate-limits.ts';
import type { ScreenedPost, Screening } from './screening.ts';
import { verifyTurnstile } from './turnstile.ts';

/** Options of {@link AbuseProtection}. */
export interface AbuseProtectionOptions {
  readonly screening: Screening;
  /** Looks up mail domains. Default: the system's name servers. */
  readonly mail?: MailResolver | undefined;
  /** Mail domains whose signups are kept for review. Default: none. */
  readonly blockedDomains?: Pick<BlockedDomains, 'includes'> | undefined;
}

type ProtectionContext = Pick<RelayContext, 'config' | 'store' | 'log' | 'events'>;

/** Result of {@link AbuseProtection.check}. */
export type ProtectionResult =
  | {
      /** Why the signup is kept for review; null if it is not. */
      readonly suspectedBecause: Suspicion | null;
      /** Whether the rate limit of the mailbox is exceeded, whatever else is suspected. */
      readonly overLimit: boolean;
      /** Releases the token, the proof and the rate limits, for a signup that could not be stored. */
      undo(this: void): Promise<void>;
    }
  | ProtectionRefusal;

interface ProtectionRefusal {
  readonly refused: Refused;
  /** The rate limit that was reached: for the operator only, since a visitor must not learn what others do. */
  readonly limit?: LimitKind;
}

/** A screened post on its way through the steps of {@link AbuseProtection.check}. */
interface CheckedPost extends Pick<ScreenedPost, 'post' | 'submission' | 'now'> {
  readonly screened: ScreenedPost;
  suspectedBecause: Suspicion | null;
  /** Releases what the steps have used so far. */
  readonly releases: (() => Promise<void>)[];
}

/**
 * Time limit of Turnstile's verification, in milliseconds. The visitor waits for it: with a lookup of the mail domain
 * it has to leave the store some of the time in which every post is answered.
 */
const turnstileTimeoutMs = 2000;

/** The protection of all forms of a relay. */
export class AbuseProtection {
  readonly #context: ProtectionContext;
  readonly #rateLimits: RateLimits;
  readonly #attack: AttackDetector;
  readonly #screening: Screening;
  readonly #mailDomains: MailDomains;
  readonly #blockedDomains: AbuseProtectionOptions['blockedDomains'];
  /** Names of the forms that have sent their confirmation mails of the hour. */
  readonly #held = new Set<string>();

  constructor(context: ProtectionContext, options: AbuseProtectionOptions) {
    const { config, store, log } = context;
    const { defence } = config;
    this.#context = context;
    this.#rateLimits = new RateLimits(defence.limits, store.counters, countingSecret(config));
    this.#attack = new AttackDetector(defence.attack, (isAttack) =>
      isAttack
        ? log.warn('under attack: forms with RELAY_PROOF=attack now require a proof')
        : log.info('the attack is over'),
    );
    this.#screening = options.screening;
    this.#mailDomains = new MailDomains(options.mail);
    this.#blockedDomains = options.blockedDomains;
  }

  /** Counts a post for the attack detection. @returns whether there is an attack */
  countAttack(now: number): boolean {
    return this.#attack.count(now);
  }

  /** Runs the steps in this order: rate limits, calls to other servers. */
  async check(screened: ScreenedPost): Promise<ProtectionResult> {
    const { post, submission, now, suspectedBecause } = screened;
    const attempt: CheckedPost = { screened, post, submission, now, suspectedBecause, releases: [] };
    const refusal =
      (await this.#applyRateLimits(attempt)) ??
      (await this.#useProof(attempt)) ??
      (await this.#useToken(attempt)) ??
      (await this.#checkMailDomain(attempt));
    if (refusal) return refusal;
    const overLimit = await this.#applyMailboxLimit(attempt);
    return {
      suspectedBecause: attempt.suspectedBecause ?? (overLimit ? 'mailbox-limit' : null),
      overLimit,
      undo: () => releaseAll(attempt),
    };
  }

  async #applyRateLimits({ post, submission, now, releases }: CheckedPost): Promise<ProtectionRefusal | null> {
    const counted = await this.#rateLimits.countPost(submission.email, post.client, now);
    if (!counted.within) return { refused: tooManySignups(counted.retryAfterSeconds), limit: counted.kind };
    releases.push(counted.release);
    return null;
  }

  /** Marks the proof of work as used, or verifies Turnstile's response, which is suspected where Turnstile fails. */
  async #useProof(attempt: CheckedPost): Promise<ProtectionRefusal | null> {
    const { needsProof, challenge, post } = attempt.screened;
    if (!needsProof) return null;
    const { turnstile } = post.form.protection;
    if (turnstile) {
      const result = await this.#verifyTurnstile(attempt, turnstile.secret);
      if (result === 'unknown') attempt.suspectedBecause ??= 'turnstile';
      if (result !== 'failed') return null;
    } else if (challenge !== null) {
      const release = await this.#rateLimits.use('proof', challenge, attempt.now);
      if (release) {
        attempt.releases.push(release);
        return null;
      }
    }
    return { refused: await this.#screening.ask('PROOF_REQUIRED', attempt.screened, false) };
  }

  async #verifyTurnstile({ post, submission }: CheckedPost, secret: string): Promise<'passed' | 'failed' | 'unknown'> {
    const verdict = await verifyTurnstile({
      url: this.#context.config.defence.turnstileUrl,
      secret,
      response: submission.proof ?? '',
      client: post.client,
      hostnames: new Set([...post.form.origins].map((origin) => new URL(origin).hostname)),
      timeoutMs: turnstileTimeoutMs,
    });
    if ('passed' in verdict) return verdict.passed ? 'passed' : 'failed';
    this.#context.log.warn({ reason: verdict.unknown }, 'Turnstile is unavailable; the signup is kept for review');
    return 'unknown';
  }

  /** Marks the token as used; refuses one that was used before. */
  async #useToken(attempt: CheckedPost): Promise<ProtectionRefusal | null> {
    const { token } = attempt.screened;
    if (!token) return null;
    const release = await this.#rateLimits.use('token', token.nonce, attempt.now);
    if (!release) return { refused: await this.#screening.ask('TOKEN_REQUIRED', attempt.screened, false) };
    attempt.releases.push(release);
    return null;
  }

  /** Suspects a blocked domain; refuses or suspects one that receives no mail, by the form's setting. */
  async #checkMailDomain(attempt: CheckedPost): Promise<ProtectionRefusal | null> {
    const { post, submission, now } = attempt;
    const { mx } = post.form.protection;
    const domain = domainOf(submission.email);
    if (this.#blockedDomains?.includes(domain)) attempt.suspectedBecause ??= 'blocked-domain';
    if (mx === 'off' || (await this.#mailDomains.receivesMail(domain, now))) return null;
    if (mx === 'review') {
      attempt.suspectedBecause ??= 'mail-domain';
      return null;
    }
    await releaseAll(attempt);
    return { refused: mailDomainRefused };
  }

  /** Counts the signup for its mailbox; true where the limit is exceeded. */
  async #applyMailboxLimit(attempt: CheckedPost): Promise<boolean> {
    const { post, submission, now, releases } = attempt;
    const { email } = submission;
    const suspected = attempt.suspectedBecause !== null;
    const { name: form, confirmation } = post.form;
    const mailsPerHour = suspected ? undefined : confirmation?.mailsPerHour;
    let counted = await this.#rateLimits.countMailbox({ form, email, suspected }, now, mailsPerHour);
    if (mailsPerHour !== undefined) this.#reportMails(form, counted.mail, mailsPerHour);
    if (counted.mail === 'beyond') {
      attempt.suspectedBecause = 'mails-per-hour';
      counted = await this.#rateLimits.countMailbox({ form, email, suspected: true }, now);
    }
    releases.push(counted.release);
    return !counted.within;
  }

  /** Reports when a form has sent its confirmation mails of the hour, and when it sends some again. */
  #reportMails(form: string, mail: 'counted' | 'beyond' | null, mailsPerHour: number): void {
    const { log, events } = this.#context;
    if (mail === 'beyond' && !this.#held.has(form)) {
      this.#held.add(form);
      log.warn(
        { form, mailsPerHour },
        'the form has sent its confirmation mails of the hour; more signups are kept for review',
      );
      events.emit({ type: 'mailsHeld', form, mailsPerHour });
    } else if (mail === 'counted' && this.#held.delete(form)) {
      log.info({ form }, 'the form sends confirmation mails again');
      events.emit({ type: 'mailsResumed', form });
    }
  }
}

/** What hashes the keys of the rate limits: the same in all relays that share counters. */
function countingSecret({ forms }: RelayContext['config']): string {
  return Object.values(forms)
    .map(({ apiKey }) => apiKey)
    .toSorted()
    .join(' ');
}

const mailDomainRefused = refused(
  400,
  'EMAIL_DOMAIN_TAKES_NO_MAIL',
  'No mail arrives at this address: check the part after the @.',
);

/** @param retryAfterSeconds - when the visitor may try again */
export function tooManySignups(retryAfterSeconds: number): Refused {
  return refused(
    429,
    'TOO_MANY_SIGNUPS',
    'There are too many signups just now. Please try again a little later.',
    retryAfterSeconds,
  );
}

/** A failed release costs one use until it expires; the others are still released. */
async function releaseAll({ releases }: CheckedPost): Promise<void> {
  await Promise.allSettled(releases.map((release) => release()));
}
