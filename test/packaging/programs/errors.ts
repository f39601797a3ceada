/** Tells the errors apart that a caller can do something about. */
import { createClient, InvalidRequestError, NetworkError, UnauthorizedError } from '@newsletter-kit/core';
import type { Setting } from './setting.ts';

export default async function program({ options, print }: Setting): Promise<void> {
  const unreachable = { ...options, baseUrl: 'http://127.0.0.1:2/v2', retry: false } as const;
  const calls = {
    typo: () => createClient(options).subscriptions.create({ email: 'ada.example.com' }),
    stranger: () => createClient({ ...options, token: 'wrong' }).customFields.get({ id: 'any' }),
    offline: () => createClient(unreachable).customFields.get({ id: 'any' }),
  };
  for (const [name, call] of Object.entries(calls)) {
    const error: unknown = await call().catch((reason: unknown) => reason);
    if (error instanceof InvalidRequestError) print(name, error.problems);
    else if (error instanceof UnauthorizedError) print(name, error.status);
    else if (error instanceof NetworkError) print(name, error.name, error.cause instanceof Error);
  }
}
