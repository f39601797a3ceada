/**
 * Protects forms against abuse where that needs state or a call: rate limits, Turnstile, single use of token and proof,
 * mail domain, mails of an hour. A signup that is only suspected is kept for review; one whose mail has no room in this
 * hour is held until an hour that has.
 */
import { refused, type Refused, wantsPage } from '@newsletter-kit/core/endpoint';
import { domainOf } from '@newsletter-kit/core/facts';
import type { Form } from '../config/form.ts';
import type { LimitKind } from '../config/relay.ts';
import type { RelayContext } from '../context.ts';
import type { Suspicion } from '../events.ts';
import { createAttackDetector } from './attack-detector.ts';
import type { BlockedDomains } from './blocked-domains.ts';
import { createMailDomains, type MailResolver } from './mail-domain.ts';
import { endOfHour, type MailBudget, RateLimits } from './rate-limits.ts';
import type { ProofVerdict } from './proof.ts';
import type { ScreenedPost, Screening } from './screening.ts';

/** Options of {@link createAbuseProtection}. */
export interface AbuseProtectionOptions {
  readonly screening: Screening;
  /** Looks up mail domains. Default: the system's name servers. */
  readonly mail?: MailResolver | undefined;
  /** Mail domains whose signups are kept for review. Default: none. */
  readonly blockedDomains?: Pick<BlockedDomains, 'includes'> | undefined;
}

type ProtectionContext = Pick<RelayContext, 'config' | 'store' | 'log' | 'events'>;

/** What `check` of {@link createAbuseProtection} finds. */
export type ProtectionResult =
  | {
      /** Why the signup is kept for review or, with `heldUntil`, its mail is held; null if neither is. */
      readonly suspectedBecause: Suspicion | null;
      readonly heldUntil?: number | undefined;
      /** Whether the rate limit of the mailbox is exceeded, whatever else is suspected. */
      readonly overLimit: boolean;
      /** Releases the token, the proof and the rate limits, for a signup that could not be stored. */
      undo(this: void): Promise<void>;
    }
  | ProtectionRefusal;

/** The refusal of a post. */
export interface ProtectionRefusal {
  readonly refused: Refused;
  /** The rate limit that was reached: for the operator only, since a visitor must not learn what others do. */
  readonly limit?: LimitKind;
}

/** A screened post on its way through the steps of `check`. */
interface CheckedPost {
  readonly screened: ScreenedPost;
  suspectedBecause: Suspicion | null;
  /** Whether it came with a right proof, without one, or from somebody who cannot give one. */
  proof: 'given' | 'none' | 'impossible';
  /** Releases what the steps have used so far. */
  readonly releases: (() => Promise<void>)[];
}

/** The longest time for which mails are held, in hours. */
const hoursAhead = 24;

/** The protection of all forms of a relay. */
export type AbuseProtection = ReturnType<typeof createAbuseProtection>;

