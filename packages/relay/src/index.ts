/**
 * The relay as parts, for a server of your own: open a store, make a relay, give its `fetch` to whatever serves.
 *
 * @packageDocumentation
 */
export type { MailResolver } from './admission/mail-domain.ts';
export type { Check } from './admission/screening.ts';
export type { SignupPost, SignupPost as Visit } from './admission/signup-post.ts';
export type { Refused, RefusalStatus } from '@newsletter-kit/core/endpoint';
export { createMachineRelay as createRelay, type MachineOptions as RelayOptions } from './machine.ts';
export type { Relay, RelayPlatform, RelayTiming } from './relay.ts';
export type { Form } from './config/form.ts';
export { readConfig } from './config/read.ts';
export type { Defence, LimitKind, LimitRules } from './config/relay.ts';
export { secretsOf, settings, type ListedSetting as Setting, type RelayConfig } from './config/settings.ts';
export type { StoreAddress } from './config/store-address.ts';
export type { LimitRule } from './config/values.ts';
export type { WebhookDestination } from './config/webhook.ts';
export { webhookTypes, type WebhookType } from './config/webhook-type.ts';
export type { CheckResult } from './ops/operator.ts';
export { createLog, type Log, type LogOptions } from './log.ts';
export { applyRetention, type RetentionDays, type RetentionOptions } from './ops/retention.ts';
export type { EventListener, RelayEvent } from './events.ts';
export { hasBearerToken } from './secrets.ts';
export { StartupError, StoreUnavailableError } from './errors.ts';
export { openStore } from './store/open-store.ts';
export { everySignup } from './store/transfer.ts';
export * from './store/signup-store.ts';
export type { WebhookBody, WebhookData } from './webhooks/message.ts';
export { createPost, type PostWebhook, type WebhookAnswer, type WebhookRequest } from './webhooks/post.ts';
