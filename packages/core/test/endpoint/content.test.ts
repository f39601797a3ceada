/** What every endpoint says and understands alike: encodings, refusals, the pages without JavaScript. */
import { describe, expect, it } from 'vitest';
import {
  contentKind,
  keepSubmission,
  originRefused,
  parseContent,
  readSubmission,
  refusalBody,
  refusalHtml,
  wantsPage,
} from '../../src/endpoint/index.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('contentKind', () => {
  it.each([
    ['application/json', 'json'],
    ['Application/JSON; charset=UTF-8', 'json'],
    ['application/x-www-form-urlencoded;charset="utf-8"', 'form'],
    ['application/json; charset=latin1', null],
    ['text/plain', null],
    ['multipart/form-data; boundary=x', null],
    ['application/json-patch+json', null],
    ['constructor', null],
    ['__proto__', null],
    [null, null],
  ])('takes %j for %j', (contentType, kind) => {
    expect(contentKind({ contentType })).toBe(kind);
  });

  it('takes nothing compressed', () => {
    expect(contentKind({ contentType: 'application/json', contentEncoding: 'gzip' })).toBeNull();
    expect(contentKind({ contentType: 'application/json', contentEncoding: 'identity' })).toBe('json');
  });
});

describe('parseContent', () => {
  it('reads both encodings to the same value', () => {
    const form = parseContent('form', bytes('email=a%40b.example&custom_fields%5BTopics%5D%5B%5D=boats'));
    expect(
      parseContent('json', bytes('{"email":"a@b.example","custom_fields":[{"name":"Topics","value":["boats"]}]}')),
    ).toEqual(form);
  });

  it('throws on what is not UTF-8 rather than guess', () => {
    expect(() => parseContent('form', new Uint8Array([0x61, 0x3d, 0xff]))).toThrow(TypeError);
  });
});

describe('wantsPage', () => {
  it.each([
    [{ contentType: 'application/x-www-form-urlencoded', accept: 'text/html,*/*;q=0.8' }, true],
    [{ contentType: 'application/x-www-form-urlencoded' }, true],
    [{ contentType: 'application/x-www-form-urlencoded', accept: 'application/json' }, false],
    [{ contentType: 'application/json', accept: '*/*' }, false],
  ])('%j: %j', (headers, page) => {
    expect(wantsPage(headers)).toBe(page);
  });
});

describe('a refusal', () => {
  it('has the shape of the API and says back no more of a header than is safe', () => {
    const refusal = originRefused(`https://evil.example/\u0000${'x'.repeat(500)}`, 'Allowed Origins');
    expect(refusalBody(refusal)).toMatchObject({
      status: 403,
      statusText: 'forbidden',
      errors: [{ code: 'ORIGIN_NOT_ALLOWED' }],
    });
    expect(refusal.errors[0]?.message.length).toBeLessThan(320);
  });

  it('is a page that runs nothing a stranger sent', () => {
    expect(refusalHtml(originRefused('https://evil.example/<script>', 'Allowed Origins'))).toContain('&lt;script&gt;');
  });
});

describe('keepSubmission', () => {
  it('leaves out what only the endpoint reads, and the custom fields that a form does not list', () => {
    const read = readSubmission({
      email: 'a@b.example',
      token: 't',
      proof: 'p',
      consent: true,
      custom_fields: [
        { name: 'A', value: 1 },
        { name: 'B', value: 2 },
      ],
    });
    if (!read.ok) throw new Error('It is a good submission.');
    expect(keepSubmission(read.submission, new Set(['B']))).toEqual({
      email: 'a@b.example',
      consent: true,
      custom_fields: [{ name: 'B', value: 2 }],
    });
    expect(keepSubmission(read.submission, new Set())).toEqual({ email: 'a@b.example', consent: true });
    expect(keepSubmission(read.submission, null).custom_fields).toHaveLength(2);
  });
});
