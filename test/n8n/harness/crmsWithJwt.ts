/**
 * Fakes of the APIs of Salesforce and Google Sheets: records in memory, and the paths, pages, answers and errors
 * that the vendors document. Both sign in with a signed JWT, whose signature is checked.
 */
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { type Crm, fakeOf } from './crms.ts';

const accessToken = 'token-of-the-stand-in';

/** A private key with which an account signs in. */
export function createKey(): string {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey;
}

/** A token endpoint that accepts the key. */
function createIssuer(audience: string, privateKey: string, further: Readonly<Record<string, string>> = {}) {
  const publicKey = createPublicKey(privateKey);
  return {
    async answer(request: Request): Promise<Response> {
      const form = new URLSearchParams(await request.text());
      const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
      const isSigned = verify(
        'RSA-SHA256',
        Buffer.from(`${header}.${claims}`),
        publicKey,
        Buffer.from(signature, 'base64url'),
      );
      const { aud } = JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}') as { readonly aud?: string };
      return isSigned && aud === audience
        ? Response.json({ access_token: accessToken, token_type: 'Bearer', expires_in: 3600, ...further })
        : Response.json({ error: 'invalid_grant' }, { status: 400 });
    },
  };
}

const isAuthorized = ({ headers }: Request): boolean => headers.get('authorization') === `Bearer ${accessToken}`;

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a contact in the example, and the kinds of those other than text of 255 characters. */
const salesforceFields: Readonly<Record<string, 'text' | 'boolean'>> = {
  Email: 'text',
  FirstName: 'text',
  LastName: 'text',
  HasOptedOutOfEmail: 'boolean',
  Newsletter_Status__c: 'text',
  Newsletter_Topics__c: 'text',
  Newsletter_Token__c: 'text',
  Newsletter_Email__c: 'text',
};

/** The field that is set up as unique and as an external ID. */
const unique = 'Newsletter_Email__c';

/** Smaller than the vendor's 2,000, so that a test has several pages. */
const pageSize = 200;

export const salesforceHost = 'example.my.salesforce.com';

