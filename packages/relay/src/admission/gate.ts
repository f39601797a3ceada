/**
 * What a signup must pass once it is read: token, proof, limits. Whatever it asks for, it says so; what it only
 * suspects, it keeps.
 */
import { hash, randomBytes } from 'node:crypto';
import {
  keepSubmission,
  refused,
  wantsPage,
  originRefused,
  type ReadSubmission,
  type Refused,
} from '@newsletter-kit/core/endpoint';
import { addressKey, type Ask, type Submission } from '@newsletter-kit/core/signup';
import type { Log } from '../ops/log.ts';
import { fingerprint } from '../store/fingerprint.ts';
import { repeatWindowMs } from '../store/signup-store.ts';
import { AttackMeter } from './attack.ts';
import { networksOf } from './client-address.ts';
import type { Form } from './form.ts';
import { makeToken, readToken, tokenLastsMs, tokenRipensMs, type ReadToken } from './form-token.ts';
import { purposeKey } from './keys.ts';
import { inMemory, Limits, type LimitKind, type LimitRule, type LimitRules, type MakeLimiter } from './limits.ts';
import { MailDomains, type MailResolver } from './mail-domain.ts';
import { challengeLastsSeconds, ProofOfWork } from './proof-of-work.ts';
import { SingleUse } from './single-use.ts';
import { askTurnstile } from './turnstile.ts';
import { contentHeaders, type Visit } from './visit.ts';

/** What protects all forms of a relay together. */
export interface Defence {
  readonly limits: LimitRules;
  /** Posts in a window from which forms that want a proof under attack want one; null: never. */
  readonly attack: LimitRule | null;
  /** Most tries a visitor's device makes for a proof of work. */
  readonly proofEffort: number;
  /** Where Turnstile is asked. */
  readonly turnstileUrl: string;
}

/** What a {@link Gate} is made of. */
export interface GateOptions {
  readonly defence: Defence;
  /** Signs tokens and challenges, and hashes visitors' addresses. */
  readonly secret: string;
  /** Hides who is counted; the same in all relays that count together. Nothing made with it leaves the relay. */
  readonly countingSecret: string;
  readonly log: Log;
  /** Where counting is done. Default: in this process. */
  readonly limiter?: MakeLimiter | undefined;
  /** Who is asked about mail domains. Default: the system's name servers. */
  readonly mail?: MailResolver | undefined;
}

/** A signup that came through. */
export interface Passed {
  /** Where a robot or a flood is suspected. */
  readonly suspected: boolean;
  /** The site it came from. */
  readonly origin: string | null;
  /** Beyond the address's limit all signups of it are one, kept for review. */
  readonly overLimit: boolean;
  /** It could not be kept: what it used up may be used again. */
  undo(this: void): Promise<void>;
}

/** A post that was read. */
type Read = Pick<Extract<ReadSubmission, { ok: true }>, 'submission' | 'suspected'>;

/** How it ended. */
export type Passage =
  | { readonly passed: Passed }
  | {
      readonly refused: Refused;
      /** The limit that was reached: for the operator's eyes, a visitor must not learn what others do. */
      readonly limit?: LimitKind;
    };

/** How long Turnstile may take, in milliseconds: a visitor waits for it. */
const turnstileTimeoutMs = 3000;

const askTexts = {
  TOKEN_REQUIRED:
    'This form asks for a token before it takes a signup: wait as long as "ask" says, and send the same again with it.',
  PROOF_REQUIRED:
    'This form asks for a proof before it takes a signup: find it as "ask" says, and send the same again with it.',
} as const;

export class Gate {
  readonly #options: GateOptions;
  readonly #limits: Limits;
  readonly #attack: AttackMeter;
  readonly #proofOfWork: ProofOfWork;
  readonly #usedTokens: SingleUse;
  readonly #usedProofs: SingleUse;
  /** Signups that were counted for their address. */
  readonly #counted: SingleUse;
  readonly #mail: MailDomains;
  readonly #tokenKey: Buffer;
  readonly #limitKey: string;
  /** Hashes visitors' addresses for the consent ledger. */
  readonly visitorKey: Buffer;

