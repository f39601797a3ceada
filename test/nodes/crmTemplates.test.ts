/**
 * The Code nodes of the examples of the contact sync make calls that change no other contact, as the CRMs' fakes take
 * them. Their requests run as n8n's HTTP Request node sends them; test/n8n/crm.test.ts runs the whole examples.
 */
import { readAnswer } from '@newsletter-kit/core/sync';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import type { Crm } from '../n8n/harness/crms.ts';
import { createSalesforce, salesforceHost } from '../n8n/harness/crmsWithJwt.ts';
import { createAirtable } from '../n8n/harness/crmsWithToken.ts';

type Values = Readonly<Record<string, unknown>>;
interface Item {
  readonly json: Values;
}
interface Template {
  readonly nodes: readonly {
    readonly name: string;
    readonly position: readonly [number, number];
    readonly parameters: Values;
  }[];
  readonly connections: Readonly<Record<string, { readonly main: readonly (readonly { readonly node: string }[])[] }>>;
}

/** Runs nodes of an example against a fake. */
function open(file: string, crm: Crm, token: string) {
  const template = JSON.parse(readFileSync(join(root, 'examples/workflows', `${file}.json`), 'utf8')) as Template;
  const node = (name: string) => {
    const found = template.nodes.find((each) => each.name === name);
    if (!found) throw new Error(`The example has no node ${name}.`);
    return found;
  };
  const outputs = new Map<string, readonly Item[]>();
  const code = (name: string, items: readonly Item[]): readonly Item[] => {
    const context = {
      $input: { all: () => structuredClone(items) },
      $: (other: string) => ({ itemMatching: (index: number) => outputs.get(other)?.[index] }),
    };
    const made = runInNewContext(`(() => {${String(node(name).parameters['jsCode'])}})()`, context) as readonly Item[];
    outputs.set(name, structuredClone(made));
    return made;
  };
  const send = async (name: string, items: readonly Item[]): Promise<Item[]> => {
    const { method, url } = node(name).parameters;
    const address = new URL(String(url).replace('YOUR-DOMAIN.my.salesforce.com', salesforceHost));
    const answers: Item[] = [];
    for (const { json } of items) {
      const headers = { authorization: `Bearer ${token}` };
      const request = new Request(address, { method: String(method), headers, body: JSON.stringify(json) });
      const response = await crm.answers[address.host]?.(request);
      if (!response) throw new Error(`There is no fake of ${address.host}.`);
      answers.push({ json: { statusCode: response.status, body: await response.json() } });
    }
    return answers;
  };
  return { template, node, code, send };
}

const itemsOf = (records: readonly Values[]): readonly Item[] => records.map((json) => ({ json }));

/** The contacts of a run that Salesforce refuses. */
async function runSalesforce(crm: Crm, creates: readonly Values[], updates: readonly Values[]): Promise<string[]> {
  const { template, node, code, send } = open('contact-sync-salesforce', crm, 'token-of-the-stand-in');
  // n8n runs the upper branch first.
  const branches = [
    { code: template.connections['Sync']?.main[3]?.[0]?.node ?? '', items: creates },
    { code: template.connections['Sync']?.main[4]?.[0]?.node ?? '', items: updates },
  ].toSorted((one, other) => node(one.code).position[1] - node(other.code).position[1]);
  const refused: string[] = [];
  for (const { code: name, items } of branches) {
    if (items.length === 0) continue;
    const [request = ''] = template.connections[name]?.main[0]?.map((target) => target.node) ?? [];
    for (const { json } of await send(request, code(name, itemsOf(items))))
      refused.push(...readAnswer(json, 0).refused.map(({ message }) => message));
  }
  return refused;
}

const info = { Email: 'Info@example.com', FirstName: 'Ada', Newsletter_Token__c: 'of Ada' };
const renamed = { Id: '003000000000001AAA', Email: 'ada@example.com', Newsletter_Token__c: 'of Ada, renamed' };
const grace = { Email: 'info@example.com', FirstName: 'Grace', Newsletter_Token__c: 'of Grace' };
const bothPeople = [
  { email: 'ada@example.com', firstName: 'Ada', token: 'of Ada, renamed' },
  { email: 'info@example.com', firstName: 'Grace', token: 'of Grace' },
];

it('Salesforce: a former address of one person creates another contact, in the next run and in the same', async () => {
  const later = createSalesforce();
  expect(await runSalesforce(later, [info], [])).toEqual([]);
  expect(await runSalesforce(later, [], [renamed])).toEqual([]);
  expect(await runSalesforce(later, [grace], [])).toEqual([]);
  expect(later.contacts()).toMatchObject(bothPeople);

  const atOnce = createSalesforce();
  await runSalesforce(atOnce, [info], []);
  expect(await runSalesforce(atOnce, [grace], [renamed])).toEqual([]);
  expect(atOnce.contacts()).toMatchObject(bothPeople);
});

it('Salesforce: a creation changes no contact that has the address already, not even its name', async () => {
  const crm = createSalesforce();
  await runSalesforce(crm, [info], []);
  const before = crm.contacts();
  const [refusal = '', ...others] = await runSalesforce(crm, [grace, { ...grace, Email: 'joan@example.com' }], []);
  expect([refusal, others]).toEqual([expect.stringContaining('duplicate value found'), []]);
  expect(crm.contacts().slice(0, 1)).toEqual(before);
  expect(crm.contacts()).toHaveLength(2);
});

it('Airtable: ten contacts a call, those of a refused call singly, and a locked call once more', async () => {
  const base = createAirtable({ base: 'appYourBase', table: 'tblYourContacts' });
  const { code, send } = open('contact-sync-airtable', base, 'pat.test.airtable');
  base.save('reader.0@example.com', { firstName: 'Augusta' });
  base.refusedAddress = 'reader.13@example.com';
  const creates = Array.from({ length: 24 }, (_, index) => ({ Email: `reader.${index + 1}@example.com` }));
  const update = { id: 'rec00000000000001', 'First Name': 'Ada', 'Newsletter Opt-Out': true };
  const first = await send('Write contacts', code('Ten contacts a call', itemsOf([...creates, update])));
  expect(first.map(({ json }) => json['statusCode'])).toEqual([200, 422, 200]);
  expect(base.contacts()).toHaveLength(15);
  expect(base.contacts()[0]).toMatchObject({ email: 'reader.0@example.com', firstName: 'Ada', optOut: true });

  const refused = itemsOf([{ statusCode: 429 }, { statusCode: 422 }]);
  const again = await send('Write contacts again', code('Refused contacts', refused));
  expect(again.map(({ json }) => json['statusCode'])).toEqual([
    200,
    200,
    200,
    422,
    ...Array.from({ length: 7 }, () => 200),
  ]);
  expect(base.contacts()).toHaveLength(24);
});

it('Airtable: its note asks for a type of the key that an upsert can find', async () => {
  const readNote = open('contact-sync-airtable', createAirtable({ base: '', table: '' }), '').node(
    'Set up: the fields',
  );
  const [, emailType = ''] = /\| Email \| ([^|]+) \|/.exec(String(readNote.parameters['content'])) ?? [];
  const crm = createAirtable({ base: 'appYourBase', table: 'tblYourContacts', emailType });
  const { code, send } = open('contact-sync-airtable', crm, 'pat.test.airtable');
  const [answer] = await send('Write contacts', code('Ten contacts a call', itemsOf([{ Email: 'ada@example.com' }])));
  expect(answer?.json).toMatchObject({ statusCode: 200 });
});
