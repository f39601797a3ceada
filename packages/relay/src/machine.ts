/** Creates a relay on a machine with Node.js. */
import { followBlockedDomains } from './admission/blocked-domains.ts';
import { openTransport } from './confirmation/smtp.ts';
import { createRelay, type Relay, type RelayOptions, type RelayPlatform } from './relay.ts';
import { tagFiles } from './tag-files.ts';
import { createPost } from './webhooks/post.ts';

/** Options of {@link createMachineRelay}. */
export interface MachineOptions extends Omit<RelayOptions, 'platform'> {
  /**
   * What another platform replaces. Default: webhooks over `node:http`, to addresses that were checked after the name
   * was resolved, mails over SMTP, and the files of the form from the package.
   */
  readonly platform?: Partial<RelayPlatform> | undefined;
}

/**
 * Creates a relay.
 *
 * @throws StartupError if a form asks for confirmation and a setting for that is missing, or if the file of
 *   RELAY_BLOCKED_DOMAINS cannot be read
 */
export function createMachineRelay({ platform, ...options }: MachineOptions): Relay {
  const { config, log } = options;
  const source = config.defence.blockedDomains;
  const blockedDomains = source === undefined ? undefined : followBlockedDomains({ source, log });
  return createRelay({
    ...options,
    platform: { postWebhook: createPost(), openTransport, blockedDomains, tagFiles: tagFiles(log), ...platform },
  });
}
