/** The configuration file: several forms, precedence of settings, and errors with their line. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig, settings, StartupError, type RelayConfig } from '../../src/index.ts';
import { apiKey, publicationId } from '../running-relay.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';

const complete = `
api_url: http://127.0.0.1:4010/v2
publication_id: ${publicationId}
allowed_origins: [https://shop.example]
`;

function read(text: string, variables: Readonly<Record<string, string>> = {}): RelayConfig {
  const file = join(scratchFolder(), 'relay.yaml');
  writeFileSync(file, text);
  return readConfig({ RELAY_CONFIG: file, NEWSLETTER_API_KEY: apiKey, ...variables });
}

/** Without the path of the file. */
function errors(text: string, variables?: Readonly<Record<string, string>>): string[] {
  try {
    read(text, variables);
  } catch (error) {
    expect(error).toBeInstanceOf(StartupError);
    return (error as StartupError).message
      .split('\n  - ')
      .slice(1)
      .map((line) => line.replace(/\S*relay\.yaml, /, ''));
  }
  return [];
}

describe('a configuration file', () => {
  it('without forms configures one, as the environment does', () => {
    expect(read(complete)).toEqual(
      readConfig({
        NEWSLETTER_API_URL: 'http://127.0.0.1:4010/v2',
        NEWSLETTER_API_KEY: apiKey,
        NEWSLETTER_PUBLICATION_ID: publicationId,
        RELAY_ALLOWED_ORIGINS: 'https://shop.example',
      }),
    );
  });

  it('may be JSON', () => {
    const file = {
      api_url: 'http://127.0.0.1:4010/v2',
      publication_id: publicationId,
      allowed_origins: ['https://shop.example'],
      port: 4021,
      form_token: true,
    };
    const { listen, forms } = read(JSON.stringify(file, null, 2));
    expect([listen.port, forms['default']?.protection.token]).toEqual([4021, true]);
  });

  it('has the sentences of each form as a list or in lines', () => {
    const { forms } = read(`${complete}
forms:
  one: { consent_sentences: ['Yes, please.', 'Ja | gern.'] }
  two:
    consent_sentences: |
      I agree.
      I agree to all.
`);
    expect(Object.values(forms).map(({ consent }) => consent.sentences)).toEqual([
      ['Yes, please.', 'Ja | gern.'],
      ['I agree.', 'I agree to all.'],
    ]);
  });

  it('gives settings of a form precedence over the environment, and that over the top of the file', () => {
    const { forms, log } = read(
      `${complete}
log_level: warn
tier: free
thanks_url: https://shop.example/thanks
forms:
  default:
  jobs:
    allowed_origins: https://jobs.example
    tier: premium
    premium_tiers: ["Gold, yearly", Silver]
    allowed_fields: [First Name]
  club: { thanks_url: https://club.example/, proof: always }
`,
      { RELAY_LOG_LEVEL: 'error', RELAY_THANKS_URL: 'https://shop.example/welcome' },
    );
    expect(log.level).toBe('error');
    expect(
      Object.values(forms).map(({ name, origins, pinned, thanksUrl, protection }) => ({
        name,
        origins: [...origins],
        pinned,
        thanksUrl,
        proof: protection.proof,
      })),
    ).toEqual([
      {
        name: 'default',
        origins: ['https://shop.example'],
        pinned: { tier: 'free' },
        thanksUrl: 'https://shop.example/welcome',
        proof: 'off',
      },
      {
        name: 'jobs',
        origins: ['https://jobs.example'],
        pinned: { tier: 'premium', premium_tiers: ['Gold, yearly', 'Silver'] },
        thanksUrl: 'https://shop.example/welcome',
        proof: 'off',
      },
      {
        name: 'club',
        origins: ['https://shop.example'],
        pinned: { tier: 'free' },
        thanksUrl: 'https://club.example/',
        proof: 'always',
      },
    ]);
  });

  it('can contain every setting', () => {
    const keys = settings.filter(({ name }) => name !== 'RELAY_CONFIG').map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(
      errors(keys.map((key) => `${key}: "?"`).join('\n')).filter((line) => line.includes('there is no setting')),
    ).toEqual([]);
  });

  it('reports all errors at once, with their lines', () => {
    const text = `api_url: ftp://nowhere
allowed_origin: [https://shop.example]
port: { number: 4020 }
log_level: [info, warn]
forms:
  jobs:
    publication_id: ${publicationId}
    allowed_origins: [https://jobs.example/]
    store: sqlite:./jobs.db
  Club:
    allowed_origins: [https://club.example]
  club:
    allowed_origins: [https://club.example]
`;
    expect(errors(text)).toEqual([
      'line 2: there is no setting "allowed_origin" (is "allowed_origins" meant?).',
      'line 3: "port" must be a text, a number, true, false, or a list of texts.',
      'line 9: "store" is a setting of the whole relay: put it at the top of the file.',
      'line 10: the name of a form is part of its URL: at most 64 lower-case letters, digits and hyphens.',
      'line 1: "api_url" must be an http(s) address that ends with /v2, for example http://127.0.0.1:4010/v2.',
      expect.stringMatching(/^line 4: "log_level" must be /),
      'line 8: "forms.jobs.allowed_origins" has "https://jobs.example/", which must be written https://jobs.example.',
      'forms.club: publication_id is missing: set it to the id of the publication, pub_ and a UUID.',
    ]);
  });

  it.each([
    ['api_url: [', /^line 1: this is not valid YAML \([A-Z_]+\)\.$/],
    ['api_url: a\napi_url: b', /^line 2: this is not valid YAML \(DUPLICATE_KEY\)\.$/],
    ['- a\n- b', /^line 1: the file must contain settings/],
    [`${complete}forms: []`, /"forms" must contain at least one form/],
    [`${complete}forms:\n  jobs: 3`, /line 6: the form "jobs" must contain settings\./],
    [
      `${complete}forms:\n  jobs: { form_tokens: true }`,
      /line 6: there is no setting "forms\.jobs\.form_tokens" \(is "form_token" meant\?\)/,
    ],
  ])('says of %j what is wrong', (text, sentence) => {
    expect(errors(text)[0]).toMatch(sentence);
  });

  it('never repeats a secret in an error', () => {
    const secrets =
      'api_key: my secret key\nsecret: tiny-secret\nturnstile_secret: turnstile-secret\n  bad: indent-secret';
    expect(errors(secrets).join()).not.toMatch(/my secret|tiny-secret|turnstile-secret|indent-secret/);
    expect(errors(secrets.split('\n  ')[0] ?? '').join()).not.toMatch(/my secret|tiny-secret|turnstile-secret/);
  });
});
