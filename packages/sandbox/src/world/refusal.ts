/** A request that is well-formed but can't be done: names something that does not exist, or breaks a rule. */
import type { ErrorDetail } from '@newsletter-kit/core/schema';

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly details: readonly ErrorDetail[];

  constructor(...details: readonly ErrorDetail[]) {
    super(details.map((detail) => detail.message).join(' '));
    this.details = details;
  }
}