export function createSalesforce(privateKey = createKey()): Crm {
  const issuer = createIssuer('https://login.salesforce.com', privateKey, {
    instance_url: `https://${salesforceHost}`,
  });
  const rows = new Map<string, Fields>();
  /** The contacts that were merged into another one, which only `queryAll` lists. */
  const merged: Fields[] = [];
  /** The addresses of opted-out leads. */
  const leads = new Set<string>();
  const newId = (): string => `003${String(rows.size + 1).padStart(12, '0')}AAA`;
  const failure = (errorCode: string, message: string, fields: readonly string[] = []) => ({
    success: false,
    errors: [{ statusCode: errorCode, message, fields }],
  });

  /** The record whose field has the value; Salesforce ignores its case. */
  const idWith = (field: string, value: unknown): string | undefined =>
    value === undefined || value === null
      ? undefined
      : [...rows].find(([, row]) => String(row[field] ?? '').toLowerCase() === String(value).toLowerCase())?.[0];

  /**
   * Writes one record of a call, as the sObject Collections API does: each has its own result.
   *
   * @param externalId - the field that an upsert finds a record by
   */
  function take(record: Fields, action: 'create' | 'update' | 'upsert', externalId = ''): object {
    const { attributes, id: given, ...values } = record;
    if (typeof attributes !== 'object' || attributes === null || Reflect.get(attributes, 'type') !== 'Contact')
      return failure('INVALID_TYPE', 'The type is missing');
    if (action === 'create' && given !== undefined)
      return failure('INVALID_FIELD_FOR_INSERT_UPDATE', 'cannot specify Id in an insert call', ['Id']);
    if (action === 'upsert' && !values[externalId])
      return failure('MISSING_ARGUMENT', `${externalId} not specified`, [externalId]);
    const id = action === 'upsert' ? idWith(externalId, values[externalId]) : given;
    const isNew = id === undefined;
    if (isNew && action === 'update') return failure('MISSING_ARGUMENT', 'Id not specified in an update call');
    const twin = idWith(unique, values[unique]);
    if (twin !== undefined && twin !== id)
      return failure('DUPLICATE_VALUE', `duplicate value found: ${unique} duplicates value on record with id: ${twin}`);
    if (!isNew && !rows.has(String(id))) return { id, ...failure('ENTITY_IS_DELETED', 'entity is deleted') };
    if (isNew && !values['LastName']) return failure('REQUIRED_FIELD_MISSING', 'A last name is missing', ['LastName']);
    const refused = crm.refusedAddress;
    if (refused !== undefined && values['Email'] === refused)
      return failure('INVALID_EMAIL_ADDRESS', 'The address is malformed', ['Email']);
    if (!isNew && refused !== undefined && rows.get(String(id))?.['Email'] === refused)
      return { id, ...failure('UNABLE_TO_LOCK_ROW', 'unable to obtain exclusive access to this record') };
    const wrong = Object.entries(values).find(([name, value]) => {
      const kind = salesforceFields[name];
      if (kind === 'boolean') return typeof value !== 'boolean';
      return kind === undefined || (value !== null && (typeof value !== 'string' || value.length > 255));
    });
    if (wrong) return failure('INVALID_FIELD', `The value of ${wrong[0]} does not fit`, [wrong[0]]);
    const at = isNew ? newId() : String(id);
    rows.set(at, { ...rows.get(at), ...values });
    return { id: at, success: true, errors: [], ...(action === 'upsert' && { created: isNew }) };
  }

  const pageOf = (all: readonly Fields[], from: number, resource: 'query' | 'queryAll') => {
    // Merged contacts are few.
    const next = from + (resource === 'query' ? pageSize : 1);
    const done = next >= all.length;
    return {
      totalSize: all.length,
      done,
      ...(!done && { nextRecordsUrl: `/services/data/v59.0/${resource}/01g${next}` }),
      records: all.slice(from, next),
    };
  };
  const shown = (from: number, names: readonly string[]): Response => {
    const all = [...rows].map(([Id, values]) => ({ Id, HasOptedOutOfEmail: false, ...values }));
    const { records, ...page } = pageOf(all, from, 'query');
    return Response.json({
      ...page,
      records: records.map((row: Fields) => ({
        attributes: { type: 'Contact', url: `/services/data/v59.0/sobjects/Contact/${String(row['Id'])}` },
        ...Object.fromEntries(names.map((name) => [name, row[name] ?? null])),
      })),
    });
  };
  let selected: readonly string[] = [];

  async function answer(request: Request): Promise<Response> {
    if (!isAuthorized(request)) return Response.json([{ errorCode: 'INVALID_SESSION_ID' }], { status: 401 });
    const { pathname, searchParams } = new URL(request.url);
    const [, what = ''] = /^\/services\/data\/v59\.0\/(.*)$/.exec(pathname) ?? [];
    if (request.method === 'GET' && what === 'query') {
      const soql = searchParams.get('q') ?? '';
      if (/^SELECT Email\s+FROM Lead\s+WHERE HasOptedOutOfEmail = true AND IsConverted = false/.test(soql))
        return Response.json({ done: true, records: [...leads].map((Email) => ({ Email })) });
      const [, names = ''] = /^SELECT ([\w, ]+)\s+FROM Contact\s+WHERE Email != null$/.exec(soql) ?? [];
      selected = names.split(/,\s*/);
      if (selected.some((name) => name !== 'Id' && !Object.hasOwn(salesforceFields, name)))
        return Response.json([{ errorCode: 'MALFORMED_QUERY', message: 'No such field' }], { status: 400 });
      return shown(0, selected);
    }
    if (request.method === 'GET' && what === 'queryAll')
      return /^SELECT Id, Email, MasterRecordId\s+FROM Contact\s+WHERE IsDeleted = true AND MasterRecordId != null/.test(
        searchParams.get('q') ?? '',
      )
        ? Response.json(pageOf(merged, 0, 'queryAll'))
        : Response.json([{ errorCode: 'MALFORMED_QUERY' }], { status: 400 });
    const [, nextMerged] = /^queryAll\/01g(\d+)$/.exec(what) ?? [];
    if (request.method === 'GET' && nextMerged) return Response.json(pageOf(merged, Number(nextMerged), 'queryAll'));
    const [, next] = /^query\/01g(\d+)$/.exec(what) ?? [];
    if (request.method === 'GET' && next) return shown(Number(next), selected);
    const [, isCollection, externalId] = /^(composite\/sobjects)(?:\/Contact\/(\w+))?$/.exec(what) ?? [];
    const actions = { POST: 'create', PATCH: externalId === undefined ? 'update' : 'upsert' } as const;
    const action = actions[request.method as keyof typeof actions] as
      | (typeof actions)[keyof typeof actions]
      | undefined;
    if (isCollection && action) {
      const { records } = (await request.json()) as { readonly records: readonly Fields[] };
      if (records.length > 200)
        return Response.json([{ errorCode: 'EXCEEDED_MAX_SIZE', message: 'At most 200 records' }], { status: 400 });
      return Response.json(records.map((record) => take(record, action, externalId)));
    }
    return Response.json([{ errorCode: 'NOT_FOUND' }], { status: 404 });
  }

  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const crm = fakeOf({
    credential: {
      type: 'salesforceJwtApi',
      data: {
        environment: 'production',
        clientId: 'app',
        username: 'crm@example.com',
        privateKey,
        myDomainUrl: '',
      },
    },
    host: salesforceHost,
    answer,
    failure: () => Response.json([{ errorCode: 'SERVER_UNAVAILABLE' }], { status: 500 }),
    others: { 'login.salesforce.com': (request) => issuer.answer(request) },
    contacts: () =>
      [...rows.values()].map((row) => ({
        email: text(row['Email']),
        firstName: text(row['FirstName']),
        topics: text(row['Newsletter_Topics__c']),
        status: text(row['Newsletter_Status__c']),
        optOut: row['HasOptedOutOfEmail'] === true,
        token: text(row['Newsletter_Token__c']),
      })),
    merge(email, other) {
      const idOf = (address: string): string => [...rows].find(([, { Email }]) => Email === address)?.[0] ?? '';
      const [MasterRecordId, Id] = [idOf(email), idOf(other)];
      rows.delete(Id);
      merged.push({ Id, Email: other, MasterRecordId });
    },
    save(email, { firstName, optOut, otherOptOut }) {
      if (otherOptOut) leads.add(email);
      const [id = newId()] = [...rows].find(([, row]) => row['Email'] === email) ?? [];
      rows.set(id, {
        Email: email,
        LastName: 'Person',
        ...rows.get(id),
        ...(firstName !== undefined && { FirstName: firstName }),
        ...(optOut !== undefined && { HasOptedOutOfEmail: optOut }),
      });
    },
  });
  return crm;
}

