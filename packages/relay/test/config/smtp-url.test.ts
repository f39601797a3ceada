/** Parsing of RELAY_SMTP_URL. */
import { expect, it } from 'vitest';
import { readSmtpUrl } from '../../src/config/smtp-url.ts';

const starttls = { secure: false, ignoreTLS: false, tls: { rejectUnauthorized: true } };
const account = { user: 'relay@example.com', pass: 'p:/?#@% ü' };
const encoded = `${encodeURIComponent(account.user)}:${encodeURIComponent(account.pass)}`;

it.each([
  ['smtp://mail.example', { ...starttls, host: 'mail.example', port: 587, requireTLS: false }],
  [
    `smtp://${encoded}@mail.example:2525`,
    { ...starttls, host: 'mail.example', port: 2525, requireTLS: true, auth: account },
  ],
  [
    `smtps://${encoded}@mail.example/`,
    { ...starttls, host: 'mail.example', port: 465, secure: true, requireTLS: false, auth: account },
  ],
  [
    'smtps://[2001:db8::1]?tls=unverified',
    {
      ...starttls,
      host: '2001:db8::1',
      port: 465,
      secure: true,
      requireTLS: false,
      tls: { rejectUnauthorized: false },
    },
  ],
  ['smtp://mailpit:1025?tls=off', { ...starttls, host: 'mailpit', port: 1025, requireTLS: false, ignoreTLS: true }],
  ['smtp://127.0.0.1:25', { ...starttls, host: '127.0.0.1', port: 25, requireTLS: false, ignoreTLS: true }],
  [
    'smtp://a:b@localhost?tls=verified',
    { ...starttls, host: 'localhost', port: 587, requireTLS: true, auth: { user: 'a', pass: 'b' } },
  ],
])('%s', (text, server) => {
  expect(readSmtpUrl(text)).toEqual(server);
});

it.each([
  'mail.example',
  'http://mail.example',
  'smtp://',
  'smtp://mail.example/inbox',
  'smtp://mail.example#x',
  'smtp://mail.example?tls=yes',
  'smtps://mail.example?tls=off',
  'smtp://mail.example?debug=true',
  'smtp://mail.example?tls=off&tls=verified',
  'smtp://a:%@mail.example',
  'smtp://mail.example:99999',
])('%s is none', (text) => {
  expect(readSmtpUrl(text)).toBeNull();
});
