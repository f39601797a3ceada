/**
 * The relay on Cloudflare Workers for forms that ask for confirmation by mail: an entry of its own, because SMTP is a
 * fifth of the program.
 *
 * @packageDocumentation
 */
import { openTransport } from '../confirmation/smtp.ts';
import { RelayObject as WithoutMail, type RelayObjectState } from './relay-object.ts';
import type { WorkerVariables } from './worker-config.ts';

export { default } from './index.ts';

export class RelayObject extends WithoutMail {
  constructor(state: RelayObjectState, variables: WorkerVariables) {
    super(state, variables, openTransport);
  }
}
