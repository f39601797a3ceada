/**
 * Protects forms against abuse: form token, proof of work or Turnstile, rate limits, mail domain. A refusal tells the
 * page which token or proof to add; a signup that is only suspected is kept for review.
 */
import { randomBytes } from 'node:crypto';
import { type AdmittedPost, originRefused, refused, type Refused, wantsPage } from '@newsletter-kit/core/endpoint';
import type { Ask } from '@newsletter-kit/core/signup';
import type { LimitKind } from '../config/relay.ts';
import type { RelayContext } from '../context.ts';
import { AttackDetector } from './attack-detector.ts';
import { type FormToken, makeToken, readToken, tokenAge, tokenLifetimeMs, tokenMinAgeMs } from './form-token.ts';
import { purposeKey } from '../secrets.ts';
import { domainOf } from '../mailbox.ts';
import { MailDomains, type MailResolver } from './mail-domain.ts';
import { challengeLifetimeSeconds, ProofOfWork } from './proof-of-work.ts';
import { inMemory, inPostgres, type MakeLimiter, RateLimits, SingleUse } from './rate-limits.ts';
import type { SignupPost } from './signup-post.ts';
import { verifyTurnstile } from './turnstile.ts';

/** Options of {@link AbuseProtection}. */
export interface AbuseProtectionOptions {
  /** Signs tokens and challenges, and hashes visitors' IP addresses. Default: random. */
  readonly secret?: string | undefined;
  /** Makes the rate limiters. Default: in the store if relays share it, otherwise in this process. */
  readonly limiter?: MakeLimiter | undefined;
  /** Looks up mail domains. Default: the system's name servers. */
  readonly mail?: MailResolver | undefined;
}

type ProtectionContext = Pick<RelayContext, 'config' | 'store' | 'log'>;

