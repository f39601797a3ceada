/** The configuration: settings and defaults, and errors, reported all at once and without secrets. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readStoreConfig } from '../../src/config/read.ts';
import { readConfig, secretsOf, settings, StartupError } from '../../src/index.ts';
import { environment, site } from '../running-relay.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';

const errors = (changes: Readonly<Record<string, string | undefined>>): string => {
  try {
    readConfig({ ...environment, ...changes });
  } catch (error) {
    expect(error).toBeInstanceOf(StartupError);
    return (error as StartupError).message;
  }
  return '';
};

/** Settings that a machine refuses. */
const ofWorkers = /^RELAY_(?:JURISDICTION|LOCATION|SUBREQUESTS)$/;

const confirming = {
  RELAY_CONFIRMATION: 'true',
  RELAY_SMTP_URL: 'smtp://relay:mail%26password@mail.example',
  RELAY_MAIL_FROM: 'Example News <news@example.com>',
  RELAY_PUBLIC_URL: 'https://signup.example/',
};

describe('the configuration', () => {
  it('needs four settings, and the others are as if each were set to its default', () => {
    const needed = Object.keys(environment);
    for (const name of needed) expect(errors({ [name]: undefined })).toContain(name);
    const defaults = settings.filter(({ name }) => !needed.includes(name) && !ofWorkers.test(name));
    const set = Object.fromEntries(defaults.flatMap(({ name, default: value }) => (value ? [[name, value]] : [])));
    expect(Object.keys(set).length).toBeGreaterThan(20);
    expect(readConfig({ ...environment, ...set })).toEqual(readConfig(environment));
  });

  it('reads every pinned field in the type the API takes', () => {
    const { forms } = readConfig({
      ...environment,
      RELAY_DOUBLE_OPT_OVERRIDE: 'on',
      RELAY_SEND_WELCOME_EMAIL: 'true',
      RELAY_REACTIVATE_EXISTING: 'false',
      RELAY_TIER: 'premium',
      RELAY_PREMIUM_TIERS: 'Gold, Silver plus',
      RELAY_PREMIUM_TIER_IDS: 'tier_1,tier_2',
      RELAY_AUTOMATION_IDS: 'aut_1',
      RELAY_NEWSLETTER_LIST_IDS: 'nl_list_1',
      RELAY_SKIP_NEWSLETTER_LIST_AUTO_SUBSCRIBE: 'true',
      RELAY_COMPLIMENTARY_GIFT_ID: 'comp_access_1',
    });
    expect(forms['default']?.pinned).toEqual({
      double_opt_override: 'on',
      send_welcome_email: true,
      reactivate_existing: false,
      tier: 'premium',
      premium_tiers: ['Gold', 'Silver plus'],
      premium_tier_ids: ['tier_1', 'tier_2'],
      automation_ids: ['aut_1'],
      newsletter_list_ids: ['nl_list_1'],
      skip_newsletter_list_auto_subscribe: true,
      complimentary_gift_id: 'comp_access_1',
    });
  });

  it('reports all errors at once', () => {
    const text = errors({
      NEWSLETTER_API_URL: undefined,
      NEWSLETTER_API_KEY: '  ',
      NEWSLETTER_PUBLICATION_ID: 'my-newsletter',
      RELAY_ALLOWED_ORIGINS: '',
      RELAY_PORT: '99999',
      RELAY_STORE: 'mysql://db/relay',
      RELAY_TIER: 'gold',
    });
    expect(
      text
        .split('\n  - ')
        .slice(1)
        .map((line) => line.split(' ')[0]),
    ).toEqual([
      'NEWSLETTER_API_URL',
      'RELAY_STORE',
      'RELAY_PORT',
      'NEWSLETTER_API_KEY',
      'NEWSLETTER_PUBLICATION_ID',
      'RELAY_ALLOWED_ORIGINS',
      'RELAY_TIER',
    ]);
  });

  it.each([
    [
      { NEWSLETTER_API_URL: 'http://127.0.0.1:4010' },
      'NEWSLETTER_API_URL must be an http(s) address that ends with /v2',
    ],
    [
      { NEWSLETTER_API_URL: 'http://relay:secret@127.0.0.1/v2' },
      'NEWSLETTER_API_URL must be without user name and password',
    ],
    [{ NEWSLETTER_API_URL: 'http://127.0.0.1/v2?key=secret' }, 'NEWSLETTER_API_URL must be without query'],
    [{ NEWSLETTER_API_URL: 'ftp://127.0.0.1/v2' }, 'NEWSLETTER_API_URL must be an http(s) address'],
    [{ RELAY_ALLOWED_ORIGINS: '*' }, 'RELAY_ALLOWED_ORIGINS must name each site: * would let any page'],
    [
      { RELAY_ALLOWED_ORIGINS: 'shop.example' },
      'RELAY_ALLOWED_ORIGINS has "shop.example", which must be an origin such as https://example.com.',
    ],
    [
      { RELAY_ALLOWED_ORIGINS: `${site},https://Shop.example/` },
      'RELAY_ALLOWED_ORIGINS has "https://Shop.example/", which must be written https://shop.example.',
    ],
    [{ RELAY_ALLOWED_ORIGINS: 'https://bücher.example' }, 'which must be written https://xn--bcher-kva.example.'],
    [{ RELAY_STORE: 'postgres://relay:secret@db' }, 'RELAY_STORE must be sqlite: and the path of a file'],
    [{ RELAY_STORE: 'postgres://relay:100%@db/relay' }, 'with reserved characters percent-encoded'],
    [{ RELAY_STORE: 'postgres://relay:100/se@db/relay' }, 'with reserved characters percent-encoded'],
    [{ RELAY_STORE: 'postgres://relay:secret@a:5432,b:5432/relay' }, 'RELAY_STORE must name one host'],
    [{ RELAY_STORE: 'postgres:///relay?host=a,b' }, 'RELAY_STORE must name one host'],
    [{ RELAY_STORE: 'postgres://db/relay?target_session_attrs=primary' }, 'must not have target_session_attrs'],
    [{ RELAY_STORE: 'postgres://db/relay?sslmode=prefer' }, 'must have disable, require, verify-ca or verify-full'],
    [{ RELAY_STORE: 'postgres://db/relay?sslmode=verify-ca' }, 'needs sslrootcert beside sslmode=verify-ca'],
    [{ RELAY_STORE: 'postgres://db/relay?sslmode=verify-full&sslrootcert=system' }, 'must have the path of a file'],
    [{ RELAY_OPERATOR_LISTEN: '127.0.0.1' }, 'RELAY_OPERATOR_LISTEN must be an address and a port'],
    [{ RELAY_PORT: '4020x' }, 'RELAY_PORT must be a number from 0 to 65535'],
    [{ RELAY_SEND_WELCOME_EMAIL: 'yes' }, 'RELAY_SEND_WELCOME_EMAIL must be true or false'],
    [{ RELAY_AUTOMATION_IDS: 'aut_1,welcome' }, 'RELAY_AUTOMATION_IDS must look like aut_<uuid>'],
    [{ RELAY_THANKS_URL: 'javascript:alert(1)' }, 'RELAY_THANKS_URL must be an http(s) address'],
    [{ RELAY_LIMIT_IP: '60/minute' }, 'RELAY_LIMIT_IP must be 0, or a number and a time such as 60/1m'],
    [{ RELAY_LIMIT_ADDRESS: '0,3/1d' }, 'RELAY_LIMIT_ADDRESS must be 0, or a number and a time'],
    [
      { RELAY_TRUSTED_PROXIES: '10.0.0.0/8,10.0.0.0/33' },
      'RELAY_TRUSTED_PROXIES must be addresses or networks such as 10.0.0.0/8',
    ],
    [{ RELAY_SUBREQUESTS: '50' }, 'RELAY_SUBREQUESTS is a setting of a Worker: remove it'],
    [{ RELAY_LOCATION_FILE: '/x' }, 'RELAY_LOCATION_FILE is a setting of a Worker: remove it'],
    [{ RELAY_BULK_ABOVE: '99' }, 'RELAY_BULK_ABOVE must be a number from 100 to 100000, or never'],
    [{ RELAY_PROOF: 'sometimes' }, 'RELAY_PROOF must be off, always or attack'],
    [{ RELAY_SECRET: 'short' }, 'RELAY_SECRET must be 24 characters or more'],
    [{ RELAY_TURNSTILE_SITE_KEY: '0x4' }, 'RELAY_TURNSTILE_SITE_KEY needs RELAY_TURNSTILE_SECRET beside it'],
    [
      { RELAY_BLOCKED_DOMAINS: 'http://lists.example/domains.txt' },
      'RELAY_BLOCKED_DOMAINS must be the path of a file, or an https address without user and password',
    ],
    [
      { RELAY_BLOCKED_DOMAINS: 'https://me:secret@lists.example/domains.txt' },
      'RELAY_BLOCKED_DOMAINS must be the path of a file, or an https address without user and password',
    ],
    [
      { RELAY_SMTP_URL: 'smtp://user:secret@mail.example?tls=maybe' },
      'RELAY_SMTP_URL must be smtps://user:password@host:465 or smtp://user:password@host:587',
    ],
    [
      { RELAY_MAIL_FROM: 'Example\r\nBcc: all@example.com <news@example.com>' },
      'RELAY_MAIL_FROM must be an address: news@example.com',
    ],
    [
      { RELAY_CONFIRMATION_SUBJECT: 'Confirm\r\nBcc: all@example.com' },
      'RELAY_CONFIRMATION_SUBJECT must be one line of 200 characters at most',
    ],
    [{ RELAY_CONFIRMATION_SUBJECT: 'Open {link}' }, 'RELAY_CONFIRMATION_SUBJECT must be a subject without {link}'],
    [{ RELAY_CONFIRMATION_TEXT: 'Not you? {not_me}' }, 'RELAY_CONFIRMATION_TEXT must contain {link}'],
    [{ RELAY_CONFIRMATION_TEXT: 'Please confirm: {link}' }, 'RELAY_CONFIRMATION_TEXT must contain {link}'],
    [
      { RELAY_CONFIRMATION_TEXT: 'Dear {name}: {link}' },
      'RELAY_CONFIRMATION_TEXT has {name}, but only {link}, {not_me}, {form}, {title}, {email}, {site}, {date} are replaced',
    ],
    [{ RELAY_PUBLIC_URL: 'https://signup.example?a=b' }, 'RELAY_PUBLIC_URL must be an address without ? and #'],
    [{ RELAY_CONFIRMATION: 'true' }, 'RELAY_CONFIRMATION needs RELAY_SMTP_URL beside it.'],
    [{ RELAY_CONFIRMATION: 'true' }, 'RELAY_CONFIRMATION needs RELAY_PUBLIC_URL beside it.'],
    [{ RELAY_CONFIRMATION: 'true' }, 'RELAY_CONFIRMATION needs RELAY_MAIL_FROM beside it.'],
    [{ ...confirming, RELAY_STORE: 'postgres://a:b@db/relay' }, 'RELAY_SECRET is missing'],
    [{ RELAY_CONFIG: '/nowhere/relay.yaml' }, 'The file /nowhere/relay.yaml, which RELAY_CONFIG names, cannot be read'],
    [{ RELAY_ALOWED_ORIGIN: site }, 'RELAY_ALOWED_ORIGIN is not a setting (is RELAY_ALLOWED_ORIGINS meant?).'],
    [{ RELAY_PROXIES: '127.0.0.1' }, 'RELAY_PROXIES is not a setting (is RELAY_TRUSTED_PROXIES meant?).'],
    [{ RELAY_API_KEY: 'k' }, 'RELAY_API_KEY is not a setting (is NEWSLETTER_API_KEY meant?).'],
    [{ RELAY_ERASE_AFTER_DAYS: '1y' }, 'RELAY_ERASE_AFTER_DAYS must be a number of days from 0 to 9999, or never'],
    [
      { RELAY_CONSENT_REQUIRED: 'true', RELAY_PAGE_CONSENT: 'I agree.' },
      'RELAY_CONSENT_REQUIRED needs RELAY_CONSENT_SENTENCES beside it: paste the sentence beside the box of the form "default". The tag sends the label of its consent field; any other form sends the value of its box.',
    ],
    [{ RELAY_CONSENT_SENTENCES: 'a'.repeat(2001) }, 'RELAY_CONSENT_SENTENCES has a sentence of more than 2000'],
    [
      { RELAY_CONSENT_ADDRESS: 'hashed', RELAY_STORE: 'postgres://relay:p@db/relay' },
      'RELAY_SECRET is missing: relays that share a database',
    ],
    [{ RELAY_FORM_TOKEN: 'true', RELAY_STORE: 'postgres://relay:p@db/relay' }, 'RELAY_SECRET is missing'],
    [{ RELAY_PROOF: 'attack', RELAY_STORE: 'postgres://relay:p@db/relay' }, 'RELAY_SECRET is missing'],
    [{ RELAY_COLOUR: 'blue' }, 'RELAY_COLOUR is not a setting.'],
    [{ RELAY_SECRET_FILE: '/nowhere/secret' }, 'The file that RELAY_SECRET_FILE names cannot be read'],
    [
      { NEWSLETTER_API_KEY_FILE: '/run/secrets/key' },
      'NEWSLETTER_API_KEY and NEWSLETTER_API_KEY_FILE are both set: keep one of them.',
    ],
  ])('says what to do about %o', (changes, sentence) => {
    expect(errors(changes)).toContain(sentence);
  });

  it.each([
    ['with | between them', { RELAY_CONSENT_SENTENCES: ' I agree, gladly. | Ja! |' }, ['I agree, gladly.', 'Ja!']],
    ['in lines', { RELAY_CONSENT_SENTENCES: 'I agree, gladly.\r\nJa!' }, ['I agree, gladly.', 'Ja!']],
    ['with that of the page', { RELAY_PAGE: 'true', RELAY_PAGE_CONSENT: 'I agree.' }, ['I agree.']],
    ['without that of no page', { RELAY_PAGE_CONSENT: 'I agree.' }, []],
  ])('reads the sentences of a form %s', (_case, changes, sentences) => {
    expect(readConfig({ ...environment, ...changes }).forms['default']?.consent.sentences).toEqual(sentences);
  });

  it('reads a value from the file that a variable with _FILE names', () => {
    const path = join(scratchFolder(), 'key');
    writeFileSync(path, 'sk-from-a-file\n');
    const { forms } = readConfig({ ...environment, NEWSLETTER_API_KEY: '', NEWSLETTER_API_KEY_FILE: path });
    expect(forms['default']?.apiKey).toBe('sk-from-a-file');
    writeFileSync(path, 'sk with spaces');
    expect(errors({ NEWSLETTER_API_KEY: '', NEWSLETTER_API_KEY_FILE: path })).toMatch(
      /NEWSLETTER_API_KEY_FILE must be the bare key/,
    );
    writeFileSync(path, '\n');
    expect(errors({ NEWSLETTER_API_KEY: '', NEWSLETTER_API_KEY_FILE: path })).toContain(
      'The file that NEWSLETTER_API_KEY_FILE names is empty.',
    );
  });

  it('takes an unknown variable that is empty', () => {
    expect(errors({ RELAY_ALLOWED_ORIGIN: '' })).toBe('');
  });

  it('names settings of earlier versions, in the environment and in a file, with what holds now', () => {
    const file = join(scratchFolder(), 'relay.yaml');
    writeFileSync(file, 'limit_global: 100/1h\n');
    expect(errors({ RELAY_DEAD_DAYS: '30', RELAY_ALERT_COMMAND_FILE: '/run/alert', RELAY_CONFIG: file })).toBe(
      [
        'The configuration has errors:',
        'RELAY_DEAD_DAYS is gone: RELAY_REVIEW_DAYS is for dead letters too: remove it.',
        'RELAY_ALERT_COMMAND_FILE is gone: alerts are posted to RELAY_ALERT_WEBHOOK: remove it.',
        `${file}, line 1: "limit_global" is gone: signups are limited per visitor (RELAY_LIMIT_IP) and per mailbox (RELAY_LIMIT_ADDRESS) alone: remove it.`,
      ].join('\n  - '),
    );
  });

  it('reads how people confirm by mail', () => {
    const { forms, mail } = readConfig({ ...environment, ...confirming, RELAY_CONFIRMED_URL: `${site}/welcome` });
    expect(mail).toMatchObject({ server: { host: 'mail.example' }, publicUrl: 'https://signup.example' });
    expect(forms['default']?.confirmation).toEqual({
      from: { name: 'Example News', address: 'news@example.com' },
      text: null,
      confirmedUrl: `${site}/welcome`,
      reactivates: false,
      mailsPerHour: 1000,
    });
    expect(secretsOf(readConfig({ ...environment, ...confirming }))).toContain('mail&password');
    expect(readConfig(environment).forms['default']?.confirmation).toBeNull();
  });

  it('never says the key, not even a wrong one', () => {
    expect(errors({ NEWSLETTER_API_KEY: 'sk live 123' })).toMatch(/NEWSLETTER_API_KEY must be the bare key/);
    for (const { name } of settings) {
      if (name !== 'RELAY_ALLOWED_ORIGINS' && name !== 'RELAY_CONFIG')
        expect(errors({ [name]: '?misplaced secret?' })).not.toContain('misplaced');
    }
  });
});

