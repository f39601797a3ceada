/** Signups as version 5 of the tables kept them: it took each spelling of a domain for another person. */
import { hash } from 'node:crypto';
import { expect } from 'vitest';
import type { SignupStore } from '../../src/index.ts';

const spellings = [
  'ada@bücher.example',
  'ada@xn--bcher-kva.example',
  'ADA@ｂücher.example',
  'ada@bu\u0308cher.example',
];

const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22);

const hashOfVersion5 = (address: string): string => digest(address.normalize('NFC').toLowerCase());

const idOf = (n: number): string => `00000000-03e8-7000-8000-${String(n).padStart(12, '0')}`;

const quoted = (value: string | null): string => (value === null ? 'NULL' : `'${value}'`);

function signup(n: number, address: string, hasContent: boolean): string[] {
  const person = hashOfVersion5(address);
  const kept = (text: string): string => quoted(hasContent ? text : null);
  return [
    `INSERT INTO signup (id, form, state, received_at, submission, intent, content, settled_at) VALUES ('${idOf(n)}',
      'default', 'delivered', 1000, ${kept(JSON.stringify({ email: address }))},
      ${kept(person + digest(`intent ${n}`))}, ${kept(person + digest(`content ${n}`))}, 1000)`,
    `INSERT INTO consent (signup, kind, at, form, person) VALUES ('${idOf(n)}', 'given', 1000, 'default', '${person}')`,
  ];
}

/** Statements that add one signup of a person for each spelling, one whose content has expired, and a stranger's. */
export function spelledSignups(): readonly string[] {
  return [
    ...spellings.flatMap((address, n) => signup(n, address, true)),
    ...signup(spellings.length, 'ada@bücher.example', false),
    ...signup(spellings.length + 1, 'bob@bücher.example', true),
  ];
}

/** Expects that the person is found and erased as a whole. */
export async function expectOnePerson(store: SignupStore): Promise<void> {
  const count = spellings.length;
  // The hash of the signup whose content has expired cannot be made anew: only its own spelling finds the entry.
  for (const [address, consents] of [
    ['Ada@XN--bcher-kva.example', count],
    ['ada@bücher.example', count + 1],
  ] as const) {
    const held = await store.person(address);
    expect(held.signups).toHaveLength(count);
    expect(held.consents).toHaveLength(consents);
  }
  expect(await store.erase('ADA@bücher.example')).toEqual({ signups: count, consents: count + 1 });
  expect(await store.person('bob@xn--bcher-kva.example')).toMatchObject({ signups: [{}], consents: [{}] });
}
