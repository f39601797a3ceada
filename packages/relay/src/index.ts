/**
 * The relay as parts, for a server of your own: open a store, make a relay, give its `fetch` to whatever serves.
 *
 * @packageDocumentation
 */
export type { Defence } from './admission/abuse-protection.ts';
export type { Check } from './admission/admit.ts';
export type { MailResolver } from './admission/mail-domain.ts';
export { inMemory, type LimitRule, type MakeLimiter } from './admission/rate-limits.ts';
export type { LimitKind, LimitRules } from './admission/rate-limits.ts';
export type { Form, PinnedFields, Protection, SignupPost, SignupPost as Visit } from './admission/form.ts';
export type { Refused, RefusalStatus } from '@newsletter-kit/core/endpoint';
export { createRelay, type Relay, type RelayOptions } from './app.ts';
export { readConfig, secretsOf, type RelayConfig } from './config.ts';
export { settings, type Setting } from './settings.ts';
export type { CheckResult } from './ops/check.ts';
export { createLog, type Log, type LogOptions } from './ops/log.ts';
export { applyRetention, type RetentionDays, type RetentionOptions } from './ops/retention.ts';
export type { EventListener, RelayEvent } from './ops/events.ts';
export { hasBearerToken } from './secrets.ts';
export { StartupError } from './startup-error.ts';
export type { StoreAddress } from './store/address.ts';
export { openStore } from './store/open-store.ts';
export { everySignup } from './store/transfer.ts';
export * from './store/signup-store.ts';
export type { WebhookBody, WebhookData, WebhookDestination } from './webhooks/message.ts';
export { createPost, type PostWebhook, type WebhookAnswer, type WebhookRequest } from './webhooks/post.ts';
