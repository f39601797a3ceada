/** The check of mail domains: signups are kept for review or refused where DNS says that a domain receives no mail. */
import { describe, expect, it } from 'vitest';
import type { MailResolver } from '../../src/index.ts';
import { createMailDomains } from '../../src/admission/mail-domain.ts';
import { post, runRelay } from '../running-relay.ts';

type Zone = Readonly<
  Record<
    string,
    {
      readonly mx?: readonly string[];
      readonly a?: readonly string[];
      readonly aaaa?: readonly string[];
      readonly fails?: string;
    }
  >
>;

/** Name servers that know a few domains, and count what they are asked. */
function nameServers(zone: Zone): MailResolver & { readonly asked: string[] } {
  const asked: string[] = [];
  const answer =
    <T>(kind: 'mx' | 'a' | 'aaaa', map: (text: string) => T) =>
    async (domain: string): Promise<T[]> => {
      asked.push(`${kind} ${domain}`);
      const entry = zone[domain];
      const records = entry?.[kind];
      if (records) return records.map(map);
      throw Object.assign(new Error('dns'), { code: entry?.fails ?? (entry ? 'ENODATA' : 'ENOTFOUND') });
    };
  return {
    asked,
    resolveMx: answer('mx', (exchange) => ({ exchange })),
    resolve4: answer('a', String),
    resolve6: answer('aaaa', String),
  };
}

const mail = (): ReturnType<typeof nameServers> =>
  nameServers({
    'good.example': { mx: ['mx.good.example'] },
    'xn--bcher-kva.example': { mx: ['mx.good.example'] },
    'host.example': { a: ['203.0.113.9'] },
    'six.example': { aaaa: ['2001:db8::1'] },
    'null.example': { mx: ['.'] },
    'empty.example': { mx: [''] },
    'mixed.example': { mx: ['.', 'mx.good.example'] },
    'bare.example': {},
    'silent.example': { fails: 'ETIMEOUT' },
    'broken.example': { fails: 'ESERVFAIL' },
  });

describe('the check of mail domains', () => {
  it.each([
    ['good.example', 'waiting'],
    ['bücher.example', 'waiting'],
    ['host.example', 'waiting'],
    ['six.example', 'waiting'],
    ['mixed.example', 'waiting'],
    ['silent.example', 'waiting'],
    ['broken.example', 'waiting'],
    ['null.example', 'review'],
    ['empty.example', 'review'],
    ['bare.example', 'review'],
    ['nowhere.example', 'review'],
  ] as const)('puts an address at %s in the state %s', async (domain, state) => {
    const relay = runRelay({ settings: { RELAY_MX_CHECK: 'review' }, mail: mail() });
    expect((await relay.fetch(post({ email: `ada@${domain}` }))).status).toBe(202);
    expect((await relay.store.counts())[state]).toBe(1);
  });

  it('may refuse, and then does not count the signup for a rate limit', async () => {
    const relay = runRelay({ settings: { RELAY_MX_CHECK: 'refuse', RELAY_LIMIT_IP: '1/1h' }, mail: mail() });
    const answer = await relay.fetch(post({ email: 'ada@nowhere.example' }), '203.0.113.9');
    expect([answer.status, ((await answer.json()) as { errors: unknown[] }).errors]).toEqual([
      400,
      [
        {
          code: 'EMAIL_DOMAIN_TAKES_NO_MAIL',
          message: 'No mail arrives at this address: check the part after the @.',
        },
      ],
    ]);
    expect((await relay.fetch(post({ email: 'ada@good.example' }), '203.0.113.9')).status).toBe(202);
  });

  it('caches a domain for ten minutes', async () => {
    let now = Date.now();
    const servers = mail();
    const relay = runRelay({ settings: { RELAY_MX_CHECK: 'review' }, mail: servers, now: () => now });
    for (let n = 0; n < 5; n += 1) await relay.fetch(post({ email: `p${n}@Good.example` }));
    expect(servers.asked).toEqual(['mx good.example']);
    now += 600_000;
    await relay.fetch(post({ email: 'later@good.example' }));
    expect(servers.asked).toEqual(['mx good.example', 'mx good.example']);
  });

  it('counts an answer from its last lookup on', async () => {
    const servers = mail();
    const receivesMail = createMailDomains(servers);
    for (let n = 0; n < 4999; n += 1) await receivesMail(`d${n}.example`, 0);
    // Looked up again after its lifetime, a domain is the newest, so the cache drops another one first.
    await receivesMail('d0.example', 600_000);
    await receivesMail('good.example', 600_000);
    await receivesMail('six.example', 600_000);
    const before = servers.asked.length;
    await receivesMail('d0.example', 600_001);
    expect(servers.asked).toHaveLength(before);
  });

  it('accepts an address where a lookup fails without an error', async () => {
    const failing = (): Promise<never> => Promise.reject({ code: 'ENOTFOUND' } as unknown as Error);
    const receivesMail = createMailDomains({ resolveMx: failing, resolve4: failing, resolve6: failing });
    expect(await receivesMail('good.example', 0)).toBe(true);
  });
});
