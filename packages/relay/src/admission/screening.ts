/**
 * What a post must pass that needs no state: headers, size, fields, consent, and the signatures of token and proof. A
 * Worker screens a post before it calls its Durable Object, which costs.
 */
import { randomBytes } from 'node:crypto';
import {
  admitBody,
  type AdmittedPost,
  allowedOrigin,
  originRefused,
  type PostCheck,
  readBody,
  type ReadHeader,
  refused,
  type Refused,
  refuseUnread,
  wantsPage,
} from '@newsletter-kit/core/endpoint';
import type { Ask } from '@newsletter-kit/core/signup';
import type { Form } from '../config/form.ts';
import { answerWithinMs, within } from '../deadline.ts';
import type { Suspicion } from '../events.ts';
import { purposeKey } from '../secrets.ts';
import { type FormToken, makeToken, readToken, tokenAge, tokenMinAgeMs } from './form-token.ts';
import type { ProofOptions, ProofProvider, ReadProof } from './proof.ts';
import { proofOfWork } from './proof-of-work.ts';
import type { SignupPost } from './signup-post.ts';
import { turnstileOf } from './turnstile.ts';

/** A check of a post before its body is read; null lets the post pass. Added with `createRelay`'s option `checks`. */
export type Check = PostCheck<SignupPost>;

/** Options of {@link Screening}. */
export interface ScreeningOptions {
  readonly proof?: ProofOptions | undefined;
  /** Signs tokens and challenges, and hashes visitors' IP addresses. Default: random. */
  readonly secret?: string | undefined;
  /** Further checks, run after the relay's own and before the body is read. */
  readonly checks?: readonly Check[] | undefined;
}

/** A post that passed {@link Screening.screen}. */
export interface ScreenedPost extends Omit<AdmittedPost, 'suspected'> {
  readonly post: SignupPost;
  readonly now: number;
  /** The website, by the token or by the `Origin` header. */
  readonly origin: string;
  /** The form token with a valid signature; null where there is none. */
  readonly token: FormToken | null;
  /** Whether the post must contain a proof. */
  readonly needsProof: boolean;
  /** The proof it contains, in a form that may ask for one. */
  readonly offeredProof: string | undefined;
  /** That proof, where it is not wrong; otherwise null. */
  readonly proof: ReadProof | null;
  /** Null: nothing is suspected. */
  readonly suspectedBecause: Suspicion | null;
}

/** A post that was refused. */
export interface ScreenedOut {
  readonly refused: Refused;
}

const askMessages = {
  TOKEN_REQUIRED:
    'This form requires a token: wait the seconds in "ask", then send the same signup again with the token in "ask".',
  PROOF_REQUIRED:
    'This form requires a proof: solve the challenge in "ask", then send the same signup again with the solution as "proof".',
} as const;

type AskCode = keyof typeof askMessages;

export class Screening {
  readonly #checks: readonly Check[];
  readonly #providerOf: (form: Form) => ProofProvider;
  readonly #tokenKey: Buffer;
  /** Hashes visitors' IP addresses for the consent ledger. */
  readonly visitorKey: Buffer;

  constructor({ proof = {}, secret = randomBytes(32).toString('base64url'), checks = [] }: ScreeningOptions = {}) {
    this.#checks = checks;
    const work = proofOfWork(secret, proof.effort);
    this.#providerOf = ({ protection: { turnstile } }) =>
      turnstile ? turnstileOf(turnstile, proof.turnstileUrl) : work;
    this.#tokenKey = purposeKey(secret, 'form token');
    this.visitorKey = purposeKey(secret, 'visitor');
  }

