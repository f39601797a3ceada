/** Whose post it is, behind proxies that are trusted and proxies that are not. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressList,
  clientAddress,
  isNetwork,
  isUnnamedProxy,
  networksOf,
} from '../../src/admission/client-address.ts';

const none = addressList([]);
const trusted = addressList(['10.0.0.0/8', '2001:db8:ffff::/48', '127.0.0.1']);

describe('the address of a visitor', () => {
  it.each([
    ['is that of the connection', '203.0.113.9', null, none, '203.0.113.9'],
    [
      'is that of the connection, whatever an untrusted one claims',
      '203.0.113.9',
      '198.51.100.1',
      trusted,
      '203.0.113.9',
    ],
    ['is what a trusted proxy heard from', '10.0.0.1', '198.51.100.1', trusted, '198.51.100.1'],
    ['is the last that no trusted proxy has', '10.0.0.1', '6.6.6.6, 198.51.100.1, 10.1.1.1', trusted, '198.51.100.1'],
    ['is the first where all are trusted', '10.0.0.1', '10.0.0.3, 10.0.0.2', trusted, '10.0.0.3'],
    ['is found behind an IPv6 proxy', '2001:db8:ffff::1', '2001:db8::7', trusted, '2001:db8::7'],
    ['is unwrapped from IPv6', '::ffff:10.0.0.1', '::ffff:198.51.100.1', trusted, '198.51.100.1'],
    ['has no port', '10.0.0.1', '198.51.100.1:4711', trusted, '198.51.100.1'],
    ['has no brackets and no port', '10.0.0.1', '[2001:db8::7]:4711', trusted, '2001:db8::7'],
    ['has no zone', 'fe80::1%eth0', null, none, 'fe80::1'],
    ['is that of the connection where the proxy passes on no address', '10.0.0.1', 'unknown', trusted, '10.0.0.1'],
    ['is that of the connection where the header is empty', '10.0.0.1', '', trusted, '10.0.0.1'],
    ['is not known without a connection', null, '198.51.100.1', trusted, null],
    ['is not known of a connection without one', 'socket', '198.51.100.1', trusted, null],
  ] as const)('%s', (_case, peer, forwardedFor, proxies, expected) => {
    expect(clientAddress(peer, forwardedFor, proxies)).toBe(expected);
  });

  it('never depends on what stands left of the first untrusted address', () => {
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
          expect(clientAddress('10.0.0.1', [...left, address, ...proxies].join(', '), trusted)).toBe(address);
          expect(clientAddress(address, [...left, ...proxies].join(', '), trusted)).toBe(address);
        },
      ),
    );
  });

  it('is an address or unknown, whatever is sent', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (peer, forwardedFor) => {
        for (const address of [
          clientAddress(peer, forwardedFor, trusted),
          clientAddress('10.0.0.1', forwardedFor, trusted),
        ]) {
          expect(address === null || isNetwork(address)).toBe(true);
        }
      }),
    );
  });
});

describe('a proxy nobody named', () => {
  it.each([
    ['172.17.0.1', '198.51.100.1', none, true],
    ['::1', '198.51.100.1', none, true],
    ['::ffff:127.0.0.1', '', none, true],
    ['127.0.0.1', null, none, false],
    ['127.0.0.1', '198.51.100.1', trusted, false],
    ['203.0.113.9', '198.51.100.1', none, false],
  ] as const)('%s with X-Forwarded-For %s', (peer, forwardedFor, proxies, expected) => {
    expect(isUnnamedProxy(peer, forwardedFor, proxies)).toBe(expected);
  });

  it('is believed in the entry it added, and in no other', () => {
    expect(clientAddress('127.0.0.1', '198.51.100.9, 203.0.113.9', none)).toBe('203.0.113.9');
    expect(clientAddress('127.0.0.1', '198.51.100.9, nonsense', none)).toBe('127.0.0.1');
  });
});

describe('what counts as one visitor', () => {
  it.each([
    ['198.51.100.1', '198.51.100.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::1.2.3.4', '64:ff9b:0:0::/64'],
    ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
  ])('%s is %s', (address, network) => {
    expect(networksOf(address).narrow).toBe(network);
  });

  it.each([
    ['198.51.100.1', null],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8::1', '2001:db8:0::/48'],
  ])('%s is in the /48 %s', (address, network) => {
    expect(networksOf(address).wide).toBe(network);
  });

  it('is the same for every host of a /64, and for no other', () => {
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
