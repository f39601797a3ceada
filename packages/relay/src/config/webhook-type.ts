/** The types of webhooks. */

/** What webhooks report. A trigger of the database adds the messages when a signup changes its state. */
export const webhookTypes = [
  'signup.delivered',
  'signup.status',
  'signup.refused',
  'signup.confirmed',
  'signup.erased',
] as const;

/**
 * - `signup.delivered` – the API has the signup; `status` is its word about the subscription.
 * - `signup.status` – what it said when it was asked once more, where that was `validating` or `pending`.
 * - `signup.refused` – the API or the mail server refused the signup for good: it is a dead letter.
 * - `signup.confirmed` – the person has clicked the link in the relay's confirmation mail.
 * - `signup.erased` – the person's data were erased; the message contains the id of the signup alone.
 */
export type WebhookType = (typeof webhookTypes)[number];