  constructor(options: GateOptions) {
    const { defence, secret, log, limiter = inMemory } = options;
    this.#options = options;
    this.#limits = new Limits(defence.limits, limiter);
    this.#attack = new AttackMeter(defence.attack, (on) =>
      on ? log.warn('under attack: forms that ask for a proof then, ask for it') : log.info('the attack is over'),
    );
    this.#proofOfWork = new ProofOfWork(secret, defence.proofEffort);
    this.#usedTokens = new SingleUse('token', tokenLastsMs / 1000, limiter);
    this.#usedProofs = new SingleUse('proof', challengeLastsSeconds, limiter);
    this.#counted = new SingleUse('signup', repeatWindowMs / 1000, limiter);
    this.#mail = new MailDomains(options.mail);
    this.#tokenKey = purposeKey(secret, 'form token');
    this.visitorKey = purposeKey(secret, 'visitor');
    this.#limitKey = purposeKey(options.countingSecret, 'limit').toString('base64url');
  }

  /**
   * In this order: what costs nothing, what is counted, what is asked of others. Only what was counted against nobody
   * is refused for free.
   */
  async pass(visit: Visit, { submission, suspected: trapped }: Read, now: number): Promise<Passage> {
    const { form } = visit;
    const underAttack = this.#attack.note(now);
    const wantsProof = form.protection.proof === 'always' || (form.protection.proof === 'attack' && underAttack);
    // Without a script there is no proof; a person must not be lost over that, and a robot must not get through.
    const cannotProve = wantsProof && wantsPage(contentHeaders(visit));
    const proves = wantsProof && !cannotProve;

    const token = this.#readToken(visit, submission);
    const origin = token?.origin ?? visit.header('origin');
    // The relay's own page, which the first check let through, stands for the site its token names.
    if (origin === null || !form.origins.has(origin))
      return { refused: originRefused(visit.header('origin'), 'RELAY_ALLOWED_ORIGINS') };
    const ask = (code: keyof typeof askTexts, good: ReadToken | null): Promise<Passage> =>
      this.#ask(code, form, origin, proves, good, submission, now);

    if (form.protection.token && !isRipe(token, now)) return ask('TOKEN_REQUIRED', isYoung(token, now) ? token : null);
    if (proves && submission.proof === undefined) return ask('PROOF_REQUIRED', token);

    const { narrow = null, wide = null } = visit.client === null ? {} : networksOf(visit.client);
    const counted = await this.#limits.count({
      global: () => 'all',
      domain: () => this.#hidden(domainOf(submission.email)),
      ...(narrow !== null && { ip: () => this.#hidden(narrow) }),
      ...(wide !== null && { ipv6_48: () => this.#hidden(wide) }),
    });
    if (!counted.within) return { refused: tooMany(counted.retryAfterSeconds), limit: counted.kind };

    const used: (() => Promise<void>)[] = [counted.giveBack];
    const undo = async (): Promise<void> => {
      await Promise.allSettled(used.map((giveBack) => giveBack()));
    };
    let suspected = trapped || cannotProve;
    if (proves) {
      const proof = await this.#prove(visit, submission.proof ?? '');
      if (proof.verdict === 'failed') return ask('PROOF_REQUIRED', null);
      if (proof.verdict === 'unknown') suspected = true;
      if (proof.giveBack) used.push(proof.giveBack);
    }
    if (form.protection.token && token) {
      if (!(await this.#usedTokens.use(token.nonce))) return ask('TOKEN_REQUIRED', null);
      used.push(() => this.#usedTokens.giveBack(token.nonce));
    }
    if (form.protection.mx !== 'off' && !(await this.#mail.takesMail(domainOf(submission.email), now))) {
      if (form.protection.mx === 'refuse') {
        await undo();
        return {
          refused: refused(
            400,
            'EMAIL_DOMAIN_TAKES_NO_MAIL',
            'No mail arrives at this address: check what stands behind the @.',
          ),
        };
      }
      suspected = true;
    }
    // What is held for review sends no mail: it has a share of its own, and uses up nothing of the person's.
    const share = await this.#countAddress(form, submission, suspected);
    used.push(share.giveBack);
    return { passed: { suspected: suspected || !share.within, overLimit: !share.within, origin, undo } };
  }

  /**
   * Counts a signup for its mailbox. The same signup again within {@link repeatWindowMs} is not counted: the two are
   * joined when they are claimed. Every case makes the same calls to the counters, so that their time tells nothing.
   */
  async #countAddress(
    { name: form, allowedFields }: Form,
    submission: Submission,
    suspected: boolean,
  ): Promise<{ readonly within: boolean; giveBack(this: void): Promise<void> }> {
    const kept = keepSubmission(submission, allowedFields);
    const { content } = fingerprint({ form, submission: kept, suspected, idempotencyKey: null });
    const signup = this.#hidden(content);
    const [counted, share] = await Promise.all([
      this.#counted.isUsed(signup),
      this.#limits.count({
        address: () => this.#hidden(`${suspected ? 'review' : 'mail'} ${mailboxKey(submission.email)}`),
      }),
    ]);
    const within = share.within || counted;
    // Remembered only where it is within: two at once, both beyond the limit, must not let each other through.
    const name = within ? signup : this.#hidden(`beyond ${content}`);
    const first = await this.#counted.use(name);
    if (!share.within) return { within, giveBack: () => Promise.resolve() };
    if (!first) {
      void share.giveBack();
      return { within, giveBack: () => Promise.resolve() };
    }
    return {
      within,
      giveBack: async () => {
        await Promise.all([share.giveBack(), this.#counted.giveBack(name)]);
      },
    };
  }

  #readToken(visit: Visit, { token }: Submission): ReadToken | null {
    if (!visit.form.protection.token || token === undefined) return null;
    const origin = visit.header('origin');
    const origins = origin !== null && visit.form.origins.has(origin) ? [origin] : visit.form.origins;
    return readToken(this.#tokenKey, visit.form.name, origins, token);
  }

  /** @param good - a token that was given and is still to be used, in place of a new one */
  async #ask(
    code: keyof typeof askTexts,
    form: Form,
    origin: string,
    proves: boolean,
    good: ReadToken | null,
    { token }: Submission,
    now: number,
  ): Promise<Passage> {
    const { turnstile } = form.protection;
    const ask: Ask = {
      ...(form.protection.token && {
        token:
          good && token !== undefined
            ? token
            : makeToken(this.#tokenKey, form.name, origin, now, randomBytes(12).toString('base64url')),
        wait_seconds: Math.max(0, Math.ceil(((good?.issuedAt ?? now) + tokenRipensMs - now) / 1000)),
      }),
      ...(proves &&
        (turnstile
          ? { turnstile: { site_key: turnstile.siteKey } }
          : { proof_of_work: await this.#proofOfWork.challenge(form.name, now) })),
    };
    return { refused: { ...refused(403, code, askTexts[code]), ask } };
  }

  async #prove(
    { form, client }: Visit,
    proof: string,
  ): Promise<{ readonly verdict: 'passed' | 'failed' | 'unknown'; readonly giveBack?: () => Promise<void> }> {
    const { turnstile } = form.protection;
    if (!turnstile) {
      const challenge = await this.#proofOfWork.solved(proof, form.name);
      if (challenge === null || !(await this.#usedProofs.use(challenge))) return { verdict: 'failed' };
      return { verdict: 'passed', giveBack: () => this.#usedProofs.giveBack(challenge) };
    }
    const verdict = await askTurnstile({
      url: this.#options.defence.turnstileUrl,
      secret: turnstile.secret,
      proof,
      client,
      hostnames: new Set([...form.origins].map((origin) => new URL(origin).hostname)),
      timeoutMs: turnstileTimeoutMs,
    });
    if ('passed' in verdict) return { verdict: verdict.passed ? 'passed' : 'failed' };
    this.#options.log.warn({ reason: verdict.unknown }, 'Turnstile could not be asked; the signup is kept for review');
    return { verdict: 'unknown' };
  }

  /** Counters, which may stand in a database, hold no address. In one go: it is done several times for each signup. */
  #hidden(text: string): string {
    return hash('sha256', `${this.#limitKey} ${text}`, 'base64url').slice(0, 22);
  }
}

function isRipe(token: ReadToken | null, now: number): boolean {
  return token !== null && now - token.issuedAt >= tokenRipensMs && now - token.issuedAt < tokenLastsMs;
}

function isYoung(token: ReadToken | null, now: number): boolean {
  return token !== null && token.issuedAt <= now && now - token.issuedAt < tokenRipensMs;
}

/**
 * The mailbox behind an address, for counting alone: two subaddresses (RFC 5233, `ada+news@`) may be two subscriptions,
 * but their mails arrive at one person. Gmail ignores dots as well.
 */
export function mailboxKey(address: string): string {
  const [name = '', domain = ''] = addressKey(address).split(/@(?=[^@]*$)/);
  const mailbox = name.split('+', 1)[0] || name;
  const isGmail = domain === 'gmail.com' || domain === 'googlemail.com';
  return isGmail ? `${mailbox.replaceAll('.', '')}@gmail.com` : `${mailbox}@${domain}`;
}

function domainOf(address: string): string {
  return addressKey(address).slice(address.lastIndexOf('@') + 1);
}

function tooMany(retryAfterSeconds: number): Refused {
  return refused(
    429,
    'TOO_MANY_SIGNUPS',
    'There are too many signups just now. Please try again a little later.',
    retryAfterSeconds,
  );
}
