/** Answers of CRMs: what was taken, and what was refused in which words. */
import { readAnswer, refusalRemedies } from '@newsletter-kit/core/sync';
import { describe, expect, it } from 'vitest';
import { answeredAt, crmFaults, type CrmFault } from './crm-faults.ts';

const names = crmFaults.map((row): [string, CrmFault] => [`${row.vendor}: ${row.fault} (${row.status})`, row]);

/** What the table says about the row. */
function expectRow(answer: unknown, { accepted = 0, reason, words, contacts }: CrmFault): void {
  const read = readAnswer(answer, answeredAt);
  expect(read.accepted).toBe(accepted);
  const [first] = read.refused;
  expect(first).toMatchObject({ reason, message: expect.stringContaining(words), remedy: refusalRemedies[reason] });
  if (contacts) expect(read.refused.map(({ contact }) => contact)).toEqual(contacts);
  else expect(read.refused).toHaveLength(1);
}

describe('a fault', () => {
  it.each(names)('%s, as a full response', (_, row) => {
    const { status, headers = {}, body, retryAfterMs } = row;
    const answer = { statusCode: status, statusMessage: '', headers, body };
    expectRow(answer, row);
    expect(readAnswer(answer, answeredAt).refused[0]).toMatchObject({ status });
    expect(readAnswer(answer, answeredAt).refused[0]?.retryAfterMs).toBe(retryAfterMs);
  });

  // A status above 400 fails a node of n8n: it returns the error, with the answer in one of these places.
  it.each(names.filter(([, { status }]) => status >= 400))('%s, as the error of a node', (_, row) => {
    const { status, headers = {}, body } = row;
    const response = { status, headers, data: body };
    expectRow({ error: { message: 'Request failed', httpCode: String(status), cause: { response } } }, row);
    const text = JSON.stringify(typeof body === 'string' ? body : JSON.stringify(body));
    expectRow({ error: { message: `${status} - ${text}`, name: 'AxiosError', stack: '' } }, row);
    expectRow({ error: { message: 'Bad request', httpCode: String(status), context: { data: body } } }, row);
  });

  it.each(names.filter(([, { status }]) => status < 300))('%s, as the body alone', (_, row) => {
    expectRow(row.body, row);
  });
});

describe('an error that a node of n8n puts into words', () => {
  it.each([
    ['Request failed with status code 423', 'busy', 423],
    ['429 - Too many requests', 'limit', 429],
    ['The service is receiving too many requests from you', 'limit', 429],
    ['Forbidden - perhaps check your credentials?', 'access', 403],
    ['duplicate key value violates unique constraint "contacts_email_key"', 'value', undefined],
  ] as const)('%s', (message, reason, status) => {
    for (const answer of [{ error: message }, { error: { message, stack: '' } }]) {
      const { accepted, refused } = readAnswer(answer, answeredAt);
      expect(accepted).toBe(0);
      expect(refused).toEqual([expect.objectContaining({ reason, message })]);
      expect(refused[0]?.status).toBe(status);
    }
  });

  it('has the words of the CRM before those of n8n', () => {
    const error = { message: 'Your request is invalid', description: 'Unknown field "Emial"', httpCode: '422' };
    for (const answer of [{ error }, { message: error.message, error: { ...error, message: undefined } }])
      expect(readAnswer(answer, answeredAt).refused).toEqual([
        expect.objectContaining({ reason: 'value', status: 422, message: `${error.description} – ${error.message}` }),
      ]);
    const text = { error: 'Bad request', message: 'Unknown field name: "Emial"' };
    expect(readAnswer(text, answeredAt).refused[0]?.message).toBe(`${text.message} – ${text.error}`);
  });
});

