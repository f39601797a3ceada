/** The fakes of CRMs, which test/n8n uses, answer as the vendors document it. */
import { readAnswer } from '@newsletter-kit/core/sync';
import { describe, expect, it } from 'vitest';
import { answeredAt, crmFaults } from '../../packages/core/test/sync/crm-faults.ts';
import { createHubspot } from '../n8n/harness/crmHubspot.ts';
import type { Crm } from '../n8n/harness/crms.ts';
import { createSalesforce, createSheet, salesforceHost } from '../n8n/harness/crmsWithJwt.ts';
import { createAirtable, createPipedrive } from '../n8n/harness/crmsWithToken.ts';

interface Fake {
  readonly create: () => Crm;
  readonly host: string;
  readonly authorization: string;
}

const fakes: Readonly<Record<string, Fake>> = {
  HubSpot: { create: createHubspot, host: 'api.hubapi.com', authorization: 'Bearer pat-test-hubspot' },
  Salesforce: { create: createSalesforce, host: salesforceHost, authorization: 'Bearer token-of-the-stand-in' },
  Pipedrive: { create: createPipedrive, host: 'api.pipedrive.com', authorization: '' },
  Airtable: {
    create: () => createAirtable({ base: 'app1', table: 'tbl1' }),
    host: 'api.airtable.com',
    authorization: 'Bearer pat.test.airtable',
  },
  'Google Sheets': { create: () => createSheet('1'), host: 'sheets.googleapis.com', authorization: '' },
};

/** A CRM, and calls of its API with their answers as n8n's HTTP Request returns them in full. */
function start(vendor: string) {
  const { create, host, authorization } = fakes[vendor] ?? {};
  const crm = create?.();
  const answer = crm?.answers[host ?? ''];
  if (!crm || !answer) throw new Error(`There is no fake of ${vendor}.`);
  return {
    crm,
    async call(method: string, path: string, sent?: object) {
      const response = await answer(
        new Request(`https://${host}${path}`, {
          method,
          headers: { authorization: authorization ?? '' },
          ...(sent && { body: JSON.stringify(sent) }),
        }),
      );
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json');
      const body: unknown = isJson ? JSON.parse(text) : text;
      return { statusCode: response.status, headers: Object.fromEntries(response.headers), body };
    },
  };
}

it.each(crmFaults.filter(({ vendor }) => vendor in fakes).map((row) => [`${row.vendor}: ${row.fault}`, row] as const))(
  '%s',
  async (_, row) => {
    const { crm, call } = start(row.vendor);
    crm.failing = () => row;
    const answer = await call('POST', '/');
    expect(answer).toMatchObject({ statusCode: row.status, body: row.body });
    const [refusal] = readAnswer(answer, answeredAt).refused;
    expect(refusal).toMatchObject({ reason: row.reason, message: expect.stringContaining(row.words) });
    expect(refusal?.retryAfterMs).toBe(row.retryAfterMs);
  },
);

