/** Which scopes an app has to ask for, from the operations it calls. */
import { operation, type OperationId, type Scope } from '../contract/index.ts';

/**
 * The scopes that these operations need together, each once, in order of the alphabet. Ask for these and no more:
 * people read the list before they agree.
 *
 * @example
 * ```ts
 * scopesFor(['subscriptions.list', 'subscriptions.create']); // ['subscriptions:read', 'subscriptions:write']
 * ```
 * @throws RangeError where an operation is not in the contract
 */
export function scopesFor(operations: readonly OperationId[]): readonly Scope[] {
  const scopes = operations.map((id): Scope | null => operation(id).scope);
  return [...new Set(scopes)].filter((scope) => scope !== null).sort();
}
