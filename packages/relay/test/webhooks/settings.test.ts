/** The settings of webhooks: one destination in the environment, several in a file, and what is wrong with them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { readConfig, secretsOf, webhookTypes } from '../../src/index.ts';
import { environment } from '../running-relay.ts';
import { secret } from './receiver.ts';

const read = (settings: Readonly<Record<string, string>>, file?: string) => {
  if (file === undefined) return readConfig({ ...environment, ...settings });
  const path = join(scratchFolder(), 'relay.yaml');
  writeFileSync(path, file);
  return readConfig({ ...environment, ...settings, RELAY_CONFIG: path });
};
const url = 'https://hooks.example/newsletter';
const other = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

describe('the settings of webhooks', () => {
  it('name no destination by default, and one in the environment', () => {
    expect(read({}).webhooks).toEqual([]);
    const config = read({ RELAY_WEBHOOK_URL: url, RELAY_WEBHOOK_SECRET: `${other}, ${secret}` });
    expect(config.webhooks).toEqual([
      { name: 'default', url, secrets: [other, secret], types: webhookTypes, allowsPrivateNetwork: false },
    ]);
    expect(secretsOf(config)).toEqual(expect.arrayContaining([other, secret]));
  });

  it('name several in a file, over those of its top', () => {
    const file = `webhook_secret: ${secret}
webhook_events: [signup.delivered]
webhooks:
  crm: { url: '${url}', events: 'signup.erased, signup.refused' }
  sheet: { url: 'http://192.168.1.2/', private_network: true, secret: ${other} }
`;
    expect(read({}, file).webhooks).toEqual([
      { name: 'crm', url, secrets: [secret], types: ['signup.erased', 'signup.refused'], allowsPrivateNetwork: false },
      {
        name: 'sheet',
        url: 'http://192.168.1.2/',
        secrets: [other],
        types: ['signup.delivered'],
        allowsPrivateNetwork: true,
      },
    ]);
  });

  it.each([
    [{ RELAY_WEBHOOK_URL: url }, 'RELAY_WEBHOOK_URL needs RELAY_WEBHOOK_SECRET beside it.'],
    [{ RELAY_WEBHOOK_SECRET: secret }, 'RELAY_WEBHOOK_SECRET needs RELAY_WEBHOOK_URL beside it.'],
    [{ RELAY_WEBHOOK_SECRET: 'hush' }, 'RELAY_WEBHOOK_SECRET must be whsec_ and 24 to 64 bytes in base64'],
    [{ RELAY_WEBHOOK_SECRET: `whsec_${btoa('short')}` }, 'RELAY_WEBHOOK_SECRET must be whsec_ and 24 to 64 bytes'],
    [{ RELAY_WEBHOOK_SECRET: `whsec_${btoa('x'.repeat(65))}` }, 'RELAY_WEBHOOK_SECRET must be whsec_ and 24 to 64'],
    [{ RELAY_WEBHOOK_SECRET: `${secret},${other},${secret}` }, 'RELAY_WEBHOOK_SECRET must be one secret, or the old'],
    [{ RELAY_WEBHOOK_URL: 'ftp://hooks.example/' }, 'RELAY_WEBHOOK_URL must be an http(s) address'],
    [
      { RELAY_WEBHOOK_URL: 'https://u:p@hooks.example/' },
      'RELAY_WEBHOOK_URL must be an address without user and password',
    ],
    [
      { RELAY_WEBHOOK_EVENTS: 'signup.created' },
      'RELAY_WEBHOOK_EVENTS must be of signup.delivered, signup.status, signup.refused',
    ],
    [
      { RELAY_WEBHOOK_URL: 'http://hooks.example/', RELAY_WEBHOOK_SECRET: secret },
      'RELAY_WEBHOOK_URL must be an https address; without https anybody on the network path could read addresses. RELAY_WEBHOOK_PRIVATE_NETWORK=true permits http, for a receiver beside the relay.',
    ],
  ])('%j is refused with a sentence, without the secret', (settings, sentence) => {
    const failure = (() => {
      try {
        read(settings);
        return '';
      } catch (error) {
        return String(error);
      }
    })();
    expect(failure).toContain(sentence);
    expect(failure).not.toMatch(/hush|whsec_[A-Za-z0-9+/]{8}|u:p@/);
  });

  it('are refused in one sentence for what is no address', () => {
    const settings = { RELAY_WEBHOOK_URL: 'hooks.example', RELAY_WEBHOOK_SECRET: secret };
    expect(() => read(settings)).toThrow(/errors:\n {2}- RELAY_WEBHOOK_URL must be an http\(s\) address\.$/);
  });

  it.each([
    ['webhooks: []', '"webhooks" must contain at least one destination, by its name.'],
    ['webhooks:\n  crm: 3', 'line 2: the destination "crm" must contain settings.'],
    ['webhooks:\n  CRM: {}', 'the name of a destination is shown to operators: at most 64 lower-case letters'],
    [`webhooks:\n  crm: { secret: ${secret} }`, 'needs webhooks.crm: url beside it.'],
    ['webhooks:\n  crm: {}', 'webhooks.crm: url is missing.'],
    [`webhooks:\n  crm: { webhook_url: '${url}' }`, 'there is no setting "webhooks.crm.webhook_url" (is "url" meant?)'],
    [`webhook_url: http://hooks.example/\nwebhook_secret: ${secret}`, 'line 1: "webhook_url" must be an https address'],
    [
      `webhooks:\n  crm:\n    url: http://hooks.example/\n    secret: ${secret}`,
      'line 3: "webhooks.crm.url" must be an https address',
    ],
    [`webhooks:\n  crm: { port: 1 }`, '"port" is a setting of the whole relay: put it at the top of the file.'],
    [`webhooks:\n  crm: { tier: free }`, '"tier"'],
  ])('a file with %j is refused with a sentence', (file, sentence) => {
    expect(() => read({}, file)).toThrow(sentence);
  });
});
