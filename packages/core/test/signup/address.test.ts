import { describe, expect, it, test } from 'vitest';
import { addressKey, isAddress, normalizeAddress } from '../../src/signup/index.ts';

describe('isAddress accepts', () => {
  test.each([
    'ada@example.com',
    'ada+news@example.com',
    'Ada.Lovelace@Example.COM',
    "o'hara@example.ie",
    'ada@bücher.example',
    'ada@xn--bcher-kva.example',
    'アダ@例え.テスト',
    'ада@почта.рф',
    'a@b.co',
    '1@2.example',
    `${'a'.repeat(64)}@example.com`,
    'ada@mail.eu-west.example.com',
    'ada@संगठन.भारत',
  ])('%s', (address) => expect(isAddress(address)).toBe(true));
});

describe('isAddress rejects', () => {
  test.each([
    '',
    'ada',
    'ada@',
    '@example.com',
    'ada@example',
    'ada@@example.com',
    'ada@example..com',
    '.ada@example.com',
    'ada.@example.com',
    'ada..b@example.com',
    'ada lovelace@example.com',
    'ada@exa mple.com',
    'ada@-example.com',
    'ada@example-.com',
    'ada@example.com.',
    'ada@127.0.0.1:80',
    '"ada"@example.com',
    '<ada@example.com>',
    'ada@example.com, bob@example.com',
    'ada@example.com\nBcc: bob@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ada@${'a'.repeat(64)}.com`,
    `ada@${'abcdefgh.'.repeat(30)}com`,
  ])('%s', (address) => expect(isAddress(address)).toBe(false));

  it('crafted texts without backtracking, which would take exponential time', () => {
    expect(isAddress(`${'a.'.repeat(120)}@`)).toBe(false);
    expect(isAddress(`a@${'a-'.repeat(124)}`)).toBe(false);
  });
});

describe('normalizeAddress', () => {
  it('lower-cases the domain and keeps the local part', () => {
    expect(normalizeAddress(' Ada+News@BÜCHER.Example ')).toBe('Ada+News@bücher.example');
  });

  it('composes a letter and its combining mark (NFC)', () => {
    expect(normalizeAddress('ju\u0308rgen@bu\u0308cher.example')).toBe('jürgen@bücher.example');
  });

  it('leaves a text without @ unchanged', () => {
    expect(normalizeAddress(' Ada ')).toBe('Ada');
  });
});

test('addressKey is equal for two spellings of an address', () => {
  expect(addressKey('ADA+news@Example.com')).toBe(addressKey('ada+NEWS@example.COM '));
  expect(addressKey('ada+news@example.com')).not.toBe(addressKey('ada@example.com'));
});