describe('HubSpot', () => {
  const path = '/crm/v3/objects/contacts/batch';
  const upsert = (id: string, more: object = {}) => ({
    id,
    idProperty: 'email',
    properties: { firstname: 'Ada' },
    ...more,
  });
  const traced = (id: string) => upsert(id, { objectWriteTraceId: id });

  it('writes the others of a batch with trace ids, and nothing of one without', async () => {
    const { crm, call } = start('HubSpot');
    crm.refusedAddress = 'grace@example.com';
    const whole = await call('POST', `${path}/upsert`, { inputs: [upsert('grace@example.com')] });
    expect(whole.statusCode).toBe(400);
    const inputs = [traced('ada@example.com'), traced('grace@example.com')];
    const answer = await call('POST', `${path}/upsert`, { inputs });
    expect(answer.statusCode).toBe(207);
    expect(readAnswer(answer, answeredAt)).toMatchObject({ accepted: 1, refused: [{ contact: 'grace@example.com' }] });
    expect(crm.contacts().map(({ email }) => email)).toEqual(['ada@example.com']);
  });

  it('finds a contact by its further address, and by the id that it had before a merge', async () => {
    const { crm, call } = start('HubSpot');
    crm.save('ada@example.com', { furtherAddress: 'ada@home.example' });
    crm.save('grace@example.com', {});
    const found = await call('POST', `${path}/upsert`, { inputs: [upsert('ada@home.example')] });
    expect(found.body).toMatchObject({ results: [{ id: '100001', properties: { email: 'ada@example.com' } }] });
    crm.merge?.('ada@example.com', 'grace@example.com');
    const inputs = [{ id: '100002', properties: { firstname: 'Countess' } }];
    const merged = await call('POST', `${path}/update`, { inputs });
    expect(merged.body).toMatchObject({ results: [{ id: '100001' }] });
    expect(crm.contacts()).toEqual([expect.objectContaining({ firstName: 'Countess' })]);
  });

  it('refuses unknown ids, and to write its own opt-out', async () => {
    const { crm, call } = start('HubSpot');
    crm.save('ada@example.com', { otherOptOut: true });
    const inputs = [
      { id: '7', objectWriteTraceId: '7', properties: {} },
      { id: '100001', objectWriteTraceId: '100001', properties: { hs_email_optout: 'false' } },
    ];
    const answer = await call('POST', `${path}/update`, { inputs });
    expect(readAnswer(answer, answeredAt).refused).toMatchObject([
      { contact: '7', reason: 'value' },
      { contact: '100001', reason: 'value' },
    ]);
  });
});

describe('Salesforce', () => {
  const path = '/services/data/v59.0';
  const attributes = { type: 'Contact' };

  it('creates or updates by the external id, and answers for each record', async () => {
    const { crm, call } = start('Salesforce');
    const write = (Email: string) =>
      call('PATCH', `${path}/composite/sobjects/Contact/Newsletter_Email__c`, {
        records: [{ attributes, LastName: 'L', Email, Newsletter_Email__c: Email }],
      });
    expect((await write('ada@example.com')).body).toMatchObject([{ success: true, created: true }]);
    expect((await write('ada@example.com')).body).toMatchObject([{ success: true, created: false }]);
    expect(crm.contacts()).toHaveLength(1);
  });

  it('refuses a locked and a deleted record, each with its id', async () => {
    const { crm, call } = start('Salesforce');
    crm.save('ada@example.com', {});
    crm.refusedAddress = 'ada@example.com';
    const records = ['003000000000001AAA', '003000000000009AAA'].map((id) => ({ attributes, id, FirstName: 'A' }));
    expect(
      readAnswer(await call('PATCH', `${path}/composite/sobjects`, { records }), answeredAt).refused,
    ).toMatchObject([
      { contact: '003000000000001AAA', reason: 'value', position: 0 },
      { contact: '003000000000009AAA', reason: 'value', position: 1 },
    ]);
  });

  it('lists opted-out leads beside contacts', async () => {
    const { crm, call } = start('Salesforce');
    crm.save('ada@example.com', { otherOptOut: true });
    const soql = 'SELECT Email FROM Lead WHERE HasOptedOutOfEmail = true AND IsConverted = false AND Email != null';
    const { body } = await call('GET', `${path}/query?q=${encodeURIComponent(soql)}`);
    expect(body).toMatchObject({ records: [{ Email: 'ada@example.com' }] });
    expect(crm.contacts()).toMatchObject([{ optOut: false }]);
  });
});

it('Airtable creates or updates by fields, and refuses several matches', async () => {
  const { crm, call } = start('Airtable');
  const write = () =>
    call('PATCH', '/v0/app1/tbl1', {
      performUpsert: { fieldsToMergeOn: ['Email'] },
      records: [{ fields: { Email: 'ada@example.com', 'First Name': 'Ada' } }],
    });
  const id = 'rec00000000000001';
  expect((await write()).body).toMatchObject({ createdRecords: [id], updatedRecords: [] });
  expect((await write()).body).toMatchObject({ createdRecords: [], updatedRecords: [id] });
  await call('POST', '/v0/app1/tbl1', { fields: { Email: 'ada@example.com' } });
  expect((await write()).statusCode).toBe(422);
  expect(crm.contacts()).toHaveLength(2);
});
