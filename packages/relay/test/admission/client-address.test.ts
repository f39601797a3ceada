/** The visitor's IP address behind trusted and untrusted proxies. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressList, canonicalAddress, networksOf, senderOf } from '../../src/admission/client-address.ts';
import { isNetwork } from '../../src/config/values.ts';

describe('isNetwork', () => {
  it.each(['10.0.0.1', '10.0.0.0/8', '10.0.0.0/16', '10.0.0.1/32', '0.0.0.0/0', '::1', '2001:db8::/48', '::1/128'])(
    'accepts %s',
    (text) => {
      expect(isNetwork(text)).toBe(true);
    },
  );

  it.each([
    '',
    'proxy.example',
    'proxy.example/8',
    '10.0.0.0/33',
    '10.0.0.0/128',
    '2001:db8::/129',
    '10.0.0.0/',
    '10.0.0.0/x',
    '10.0.0.0/8x',
    '10.0.0.0/8/8',
    '10.0.0.0/10.0.0.0/8',
    '/8',
    'fe80::1%eth0',
    'fe80::1%eth0/64',
  ])('rejects "%s"', (text) => {
    expect(isNetwork(text)).toBe(false);
  });
});

const none = addressList([]);
const trusted = addressList(['10.0.0.0/8', '2001:db8:ffff::/48', '127.0.0.1']);

describe('the client of a sender', () => {
  it.each([
    ['is the connection without X-Forwarded-For', '203.0.113.9', null, none, '203.0.113.9'],
    ['ignores X-Forwarded-For of an untrusted connection', '203.0.113.9', '198.51.100.1', trusted, '203.0.113.9'],
    ['is the entry of a trusted proxy', '10.0.0.1', '198.51.100.1', trusted, '198.51.100.1'],
    ['is the last untrusted entry', '10.0.0.1', '6.6.6.6, 198.51.100.1, 10.1.1.1', trusted, '198.51.100.1'],
    ['is the first entry where all are trusted', '10.0.0.1', '10.0.0.3, 10.0.0.2', trusted, '10.0.0.3'],
    ['works behind an IPv6 proxy', '2001:db8:ffff::1', '2001:db8::7', trusted, '2001:db8::7'],
    ['unwraps IPv4 in IPv6', '::ffff:10.0.0.1', '::ffff:198.51.100.1', trusted, '198.51.100.1'],
    ['removes the port', '10.0.0.1', '198.51.100.1:4711', trusted, '198.51.100.1'],
    ['removes brackets and port', '10.0.0.1', '[2001:db8::7]:4711', trusted, '2001:db8::7'],
    ['removes brackets without a port', '10.0.0.1', '[2001:db8::7]', trusted, '2001:db8::7'],
    ['rejects text before brackets', '10.0.0.1', 'x[2001:db8::7]:4711', trusted, '10.0.0.1'],
    ['rejects text after the port', '10.0.0.1', '198.51.100.1:4711x', trusted, '10.0.0.1'],
    ['unwraps every digit of IPv4 in IPv6', '::ffff:198.51.100.123', null, none, '198.51.100.123'],
    ['rejects text after IPv4 in IPv6', '::ffff:198.51.100.1x', null, none, null],
    [
      'keeps other IPv6 addresses with an IPv4 tail',
      '2001:db8::ffff:198.51.100.1',
      null,
      none,
      '2001:db8::ffff:198.51.100.1',
    ],
    ['removes the zone', 'fe80::1%eth0', null, none, 'fe80::1'],
    ['is the trusted proxy where its entry is no IP address', '10.0.0.1', 'unknown', trusted, '10.0.0.1'],
    ['is the trusted proxy where the header is empty', '10.0.0.1', '', trusted, '10.0.0.1'],
    ['is null without a connection', null, '198.51.100.1', trusted, null],
    ['is null for a connection without an IP address', 'socket', '198.51.100.1', trusted, null],
  ] as const)('%s', (_case, peer, forwardedFor, proxies, expected) => {
    expect(senderOf(peer, forwardedFor, proxies).client).toBe(expected);
  });

  it('ignores every entry left of the last untrusted one', () => {
    const junk = fc.oneof(fc.string({ maxLength: 40 }), fc.ipV4(), fc.ipV6());
    const visitor = fc.ipV4().filter((address) => !address.startsWith('10.') && address !== '127.0.0.1');
    fc.assert(
      fc.property(
        fc.array(junk),
        visitor,
        fc.array(
          fc.ipV4().map((text) => text.replace(/^\d+/, '10')),
          { maxLength: 4 },
        ),
        (left, address, proxies) => {
          expect(senderOf('10.0.0.1', [...left, address, ...proxies].join(', '), trusted).client).toBe(address);
          expect(senderOf(address, [...left, ...proxies].join(', '), trusted).client).toBe(address);
        },
      ),
    );
  });

  it('is an IP address or null for every input', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (peer, forwardedFor) => {
        for (const connection of [peer, '10.0.0.1']) {
          const { client } = senderOf(connection, forwardedFor, trusted);
          expect(client === null || isNetwork(client)).toBe(true);
        }
      }),
    );
  });
});

describe('an unnamed proxy', () => {
  it.each([
    ['172.17.0.1', '198.51.100.1', none, true],
    ['::1', '198.51.100.1', none, true],
    ['::ffff:127.0.0.1', '', none, true],
    ['127.0.0.1', null, none, false],
    ['127.0.0.1', '198.51.100.1', trusted, false],
    ['203.0.113.9', '198.51.100.1', none, false],
  ] as const)('%s with X-Forwarded-For %s', (peer, forwardedFor, proxies, expected) => {
    expect(senderOf(peer, forwardedFor, proxies).isOfUnnamedProxy).toBe(expected);
  });

  it('supplies the last entry only', () => {
    expect(senderOf('127.0.0.1', '198.51.100.9, 203.0.113.9', none).client).toBe('203.0.113.9');
    expect(senderOf('127.0.0.1', '198.51.100.9, nonsense', none).client).toBe('127.0.0.1');
  });
});

describe('networksOf', () => {
  it.each([
    ['198.51.100.1', '198.51.100.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::1.2.3.4', '64:ff9b:0:0::/64'],
    ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
    ['1::3:4:5:6:7', '1:0:0:3::/64'],
  ])('counts %s as %s', (address, network) => {
    expect(networksOf(address).narrow).toBe(network);
  });

  it.each([
    ['198.51.100.1', null],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8::1', '2001:db8:0::/48'],
  ])('counts %s in the /48 %s', (address, network) => {
    expect(networksOf(address).wide).toBe(network);
  });

  it('is equal for hosts of one /64 only', () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map((number) => number.toString(16));
    const four = fc.array(group, { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(four, four, four, (network, host, other) => {
        const [one, two, three] = [
          [...network, ...host],
          [...network, ...other],
          [...other, ...host],
        ].map((groups) => networksOf(groups.join(':')).narrow);
        expect(one).toBe(two);
        expect(one === three).toBe(network.join() === other.join());
      }),
    );
  });
});

describe('canonicalAddress', () => {
  it.each([
    ['198.51.100.1', '198.51.100.1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['64:ff9b::198.51.100.1', '64:ff9b::c633:6401'],
  ])('spells %s as %s', (address, canonical) => {
    expect(canonicalAddress(address)).toBe(canonical);
  });
});