export function createAbuseProtection(
  { config, store, log, events }: ProtectionContext,
  { screening, mail, blockedDomains }: AbuseProtectionOptions,
) {
  const rateLimits = new RateLimits(config.defence.limits, store.counters, countingSecret(config), (isInMemory) =>
    isInMemory
      ? log.warn('the store counts no rate limits at present: each relay counts them by itself, from none')
      : log.info('the store counts the rate limits again'),
  );
  /** Counts a post for the attack detection. @returns whether there is an attack */
  const countAttack = createAttackDetector((isAttack) =>
    isAttack
      ? log.warn('under attack: forms with RELAY_PROOF=attack now require a proof')
      : log.info('the attack is over'),
  );
  const receivesMail = createMailDomains(mail);
  /** By form: until when it asks for proofs, having sent half of its confirmation mails of the hour. */
  const asksUntil = new Map<string, number>();
  /** By form: the budgets beyond which it holds mails. */
  const holding = new Map<string, Set<string>>();

  /** Runs the steps in this order: rate limits, calls to other servers, mails of the hour. */
  async function check(screened: ScreenedPost): Promise<ProtectionResult> {
    const proof = wantsPage(screened.post.header) ? 'impossible' : 'none';
    const attempt: CheckedPost = { screened, suspectedBecause: screened.suspectedBecause, proof, releases: [] };
    const refusal =
      (await askBeyondHalf(attempt)) ??
      (await applyRateLimits(attempt)) ??
      (await useProof(attempt)) ??
      (await useToken(attempt)) ??
      (await checkMailDomain(attempt));
    return refusal ?? countMail(attempt);
  }

  /** Refuses what has no proof while the form asks for one: before anything is counted, and whatever is suspected. */
  async function askBeyondHalf({ screened, proof }: CheckedPost): Promise<ProtectionRefusal | null> {
    const { post, offeredProof, now } = screened;
    if (proof !== 'none' || offeredProof !== undefined || !asks(post.form.name, now)) return null;
    return askForProof(screened, true);
  }

  function asks(form: string, now: number): boolean {
    return now < (asksUntil.get(form) ?? 0);
  }

  async function askForProof(screened: ScreenedPost, keepsToken: boolean): Promise<ProtectionRefusal> {
    return { refused: await screening.ask('PROOF_REQUIRED', { ...screened, needsProof: true }, keepsToken) };
  }

  async function applyRateLimits({ screened, releases }: CheckedPost): Promise<ProtectionRefusal | null> {
    const { post, now } = screened;
    const counted = await rateLimits.countPost(post.client, now);
    if (!counted.within) return { refused: tooManySignups(counted.retryAfterSeconds), limit: counted.kind };
    releases.push(counted.release);
    return null;
  }

  /**
   * Marks the proof as used and verifies it. Where that is unavailable, a required proof is suspected, and another
   * counts as one that cannot be given.
   */
  async function useProof(attempt: CheckedPost): Promise<ProtectionRefusal | null> {
    const { needsProof } = attempt.screened;
    const verdict = await verifyProof(attempt);
    if ('unknown' in verdict) {
      log.warn({ reason: verdict.unknown }, 'Turnstile is unavailable; the signup is kept without it');
      if (needsProof) attempt.suspectedBecause ??= 'turnstile';
      attempt.proof = 'impossible';
    } else if (verdict.passed) attempt.proof = 'given';
    return needsProof && attempt.proof === 'none' ? askForProof(attempt.screened, false) : null;
  }

  async function verifyProof({ screened: { proof, now }, releases }: CheckedPost): Promise<ProofVerdict> {
    if (!proof) return { passed: false };
    const release = proof.nonce === null ? null : await rateLimits.use('proof', proof.nonce, now);
    if (proof.nonce !== null && !release) return { passed: false };
    if (release) releases.push(release);
    return proof.verify();
  }

  /** Marks the token as used; refuses one that was used before. */
  async function useToken(attempt: CheckedPost): Promise<ProtectionRefusal | null> {
    const { token, now } = attempt.screened;
    if (!token) return null;
    const release = await rateLimits.use('token', token.nonce, now);
    if (!release) return { refused: await screening.ask('TOKEN_REQUIRED', attempt.screened, false) };
    attempt.releases.push(release);
    return null;
  }

  /** Suspects a blocked domain; refuses or suspects one that receives no mail, by the form's setting. */
  async function checkMailDomain(attempt: CheckedPost): Promise<ProtectionRefusal | null> {
    const { post, submission, now } = attempt.screened;
    const { mx } = post.form.protection;
    const domain = domainOf(submission.email);
    if (blockedDomains?.includes(domain)) attempt.suspectedBecause ??= 'blocked-domain';
    if (mx === 'off' || (await receivesMail(domain, now))) return null;
    if (mx === 'review') {
      attempt.suspectedBecause ??= 'mail-domain';
      return null;
    }
    await releaseAll(attempt);
    return { refused: mailDomainRefused };
  }

  /** Counts the signup for its mailbox and, where nothing is suspected, its mail: in this hour or in a later one. */
  async function countMail(attempt: CheckedPost): Promise<ProtectionResult> {
    const { screened, proof, releases } = attempt;
    const { post, submission, now } = screened;
    const suspected = attempt.suspectedBecause !== null;
    const signup = { email: submission.email, suspected, client: post.client };
    const budget = suspected ? null : mailBudget(post.form, proof);
    const { within, mailAt, release } = await rateLimits.countMailbox(signup, now, budget);
    releases.push(release);
    if (mailAt === null && budget?.hoursAhead === 0) {
      const { name: form } = post.form;
      if (!asks(form, now)) log.warn({ form }, 'the form asks for proofs: half of the mails of the hour are sent');
      asksUntil.set(form, endOfHour(now));
      await releaseAll(attempt);
      return askForProof(screened, true);
    }
    if (budget && within) reportMails(post.form, budget.name, mailAt !== now);
    const because = !within ? 'mailbox-limit' : mailAt === now ? null : 'mails-per-hour';
    return {
      suspectedBecause: attempt.suspectedBecause ?? because,
      heldUntil: within && mailAt !== now ? (mailAt ?? undefined) : undefined,
      overLimit: !within,
      undo: () => releaseAll(attempt),
    };
  }

  /** Reports when a form begins to hold mails, and when it holds none any more. */
  function reportMails({ name: form, confirmation }: Form, budget: string, isHeld: boolean): void {
    const mailsPerHour = confirmation?.mailsPerHour ?? 0;
    const held = holding.get(form) ?? new Set();
    const heldSome = held.size > 0;
    if (isHeld) holding.set(form, held.add(budget));
    else held.delete(budget);
    if (heldSome === held.size > 0) return;
    if (isHeld) {
      log.warn({ form, mailsPerHour }, 'the form has sent its confirmation mails of the hour; more are held');
      const reason = `The form "${form}" has sent its share of ${mailsPerHour} confirmation mails an hour, and holds more until an hour has room. If people sign up, redrive them and raise RELAY_CONFIRMATION_MAILS_PER_HOUR; if bots do, discard them, and set RELAY_PROOF=attack.`;
      events.emit({ type: 'failing', what: 'mails', scope: form, forms: [form], reason, needsOperator: true });
    } else {
      log.info({ form }, 'the form sends confirmation mails again');
      events.emit({ type: 'works', what: 'mails', scope: form });
    }
  }

  return { countAttack, check };
}

/** The share of the mails for proven posts that is left for visitors whose network has had none of them in the hour. */
const reservedShare = 0.1;

/**
 * The mails of an hour that a signup draws on. A form that may ask for proofs keeps half of them for posts with one,
 * and asks for a proof before it holds a mail. Bots can prove too, but post from few networks.
 */
function mailBudget({ name, protection, confirmation }: Form, proof: CheckedPost['proof']): MailBudget | null {
  if (confirmation === null) return null;
  const { mailsPerHour } = confirmation;
  if (protection.proof !== 'attack') return { name, most: mailsPerHour, hoursAhead };
  const half = Math.floor(mailsPerHour / 2);
  const most = mailsPerHour - half;
  if (proof === 'given')
    return { name: `${name} proven`, most, hoursAhead, reserved: Math.floor(most * reservedShare) };
  return { name, most: half, hoursAhead: proof === 'none' ? 0 : hoursAhead };
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
