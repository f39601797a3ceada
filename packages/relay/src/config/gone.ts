/** Settings of earlier versions. One that is still set is named at the start, with what holds now. */

const limits = 'is gone: signups are limited per visitor (RELAY_LIMIT_IP) and per mailbox (RELAY_LIMIT_ADDRESS) alone';

/** By the name of the variable: the end of the sentence that begins with it. */
export const goneSettings: Readonly<Partial<Record<string, string>>> = {
  RELAY_ALERT_COMMAND: 'is gone: alerts are posted to RELAY_ALERT_WEBHOOK',
  RELAY_ATTACK_RATE: 'is gone: 300 posts within a minute are an attack',
  RELAY_DEAD_DAYS: 'is gone: RELAY_REVIEW_DAYS is for dead letters too',
  RELAY_LIMIT_DOMAIN: limits,
  RELAY_LIMIT_GLOBAL: limits,
  RELAY_PROOF_EFFORT: 'is gone: a proof of work takes 1000 tries at most',
  RELAY_TURNSTILE_URL: 'is gone: responses of Turnstile are verified at Cloudflare',
};