describe('a refusal within a success', () => {
  it.each<[string, object, number, string]>([
    ['a status of its own', { error_message: 'Rate limit exceeded.', status_code: 429 }, 0, 'limit'],
    ['a list of another name', { result: { items: [{ item: { id: 15 } }, { error: 'REQUIRED' }] } }, 1, 'value'],
    ['what was not processed', { UnprocessedItems: { contacts: [{ PutRequest: { Item: {} } }, 1] } }, 0, 'value'],
    ['a flag', { is_error: 1, error_message: 'The field does not exist.' }, 0, 'value'],
    ['a count', { successCount: 1, failCount: 1, filteredOutFields: [] }, 0, 'value'],
  ])('is read from %s', (_, body, accepted, reason) => {
    const answer = readAnswer({ statusCode: 200, headers: {}, body }, answeredAt);
    expect(answer).toMatchObject({ accepted, refused: [{ reason }] });
  });
});

/** Accepted contacts, and the contact or position of each refusal; null where the answer does not tell it for sure. */
const parts = `
results in their order | 1 | [1,2] | [{"id":"3","success":true,"errors":[]},{"success":false,"errors":["No."]},{"error":"No."}]
wrapped entries | 1 | [1] | {"errors":true,"items":[{"index":{"_id":"1","status":201}},{"index":{"status":400,"error":"No."}}]}
reasons | 1 | [1] | {"success":true,"result":[{"id":9,"status":"created"},{"status":"skipped","reasons":[{"code":"No."}]}]}
a position in a list of failures | 0 | [3] | {"results":[{"index":3,"error":"No."}]}
no id of an error | 1 | [null] | {"data":[{"id":1}],"errors":[{"id":"e1","detail":"No."}]}
no field | 0 | [null] | {"errors":{"email":["No."],"city":["No."]}}
no value of a field | 1 | [null] | {"data":[{"id":1}],"errors":[{"message":"No.","value":"ada@example.com"}]}
lines of JSON | 1 | [1] | {"success":true}\\n{"success":false,"error":"No."}\\n
an error of a record | 1 | ["5"] | [{"id":"1"},{"id":"5","status":"error","message":"No."}]
a word of a status | 1 | [1] | [{"status":"OK"},{"status":"ERR","result":"No."}]
a status of another name | 1 | [1] | {"parts":[{"body":{"id":1},"httpStatusCode":201},{"body":[{"message":"No."}],"httpStatusCode":400}]}
a position beside results | 1 | [3] | {"data":[{"id":1}],"errors":[{"message":"No.","index":3}]}
nobody without errors | 1 | [] | {"success":true,"errors":[],"messages":[],"result":{"id":1}}
nobody without failures | 1 | [] | {"ok":1,"writeErrors":[],"insertedIds":[],"nMatched":8}
no id of a call | 0 | [null] | {"jsonrpc":"2.0","id":1,"error":{"code":200,"message":"No."}}
no id of a request | 1 | [null] | {"responses":[{"id":"2","status":403,"body":{"error":"No."}},{"id":"1","status":204,"headers":{}}]}
`;

describe('an answer with parts tells who was refused:', () => {
  it.each([...parts.matchAll(/^(.+) \| (.+) \| (.+) \| (.+)$/gm)])('%s', (...[, , accepted, whom, text = '']) => {
    const body = text.replaceAll('\\n', '\n');
    const answer = readAnswer({ statusCode: 200, headers: {}, body }, answeredAt);
    expect(JSON.stringify(answer.refused.map(({ contact, position }) => contact ?? position))).toBe(whom);
    expect(answer.accepted).toBe(Number(accepted));
    for (const { message } of answer.refused) expect(message).toContain('No.');
  });
});

