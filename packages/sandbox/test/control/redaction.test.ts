import { describe, expect, test } from 'vitest';
import {
  hiddenMark,
  redactedBody as body,
  redactedHeaders as headers,
  redactedTarget as target,
} from '../../src/control/redaction.ts';

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';

test.each([
  ['authorization', 'Bearer sandbox-key', 'Bearer [hidden]'],
  ['authorization', 'Basic YXBwOnNlY3JldA==', 'Basic [hidden]'],
  ['authorization', 'sandbox-key', '[hidden]'],
  ['proxy-authorization', 'Basic YTpi', 'Basic [hidden]'],
  ['cookie', 'session=1; theme=dark', '[hidden]'],
  ['set-cookie', 'session=1', '[hidden]'],
  ['x-api-key', 'k', '[hidden]'],
  ['x-auth-token', 't', '[hidden]'],
  ['x-hub-signature', 's', '[hidden]'],
  ['location', 'http://localhost/callback?code=abc&state=x', 'http://localhost/callback?code=[hidden]&state=[hidden]'],
  ['referer', 'http://localhost/?token=abc', 'http://localhost/?token=[hidden]'],
  ['content-type', 'application/json', 'application/json'],
  ['ratelimit-limit', '180', '180'],
])('the header %s: %s reads %s', (name, value, shown) => {
  expect(headers([[name, value]])).toEqual({ [name]: shown });
});

test.each([
  ['/v2/x?limit=5&email=ada%40example.com', '/v2/x?limit=5&email=ada%40example.com'],
  ['/v2/x?api_key=k&apiKey=k&api-key=k', '/v2/x?api_key=[hidden]&apiKey=[hidden]&api-key=[hidden]'],
  ['/v2/x?access%5Ftoken=t', '/v2/x?access%5Ftoken=[hidden]'],
  ['/oauth/authorize?code=c#access_token=t', '/oauth/authorize?code=[hidden]#access_token=[hidden]'],
  [`/v2/x?${'a1'.repeat(21)}=x`, '/v2/x?[hidden]=x'],
  ['/v2/x?token=', '/v2/x?token='],
])('the address %s reads %s', (sent, shown) => expect(target(sent)).toBe(shown));

describe('bodies', () => {
  test.each<readonly [string, unknown, unknown]>([
    ['a field', { password: 'p', email: 'ada@example.com' }, { password: hiddenMark, email: 'ada@example.com' }],
    ['a field in a list of objects', [{ a: [{ client_secret: 's' }] }], [{ a: [{ client_secret: hiddenMark }] }]],
    ['an object', { token: { value: 't', kind: 1 } }, { token: hiddenMark }],
    ['another spelling', { accessToken: 't', 'API-Key': 'k' }, { accessToken: hiddenMark, 'API-Key': hiddenMark }],
    ['JSON in a text', { note: '{"secret": "s", "n": 1}' }, { note: '{"secret":"[hidden]","n":1}' }],
    ['a number', { secret: 1234 }, { secret: hiddenMark }],
    ['nothing', { token: null, password: '' }, { token: null, password: '' }],
  ])('%s in JSON is hidden where its name says so', (_, sent, shown) => {
    expect(JSON.parse(body(JSON.stringify(sent), json, false))).toEqual(shown);
  });

  test('a name that is spelt with an escape is found', () => {
    expect(body('{"pass\\u0077ord": "p"}', json, false)).toBe('{"password":"[hidden]"}');
  });

  test('the code of an error is kept, the code of OAuth is hidden', () => {
    const sent = '{"code": "MORE_THAN_MAXIMUM", "state": "done"}';
    expect(body(sent, json, false)).toBe(sent);
    expect(body(sent, json, true)).toBe('{"code":"[hidden]","state":"[hidden]"}');
  });

  test('a form', () => {
    expect(body('grant_type=refresh_token&refresh_token=r%2B1&client_id=a&code=c', form, true)).toBe(
      'grant_type=refresh_token&refresh_token=[hidden]&client_id=a&code=[hidden]',
    );
  });

  test.each([
    ['{"a": 1, "password": "p\\"q", "b": 2', '{"a": 1, "password": "[hidden]", "b": 2'],
    ['{"access_token": "cut off in the mid', '{"access_token": "[hidden]"'],
    ["{'secret': 's'}", `{'secret': "[hidden]"}`],
    ['password=p&x=1', 'password="[hidden]"&x=1'],
    ['{"note": "{\\"token\\": \\"t\\"}", x', '{"note": "{\\"token\\": "[hidden]", x'],
  ])('%s is no JSON, and still loses its secret', (sent, shown) => {
    expect(body(sent, json, false)).toBe(shown);
  });

  test('a field of a form in HTML', () => {
    expect(body('<input type="hidden" name="state" value="s"><input name="scope" value="a">', 'text/html', true)).toBe(
      '<input type="hidden" name="state" value="[hidden]"><input name="scope" value="a">',
    );
  });

  test('text without secrets stays unchanged, including white space', () => {
    for (const text of ['{ "email" : "ada@example.com" }', '{"referral_code": "x", "tokens_left": 3}', 'plain', ''])
      expect(body(text, json, false)).toBe(text);
  });
});
