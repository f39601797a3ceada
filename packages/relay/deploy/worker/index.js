// The relay on Cloudflare Workers: the handler, and the class of the Durable Objects that keep the signups.
// With a form that asks for confirmation by mail, write '@newsletter-kit/relay/worker/mail'.
export { default, RelayObject } from '@newsletter-kit/relay/worker';