describe('an acceptance', () => {
  it.each<[string, unknown, number]>([
    ['a full response without a body', { statusCode: 204, headers: {}, body: '' }, 1],
    ['a full response', { statusCode: 201, headers: {}, body: { id: '1', properties: {} } }, 1],
    ['a text of JSON', { statusCode: 200, headers: {}, body: '{"id":"1"}' }, 1],
    ['a batch', { status: 'COMPLETE', results: [{ id: '1' }, { id: '2' }] }, 2],
    ['new and updated members', { new_members: [{ id: 'a' }], updated_members: [{ id: 'b' }], errors: [] }, 2],
    ['a batch without errors', { status: 'COMPLETE', results: [{ id: '1' }], numErrors: 0, errors: [] }, 1],
    ['records of a call', { records: [{ id: 'rec1', fields: {} }], createdRecords: ['rec1'] }, 1],
    ['results by position', [{ id: '003', success: true, errors: [] }], 1],
    ['a wrapped record', { success: true, data: { id: 7 }, additional_data: null }, 1],
    ['a row of a table', { id: 7, email: 'ada@example.com', first_name: null }, 1],
    ['a row with an id of another name', { contact_id: 7, email: 'ada@example.com' }, 1],
    ['a success without a record', { errors: [], success: true }, 1],
    ['a record in a mutation', { data: { createPerson: { id: 'p1' } } }, 1],
    ['a record under its kind', { contact: { id: '7', email: 'ada@example.com' }, fieldValues: [] }, 1],
    ['counts of no failure', { statusCode: 200, headers: {}, body: { failCount: 0, failed: { addresses: [] } } }, 1],
    ['a record with a field of that name', { id: 7, rejected_offers: 3, error_rate: '2 %' }, 1],
    ['errors of nothing', { errors: {}, error: 0, person: { id: 7 } }, 1],
  ])('%s', (_, answer, accepted) => {
    expect(readAnswer(answer, answeredAt)).toEqual({ accepted, refused: [] });
  });
});

describe('a status of success decides without a sign of an error', () => {
  const bodies: readonly unknown[] = [
    { result: true, time: {} },
    { requestId: 'r1' },
    { _links: {}, _embedded: { contacts: [{ id: 1 }] } },
    { code: 200, message: 'OK' },
    { resultCode: 0, message: 'SUCCESS', result: { row: 1 } },
    { email: 'ada@example.com' },
    'queued',
  ];
  it.each(bodies.map((body) => [JSON.stringify(body), body]))('%s', (_, body) => {
    expect(readAnswer({ statusCode: 200, headers: {}, body }, answeredAt)).toEqual({ accepted: 1, refused: [] });
  });

  it.each<[string, unknown]>([
    ['an error of a query', { data: null, errors: [{ message: 'Not allowed', extensions: { code: 'FORBIDDEN' } }] }],
    ['an error of a remote call', { jsonrpc: '2.0', error: { code: 200, message: 'Not allowed' } }],
    ['a code with its words', { error_code: 'X', code: 'NOT_ALLOWED', message: 'Not allowed' }],
    ['no success', { ok: false, description: 'Not allowed', message: 'Not allowed' }],
    ['errors by field', { errors: { email: ['Not allowed'] } }],
    ['an error of a nested field', { error: 'invalid', data: { email: { code: 'x', message: 'Not allowed' } } }],
  ])('%s is one', (_, body) => {
    const { accepted, refused } = readAnswer({ statusCode: 200, headers: {}, body }, answeredAt);
    expect([accepted, refused.map(({ message }) => message)]).toEqual([0, [expect.stringContaining('Not allowed')]]);
  });
});

describe('what is not understood counts as refused, and says so', () => {
  it.each<[string, unknown]>([
    ['nothing', {}],
    ['a number', 7],
    ['a contact without an id, as a node passes on that fails', { email: 'ada@example.com', city: 'Bonn' }],
    ['a record of something else', { hello: 'world' }],
    ['a page with status 200, which n8n puts under data', { statusCode: 200, headers: {}, data: '<html></html>' }],
    ['a page with status 200', { statusCode: 200, headers: {}, body: '<html><title>Sign in</title></html>' }],
  ])('%s', (_, answer) => {
    const { accepted, refused } = readAnswer(answer, answeredAt);
    expect(accepted).toBe(0);
    expect(refused).toEqual([expect.objectContaining({ reason: 'unclear' })]);
  });
});
