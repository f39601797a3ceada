/** The types of webhooks. */

/** What webhooks report. A trigger of the database adds the messages when a signup changes its state. */
export const webhookTypes = ['signup.delivered', 'signup.refused', 'signup.confirmed', 'signup.erased'] as const;

/**
 * - `signup.delivered` – the API has created the subscription.
 * - `signup.refused` – the API or the mail server refused the signup for good: it is a dead letter.
 * - `signup.confirmed` – the person has clicked the link in the relay's confirmation mail.
 * - `signup.erased` – the person's data were erased; the message contains the id of the signup alone.
 */
export type WebhookType = (typeof webhookTypes)[number];
