/** The audit of a signup in words, for the command line and the operator's page. */
import type { SignupAudit } from '@newsletter-kit/core/signup';

/** Pairs of a name and a text. */
export function auditFacts(audit: SignupAudit = {}): readonly (readonly [name: string, value: string])[] {
  return Object.entries(audit).map(([name, value]: [string, string | object]) => [
    name,
    typeof value === 'string'
      ? value
      : Object.entries(value)
          .map((member) => member.join(' '))
          .join(', '),
  ]);
}