/** Result of {@link AbuseProtection.check}. */
export type ProtectionResult =
  | {
      /** Whether a bot or an attack is suspected. */
      readonly suspected: boolean;
      /** The website the signup came from. */
      readonly origin: string;
      /** Whether the rate limit of the mailbox is exceeded: the signup is kept for review. */
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

/** A post on its way through the steps of {@link AbuseProtection.check}. */
interface CheckedPost {
  readonly post: SignupPost;
  readonly signup: Pick<AdmittedPost, 'submission' | 'kept'>;
  readonly now: number;
  /** The website, by the token or by the `Origin` header. */
  readonly origin: string;
  /** The form token with a valid signature; null where there is none. */
  readonly token: FormToken | null;
  /** Whether the post must contain a proof. */
  readonly needsProof: boolean;
  suspected: boolean;
  /** Releases what the steps have used so far. */
  readonly releases: (() => Promise<void>)[];
}

/**
 * Time limit of Turnstile's verification, in milliseconds. The visitor waits for it: with a lookup of the mail domain
 * it has to leave the store some of the time in which every post is answered.
 */
const turnstileTimeoutMs = 2000;

const askMessages = {
  TOKEN_REQUIRED:
    'This form requires a token: wait the seconds in "ask", then send the same signup again with the token in "ask".',
  PROOF_REQUIRED:
    'This form requires a proof: solve the challenge in "ask", then send the same signup again with the solution as "proof".',
} as const;

type AskCode = keyof typeof askMessages;

/** The protection of all forms of a relay. */
export class AbuseProtection {
  readonly #context: ProtectionContext;
  readonly #rateLimits: RateLimits;
  readonly #attack: AttackDetector;
  readonly #proofOfWork: ProofOfWork;
  readonly #usedTokens: SingleUse;
  readonly #usedProofs: SingleUse;
  readonly #mailDomains: MailDomains;
  readonly #tokenKey: Buffer;
  /** Hashes visitors' IP addresses for the consent ledger. */
  readonly visitorKey: Buffer;

  constructor(context: ProtectionContext, options: AbuseProtectionOptions) {
    const { config, store, log } = context;
    const { defence } = config;
    const { secret = randomBytes(32).toString('base64url') } = options;
    const limiter = options.limiter ?? (store.counters ? inPostgres(store.counters) : inMemory);
    this.#context = context;
    this.#rateLimits = new RateLimits(defence.limits, limiter, countingSecret(config));
    this.#attack = new AttackDetector(defence.attack, (isAttack) =>
      isAttack
        ? log.warn('under attack: forms with RELAY_PROOF=attack now require a proof')
        : log.info('the attack is over'),
    );
    this.#proofOfWork = new ProofOfWork(secret, defence.proofEffort);
    this.#usedTokens = new SingleUse('token', tokenLifetimeMs / 1000, limiter);
    this.#usedProofs = new SingleUse('proof', challengeLifetimeSeconds, limiter);
    this.#mailDomains = new MailDomains(options.mail);
    this.#tokenKey = purposeKey(secret, 'form token');
    this.visitorKey = purposeKey(secret, 'visitor');
  }

  /**
   * Runs the steps in this order: checks without cost, rate limits, calls to other servers. A refusal before the rate
   * limits counts against none of them.
   */
  async check(post: SignupPost, signup: AdmittedPost, now: number): Promise<ProtectionResult> {
    const attempt = this.#begin(post, signup, now);
    if ('refused' in attempt) return attempt;
    const refusal =
      (await this.#requireToken(attempt)) ??
      (await this.#requireProof(attempt)) ??
      (await this.#applyRateLimits(attempt)) ??
      (await this.#verifyProof(attempt)) ??
      (await this.#useToken(attempt)) ??
      (await this.#checkMailDomain(attempt));
    if (refusal) return refusal;
    const overLimit = await this.#applyMailboxLimit(attempt);
    return {
      suspected: attempt.suspected || overLimit,
      origin: attempt.origin,
      overLimit,
      undo: () => releaseAll(attempt),
    };
  }

  /** Reads the token and the origin, and decides whether a proof is needed. */
  #begin(
    post: SignupPost,
    { submission, kept, suspected }: AdmittedPost,
    now: number,
  ): CheckedPost | ProtectionRefusal {
    const { form, header } = post;
    const { proof } = form.protection;
    const isAttack = this.#attack.count(now);
    const wantsProof = proof === 'always' || (proof === 'attack' && isAttack);
    // A visitor without JavaScript cannot compute a proof: the signup is kept for review instead of refused.
    const cannotProve = wantsProof && wantsPage(header);
    const token = this.#readToken(post, submission.token);
    // A post of the relay's own page, which the origin check admits, belongs to the website in its token.
    const origin = token?.origin ?? header('origin');
    if (origin === null || !form.origins.has(origin))
      return { refused: originRefused(header('origin'), 'RELAY_ALLOWED_ORIGINS') };
    return {
      post,
      signup: { submission, kept },
      now,
      origin,
      token,
      needsProof: wantsProof && !cannotProve,
      suspected: suspected || cannotProve,
      releases: [],
    };
  }

  #readToken({ form, header }: SignupPost, token: string | undefined): FormToken | null {
    if (!form.protection.token || token === undefined) return null;
    const origin = header('origin');
    const origins = origin !== null && form.origins.has(origin) ? [origin] : form.origins;
    return readToken(this.#tokenKey, form.name, origins, token);
  }

  /** Refuses a post without a valid token; a token below its minimum age may be sent again. */
  async #requireToken(attempt: CheckedPost): Promise<ProtectionRefusal | null> {
    const { post, token, now } = attempt;
    if (!post.form.protection.token) return null;
    const age = token && tokenAge(token, now);
    return age === 'valid' ? null : this.#ask('TOKEN_REQUIRED', attempt, age === 'young');
  }

  /** Refuses a post that lacks a required proof; its token stays valid. */
  async #requireProof(attempt: CheckedPost): Promise<ProtectionRefusal | null> {
    if (!attempt.needsProof || attempt.signup.submission.proof !== undefined) return null;
    return this.#ask('PROOF_REQUIRED', attempt, true);
  }

  async #applyRateLimits({ post, signup, releases }: CheckedPost): Promise<ProtectionRefusal | null> {
    const counted = await this.#rateLimits.countPost(signup.submission.email, post.client);
    if (!counted.within) return { refused: tooManySignups(counted.retryAfterSeconds), limit: counted.kind };
    releases.push(counted.release);
    return null;
  }

  /** Verifies the proof of work or Turnstile's response. Where Turnstile is unavailable, the signup is suspected. */
  async #verifyProof(attempt: CheckedPost): Promise<ProtectionRefusal | null> {
    if (!attempt.needsProof) return null;
    const { turnstile } = attempt.post.form.protection;
    const result = turnstile
      ? await this.#verifyTurnstile(attempt, turnstile.secret)
      : await this.#verifyProofOfWork(attempt);
    if (result === 'failed') return this.#ask('PROOF_REQUIRED', attempt, false);
    if (result === 'unknown') attempt.suspected = true;
    return null;
  }

  async #verifyProofOfWork({ post, signup, releases }: CheckedPost): Promise<'passed' | 'failed'> {
    const challenge = await this.#proofOfWork.verify(signup.submission.proof ?? '', post.form.name);
    if (challenge === null || !(await this.#usedProofs.use(challenge))) return 'failed';
    releases.push(() => this.#usedProofs.release(challenge));
    return 'passed';
  }

  async #verifyTurnstile({ post, signup }: CheckedPost, secret: string): Promise<'passed' | 'failed' | 'unknown'> {
    const verdict = await verifyTurnstile({
      url: this.#context.config.defence.turnstileUrl,
      secret,
      response: signup.submission.proof ?? '',
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
    const { token, releases } = attempt;
    if (!token) return null;
    if (!(await this.#usedTokens.use(token.nonce))) return this.#ask('TOKEN_REQUIRED', attempt, false);
    releases.push(() => this.#usedTokens.release(token.nonce));
    return null;
  }

  /** Refuses or suspects an address whose domain receives no mail, by the form's setting. */
  async #checkMailDomain(attempt: CheckedPost): Promise<ProtectionRefusal | null> {
    const { post, signup, now } = attempt;
    const { mx } = post.form.protection;
    if (mx === 'off' || (await this.#mailDomains.receivesMail(domainOf(signup.submission.email), now))) return null;
    if (mx === 'review') {
      attempt.suspected = true;
      return null;
    }
    await releaseAll(attempt);
    return { refused: mailDomainRefused };
  }

  /** Counts the signup for its mailbox; true where the limit is exceeded. */
  async #applyMailboxLimit({ post, signup, suspected, releases }: CheckedPost): Promise<boolean> {
    const counted = await this.#rateLimits.countMailbox(post.form.name, signup.kept, suspected);
    releases.push(counted.release);
    return !counted.within;
  }

  /**
   * Refuses a post with 403 and the token and proof to add.
   *
   * @param keepsToken - whether the token of the post is handed back, instead of a new one
   */
  async #ask(code: AskCode, attempt: CheckedPost, keepsToken: boolean): Promise<ProtectionRefusal> {
    const { post, signup, now, needsProof, origin } = attempt;
    const { name, protection } = post.form;
    const kept = keepsToken ? attempt.token : null;
    const ask: Ask = {
      ...(protection.token && {
        token:
          (kept && signup.submission.token) ??
          makeToken(this.#tokenKey, name, origin, now, randomBytes(12).toString('base64url')),
        wait_seconds: Math.max(0, Math.ceil(((kept?.issuedAt ?? now) + tokenMinAgeMs - now) / 1000)),
      }),
      ...(needsProof &&
        (protection.turnstile
          ? { turnstile: { site_key: protection.turnstile.siteKey } }
          : { proof_of_work: await this.#proofOfWork.challenge(name, now) })),
    };
    return { refused: { ...refused(403, code, askMessages[code]), ask } };
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

function tooManySignups(retryAfterSeconds: number): Refused {
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