describe('the settings of a command that works on the store', () => {
  it('are the store, the address of the relay and the operator token, each with its default', () => {
    expect(readStoreConfig({})).toEqual({
      store: { kind: 'sqlite', path: './relay.db' },
      listen: { host: '127.0.0.1', port: 4020 },
      operator: { token: undefined },
    });
  });

  it('come from the file of RELAY_CONFIG too', () => {
    const file = join(scratchFolder(), 'relay.yaml');
    writeFileSync(file, 'store: sqlite:./other.db\nport: 4021\nforms: { jobs: { publication_id: pub_1 } }\n');
    expect(readStoreConfig({ RELAY_CONFIG: file })).toMatchObject({
      store: { path: './other.db' },
      listen: { port: 4021 },
    });
  });

  it('leave the key of the API unread, and every other setting unchecked', () => {
    const others = {
      NEWSLETTER_API_URL: 'no address',
      NEWSLETTER_API_KEY_FILE: '/nowhere/key',
      RELAY_PROOF: 'perhaps',
      RELAY_CONFIRMATION: 'true',
    };
    expect(errors(others)).toContain('NEWSLETTER_API_KEY_FILE');
    expect(readStoreConfig({ ...others, RELAY_STORE: 'sqlite:./relay.db' })).toEqual(readStoreConfig({}));
  });

  it('are checked, and a misspelt name is an error: the command would open another store', () => {
    expect(() => readStoreConfig({ RELAY_STORE: 'relay.db', RELAY_PORT: 'x' })).toThrow(
      /RELAY_STORE must be[^]*RELAY_PORT must be/,
    );
    expect(() => readStoreConfig({ RELAY_STOER: 'sqlite:./relay.db' })).toThrow('is RELAY_STORE meant?');
  });
});
