// The relay on Cloudflare Workers: the handler, and the class of the Durable Objects that keep the signups.
export { default, RelayObject } from '@newsletter-kit/relay/worker';