  /**
   * Reads the body of a post, unless the headers or its size refuse it.
   *
   * @throws DeadlineError where a check does not answer
   */
  async read(post: SignupPost): Promise<Uint8Array | ScreenedOut> {
    const refused = await within(answerWithinMs, refuseUnread(post, { checkOrigin, checks: this.#checks }));
    return refused ? { refused } : readBody(post);
  }

  /**
   * Screens a post. What it refuses counts for no rate limit.
   *
   * @param countAttack - counts the post, and returns whether there is an attack. Default: there is none
   */
  async screen(
    post: SignupPost,
    body: Uint8Array,
    now: number,
    countAttack: (now: number) => boolean = () => false,
  ): Promise<ScreenedPost | ScreenedOut> {
    const { form, header } = post;
    const admission = await admitBody(header, body, {
      allowedFields: form.allowedFields,
      consent: { ...form.consent, setting: 'RELAY_CONSENT_SENTENCES' },
    });
    if ('refused' in admission) return admission;
    const { admitted } = admission;
    const { proof } = form.protection;
    const isAttack = countAttack(now);
    const wantsProof = proof === 'always' || (proof === 'attack' && isAttack);
    // A visitor without JavaScript cannot compute a proof: the signup is kept for review instead of refused.
    const cannotProve = wantsProof && wantsPage(header);
    const token = this.#readToken(post, admitted.submission.token);
    const { suspected, ...rest } = admitted;
    // A post of the relay's own page belongs to the website in its token, if it has one.
    const origin = token?.origin ?? header('origin');
    if (origin === null || !(form.origins.has(origin) || isOwnPage(header)))
      return { refused: originRefused(header('origin'), 'RELAY_ALLOWED_ORIGINS') };
    const screened: ScreenedPost = {
      ...rest,
      post,
      now,
      origin,
      token,
      needsProof: wantsProof && !cannotProve,
      offeredProof: proof === 'off' ? undefined : admitted.submission.proof,
      proof: null,
      suspectedBecause: suspected ? 'honeypot' : cannotProve ? 'no-proof' : null,
    };
    return this.#checkTokenAndProof(screened);
  }

  #readToken({ form, header }: SignupPost, token: string | undefined): FormToken | null {
    if (!form.protection.token || token === undefined) return null;
    const origin = header('origin');
    const origins = origin === null ? form.origins : form.origins.has(origin) ? [origin] : [...form.origins, origin];
    return readToken(this.#tokenKey, form.name, origins, token);
  }

  /** Refuses a post without a valid token or without a required proof, which leaves its token valid. */
  async #checkTokenAndProof(screened: ScreenedPost): Promise<ScreenedPost | ScreenedOut> {
    const { post, token, needsProof, offeredProof, now } = screened;
    const age = token && tokenAge(token, now);
    // A token below its minimum age may be sent again.
    if (post.form.protection.token && age !== 'valid')
      return { refused: await this.ask('TOKEN_REQUIRED', screened, age === 'young') };
    if (offeredProof === undefined)
      return needsProof ? { refused: await this.ask('PROOF_REQUIRED', screened, true) } : screened;
    // A proof that nothing requires is read too: its post draws on the mails of those who prove.
    const proof = await this.#providerOf(post.form).read(offeredProof, post);
    if (proof !== null || !needsProof) return { ...screened, proof };
    return { refused: await this.ask('PROOF_REQUIRED', screened, false) };
  }

  /**
   * Refuses a post with 403 and the token and proof to add.
   *
   * @param keepsToken - whether the token of the post is handed back, instead of a new one
   */
  async ask(code: AskCode, screened: ScreenedPost, keepsToken: boolean): Promise<Refused> {
    const { post, submission, now, needsProof, origin, token } = screened;
    const { name, protection } = post.form;
    const kept = keepsToken ? token : null;
    const ask: Ask = {
      ...(protection.token && {
        token:
          (kept && submission.token) ??
          makeToken(this.#tokenKey, name, origin, now, randomBytes(12).toString('base64url')),
        wait_seconds: Math.max(0, Math.ceil(((kept?.issuedAt ?? now) + tokenMinAgeMs - now) / 1000)),
      }),
      ...(needsProof && (await this.#providerOf(post.form).ask(post, now))),
    };
    return { ...refused(403, code, askMessages[code]), ask };
  }
}

/** Refuses posts from other websites. The relay's own pages may post too: they have the form, or what was entered. */
export function checkOrigin({ header, form }: Pick<SignupPost, 'header' | 'form'>): Refused | null {
  if (allowedOrigin(header, form.origins) !== null) return null;
  if (isOwnPage(header)) return null;
  return originRefused(header('origin'), 'RELAY_ALLOWED_ORIGINS');
}

/**
 * Whether the post comes from one of the relay's own pages. Browsers state it in a header that no page can
 * set; Safari before 16.4 lacks the header, but sends the relay's host as the origin.
 */
function isOwnPage(header: ReadHeader): boolean {
  const site = header('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  return URL.parse(header('origin') ?? '')?.host === header('host');
}
