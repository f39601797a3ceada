/** Admission of a post: encodings, checks in order, limits, and the submission in the body. */
import { describe, expect, it } from 'vitest';
import {
  admitPost,
  collectBody,
  originCheck,
  refused,
  type AdmissionRules,
  type Post,
} from '../../src/endpoint/index.ts';
import { submissionLimit } from '../../src/signup/index.ts';

const site = 'https://www.example.com';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function post(body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Post & { reads: number } {
  const sent: Readonly<Record<string, string>> = { origin: site, 'content-type': 'application/json', ...headers };
  const made = {
    reads: 0,
    header: (name: string) => sent[name] ?? null,
    body(limit: number) {
      made.reads += 1;
      return collectBody([typeof body === 'string' ? bytes(body) : body], limit);
    },
  };
  return made;
}

const rules: AdmissionRules = { checkOrigin: originCheck(new Set([site]), 'Allowed Origins'), allowedFields: null };
const statusOf = async (sent: Post, more: Partial<AdmissionRules> = {}): Promise<number> => {
  const admission = await admitPost(sent, { ...rules, ...more });
  return 'refused' in admission ? admission.refused.status : 202;
};
const json = '{"email":"ada@example.com"}';

describe('admitPost', () => {
  it.each([
    ['application/json', 202],
    ['Application/JSON; charset=UTF-8', 202],
    ['application/json;charset="utf-8"', 202],
    ['application/json ; charset=utf8', 202],
    ['application/json; boundary=x', 202],
    ['application/json; charset=latin1', 415],
    ['application/json; charset=utf-8x', 415],
    ['application/json; charset=x-charset=utf-8', 415],
    ['text/plain', 415],
    ['multipart/form-data; boundary=x; charset=latin1', 415],
    ['multipart/mixed; boundary=x', 415],
    ['application/json-patch+json', 415],
    ['constructor', 415],
    ['__proto__', 415],
    ['', 415],
  ])('answers Content-Type %j with %i', async (type, status) => {
    expect(await statusOf(post(json, { 'content-type': type }))).toBe(status);
  });

  it.each([
    ['gzip', 415],
    ['identity', 202],
  ])('answers Content-Encoding %s with %i', async (encoding, status) => {
    expect(await statusOf(post(json, { 'content-encoding': encoding }))).toBe(status);
  });

  /** A form as `fetch` sends a `FormData`. */
  async function formData(...fields: readonly (readonly [string, string | File])[]): Promise<Post> {
    const form = new FormData();
    for (const [name, value] of fields) form.append(name, value);
    const sent = new Response(form);
    return post(new Uint8Array(await sent.arrayBuffer()), { 'content-type': sent.headers.get('content-type') ?? '' });
  }

  it('takes a form as FormData sends it, with a field for a file that was left empty', async () => {
    const sent = await formData(['email', 'zoë@example.com'], ['custom_fields[T][]', 'a'], ['file', new File([], '')]);
    const admission = await admitPost(sent, rules);
    if ('refused' in admission) throw new Error('It is valid.');
    expect(admission.admitted.kept).toEqual({
      email: 'zoë@example.com',
      custom_fields: [{ name: 'T', value: ['a'] }],
    });
  });

  it('refuses a form with a file, and one that breaks off', async () => {
    const refusal = async (sent: Post) => {
      const admission = await admitPost(sent, rules);
      return 'refused' in admission ? admission.refused.errors[0]?.code : null;
    };
    const file = new File(['x'], 'x.txt');
    expect(await refusal(await formData(['email', 'ada@example.com'], ['file', file]))).toBe('FILE_NOT_ALLOWED');
    const broken = post('--x\r\nContent-Dis', { 'content-type': 'multipart/form-data; boundary=x' });
    expect(await refusal(broken)).toBe('INVALID_BODY');
  });

  it.each([
    ['another website', 'https://www.example.com.evil.example', 403],
    ['another scheme', 'http://www.example.com', 403],
    ['a sandboxed page', 'null', 403],
    ['an allowed website', site, 202],
  ])('answers a post from %s with its status', async (_, origin, status) => {
    expect(await statusOf(post(json, { origin }))).toBe(status);
  });

  it.each([
    ['Origin', 403],
    ['Content-Type', 415],
  ])('refuses a post without %s with %i', async (missing, status) => {
    const sent = post(json);
    const header: Post['header'] = (name) => (name === missing.toLowerCase() ? null : sent.header(name));
    expect(await statusOf({ ...sent, header })).toBe(status);
  });

  it('reads both encodings to the same submission, and every form post to its fields', async () => {
    const form = await admitPost(
      post('email=a%40b.example&custom_fields%5BTopics%5D%5B%5D=boats', {
        'content-type': 'application/x-www-form-urlencoded',
      }),
      rules,
    );
    const same = await admitPost(
      post('{"email":"a@b.example","custom_fields":[{"name":"Topics","value":["boats"]}]}'),
      rules,
    );
    if ('refused' in form || 'refused' in same) throw new Error('Both are valid.');
    expect(form.admitted.kept).toEqual(same.admitted.kept);
  });

  it.each([
    ['broken JSON', '{"email":'],
    ['bytes that are not UTF-8', Uint8Array.from([...bytes('{"email":"a@b.example","x":"'), 0xff, ...bytes('"}')])],
    ['no e-mail address', '{"email":""}'],
  ])('refuses %s with 400', async (_, body) => {
    expect(await statusOf(post(body))).toBe(400);
  });

  it.each([
    ['ORIGIN_NOT_ALLOWED', 'https://other.example', post(json, { origin: 'https://other.example' })],
    ['UNSUPPORTED_MEDIA_TYPE', 'application/json', post(json, { 'content-type': 'text/plain' })],
    ['PAYLOAD_TOO_LARGE', '8192', post(' '.repeat(submissionLimit + 1))],
    ['INVALID_BODY', 'could not be read', post('{')],
    ['INVALID_BODY', 'JSON object', post('[]')],
  ])('names the reason %s with %j', async (code, detail, sent) => {
    const admission = await admitPost(sent, rules);
    expect(admission).toMatchObject({ refused: { errors: [{ code, message: expect.stringContaining(detail) }] } });
  });

  it('refuses a body that breaks off with 400', async () => {
    expect(await statusOf({ ...post(json), body: () => Promise.reject(new Error('aborted')) })).toBe(400);
  });

  it('refuses a stated size above the limit before it reads the body', async () => {
    const large = post(json, { 'content-length': String(submissionLimit + 1) });
    expect([await statusOf(large), large.reads]).toEqual([413, 0]);
    expect(await statusOf(post(json, { 'content-length': String(submissionLimit) }))).toBe(202);
  });

  it('refuses an actual size above the limit', async () => {
    const padded = (size: number): string => json + ' '.repeat(size - json.length);
    expect(await statusOf(post(padded(submissionLimit)))).toBe(202);
    expect(await statusOf(post(padded(submissionLimit + 1)))).toBe(413);
  });

  it('runs further checks in order, after its own and before it reads the body', async () => {
    const called: string[] = [];
    const checks = [
      () => (called.push('first'), null),
      async () => (called.push('second'), refused(429, 'SLOW_DOWN', 'Later.', 1)),
      () => (called.push('third'), null),
    ];
    const sent = post(json);
    expect([await statusOf(sent, { checks }), sent.reads, called]).toEqual([429, 0, ['first', 'second']]);
    expect(await statusOf(post(json, { 'content-type': 'text/plain' }), { checks })).toBe(415);
    expect(called).toEqual(['first', 'second']);
  });

  it('keeps all but the token, the proof, and custom fields that are not allowed', async () => {
    const custom = [
      { name: 'A', value: 1 },
      { name: 'B', value: 2 },
    ];
    const body = JSON.stringify({ email: 'a@b.example', token: 't', proof: 'p', consent: true, custom_fields: custom });
    const keptBy = async (allowedFields: ReadonlySet<string> | null): Promise<unknown> => {
      const admission = await admitPost(post(body), { ...rules, allowedFields });
      if ('refused' in admission) throw new Error('It is valid.');
      expect(admission.admitted.submission).toMatchObject({ token: 't', proof: 'p' });
      return admission.admitted.kept;
    };
    expect(await keptBy(new Set(['B']))).toEqual({
      email: 'a@b.example',
      consent: true,
      custom_fields: [{ name: 'B', value: 2 }],
    });
    expect(await keptBy(new Set())).toEqual({ email: 'a@b.example', consent: true });
    expect(await keptBy(null)).toEqual({ email: 'a@b.example', consent: true, custom_fields: custom });
  });
});

describe('the consent of a post', () => {
  const sentences = ['I agree.'];
  it.each([
    ['I agree.', sentences, true, true],
    ['yes', sentences, true, true],
    ['nein', sentences, false, 'CONSENT_UNKNOWN'],
    ['nein', sentences, true, 'CONSENT_UNKNOWN'],
    ['no', sentences, true, 'CONSENT_REQUIRED'],
    [undefined, sentences, true, 'CONSENT_REQUIRED'],
    ['no', sentences, false, false],
    ['nein', [], false, null],
    ['nein', [], true, 'CONSENT_REQUIRED'],
  ])('%j, beside the sentences %j, required %j: %j', async (consent, named, required, expected) => {
    const rulesOf = { ...rules, consent: { sentences: named, required, setting: 'Sentences' } };
    const admission = await admitPost(post(JSON.stringify({ email: 'ada@example.com', consent })), rulesOf);
    const outcome = 'refused' in admission ? admission.refused.errors[0]?.code : admission.admitted.consent.given;
    expect(outcome).toBe(expected);
  });

  it('is neither yes nor no in words, where the endpoint has no rules for it', async () => {
    const admission = await admitPost(post('{"email":"ada@example.com","consent":"I agree."}'), rules);
    expect(admission).toMatchObject({ admitted: { consent: { given: null, sentence: 'I agree.' } } });
  });
});

describe('collectBody', () => {
  it('joins the chunks in order', async () => {
    expect(await collectBody([bytes('ab'), bytes(''), bytes('cd')], 4)).toEqual(bytes('abcd'));
    expect(await collectBody([], 4)).toEqual(new Uint8Array());
  });

  it('stops at the chunk that passes the limit, and cancels the stream', async () => {
    const events: string[] = [];
    async function* stream(): AsyncGenerator<Uint8Array> {
      try {
        for (const name of ['one', 'two', 'three']) {
          events.push(name);
          yield bytes(name);
        }
      } finally {
        events.push('cancelled');
      }
    }
    expect(await collectBody(stream(), 5)).toBeNull();
    expect(events).toEqual(['one', 'two', 'cancelled']);
  });
});