type Cell = string | number | boolean;

const sheetTitle = 'Contacts';
const header = ['id', 'email', 'first_name', 'topics', 'newsletter_status', 'do_not_mail', 'newsletter_sync_token'];

/** @param documentId - the ID in the nodes of the example */
export function createSheet(documentId: string, privateKey = createKey()): Crm {
  const issuer = createIssuer('https://oauth2.googleapis.com/token', privateKey);
  const rows: Cell[][] = [header];
  const column = (name: string): number => header.indexOf(name);

  /** Cells as the API returns them: without empty ones at the end of a row. */
  const values = (isFormatted: boolean) =>
    rows.map((row) => {
      const full = Array.from(row, (cell: Cell | undefined) => cell ?? '');
      const last = full.findLastIndex((cell) => cell !== '');
      return full
        .slice(0, last + 1)
        .map((cell) => (isFormatted ? (typeof cell === 'boolean' ? String(cell).toUpperCase() : String(cell)) : cell));
    });
  const refuse = (message: string): Response =>
    Response.json({ error: { code: 400, status: 'INVALID_ARGUMENT', message } }, { status: 400 });

  async function answer(request: Request): Promise<Response> {
    if (!isAuthorized(request)) return Response.json({ error: { code: 401 } }, { status: 401 });
    const { pathname, searchParams } = new URL(request.url);
    const base = `/v4/spreadsheets/${documentId}`;
    if (!pathname.startsWith(base)) return Response.json({ error: { code: 404 } }, { status: 404 });
    const what = decodeURIComponent(pathname.slice(base.length));
    if (request.method === 'GET') {
      if (what === '')
        return Response.json({ sheets: [{ properties: { sheetId: 0, title: sheetTitle, sheetType: 'GRID' } }] });
      if (!new RegExp(`^/values/'?${sheetTitle}'?(![A-Z0-9]+:[A-Z0-9]+)?$`).test(what)) return refuse(`Range ${what}`);
      const isHeader = what.endsWith('!1:1');
      const all = values(searchParams.get('valueRenderOption') === 'FORMATTED_VALUE');
      return Response.json({ majorDimension: 'ROWS', values: isHeader ? all.slice(0, 1) : all });
    }
    const body = (await request.json()) as {
      readonly values?: readonly (readonly (Cell | null)[])[];
      readonly data?: readonly { readonly range: string; readonly values: readonly (readonly Cell[])[] }[];
      readonly valueInputOption?: string;
    };
    // Anything else would read a text that begins with "=" as a formula.
    if ((searchParams.get('valueInputOption') ?? body.valueInputOption) !== 'RAW') return refuse('valueInputOption');
    if (what.startsWith('/values/') && what.endsWith(':append')) {
      for (const row of body.values ?? []) rows.push(row.map((cell) => cell ?? ''));
      return Response.json({ updates: { updatedRows: body.values?.length } });
    }
    if (what !== '/values:batchUpdate') return refuse(what);
    for (const {
      range,
      values: [[cell = ''] = []],
    } of body.data ?? []) {
      const [, letter = '', number = ''] = new RegExp(`^${sheetTitle}!([A-Z])(\\d+)$`).exec(range) ?? [];
      const row = rows[Number(number) - 1];
      if (!row || letter === '') return refuse(`Range ${range}`);
      row[letter.charCodeAt(0) - 'A'.charCodeAt(0)] = cell;
    }
    return Response.json({ totalUpdatedCells: body.data?.length });
  }

  return fakeOf({
    credential: {
      type: 'googleApi',
      data: { email: 'sync@example.iam.gserviceaccount.com', privateKey },
    },
    host: 'sheets.googleapis.com',
    answer,
    failure: () => Response.json({ error: { code: 500 } }, { status: 500 }),
    others: { 'oauth2.googleapis.com': (request) => issuer.answer(request) },
    contacts: () =>
      rows.slice(1).map((row) => {
        const text = (name: string): string => String(row[column(name)] ?? '');
        return {
          email: text('email'),
          firstName: text('first_name'),
          topics: text('topics'),
          status: text('newsletter_status'),
          optOut: row[column('do_not_mail')] === true,
          token: text('newsletter_sync_token'),
        };
      }),
    save(email, { firstName, optOut }) {
      let row = rows.find((each) => each[column('email')] === email);
      if (!row) rows.push((row = [String(rows.length), email]));
      if (firstName !== undefined) row[column('first_name')] = firstName;
      if (optOut !== undefined) row[column('do_not_mail')] = optOut;
      // A user may sort the sheet at any time.
      rows.splice(1, rows.length - 1, ...rows.slice(1).toSorted((a, b) => (String(a[1]) < String(b[1]) ? -1 : 1)));
    },
  });
}
