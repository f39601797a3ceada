/**
 * Fakes of the APIs of HubSpot, Airtable and Pipedrive: contacts in memory, and the paths, pages, answers and
 * errors that the vendors document.
 */
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { StandIn } from './vendors.ts';

/** An answered call. */
export interface CrmCall {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/** A contact, independent of the vendor. */
export interface CrmContact {
  readonly email: string;
  readonly firstName: string;
  readonly topics: string;
  readonly status: string;
  readonly optOut: boolean;
  readonly token: string;
}

/** A CRM that n8n reaches by its vendor's host names. */
export interface Crm {
  /** n8n's type of the credential, and its fields. */
  readonly credential: { readonly type: string; readonly data: Readonly<Record<string, string>> };
  /** The handler of each host. */
  readonly answers: Readonly<Record<string, StandIn>>;
  /** Calls of the API, without sign-ins. */
  readonly calls: CrmCall[];
  /** Answers the calls for which this is true with 500. */
  failing: ((call: Omit<CrmCall, 'status'>) => boolean) | undefined;
  /** An address that the vendor rejects. */
  refusedAddress: string | undefined;
  contacts(): readonly CrmContact[];
  /** Adds a contact, or changes the one with this address, as a user of the CRM does. */
  save(email: string, values: { readonly firstName?: string; readonly optOut?: boolean }): void;
}

/** Answers a call of an API and records it; fails it where the test configured that. */
export async function answerCall(
  crm: Pick<Crm, 'calls' | 'failing'>,
  request: Request,
  answer: StandIn,
  failure: () => Response,
): Promise<Response> {
  const call = { method: request.method, path: new URL(request.url).pathname };
  const response = crm.failing?.(call) ? failure() : await answer(request);
  crm.calls.push({ ...call, status: response.status });
  return response;
}

type Values = Readonly<Record<string, unknown>>;

/** The differences between vendors. */
interface Vendor {
  readonly host: string;
  readonly credential: Crm['credential'];
  readonly isAuthorized: (request: Request) => boolean;
  /** An error in the vendor's format. */
  readonly errorBody: (status: number, message: string) => object;
  /** The status for a rejected value. */
  readonly invalid: ContentfulStatusCode;
  /** The vendor's name of each field. */
  readonly names: Readonly<Record<keyof CrmContact, string>>;
  /** The opt-out in the vendor's format. */
  readonly yes: unknown;
  /** The stored value, null for an empty one; undefined where the vendor rejects it. */
  readonly read: (name: string, value: unknown) => unknown;
  readonly newId: (count: number) => string;
  readonly addRoutes: (app: Hono, store: Store) => void;
}

/** The contacts by their ids, in the order of their creation. */
interface Store {
  readonly rows: ReadonlyMap<string, Values>;
  /**
   * Checks all contacts before it changes any. One without an id is created.
   *
   * @returns their ids
   * @throws HTTPException where one is refused
   */
  save(contacts: readonly { readonly id?: string; readonly values: Values }[]): string[];
}

function refuse(status: ContentfulStatusCode, message: string): never {
  throw new HTTPException(status, { message });
}

function createCrm({ names, invalid, ...vendor }: Vendor): Crm {
  const fields = new Set(Object.values(names));
  const rows = new Map<string, Values>();

  const read = (values: Values): Values =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        if (!fields.has(name)) refuse(invalid, `There is no field "${name}"`);
        const kept = vendor.read(name, value);
        if (kept === undefined || (typeof kept === 'string' && kept.length > 255))
          refuse(invalid, `The value of "${name}" does not fit the field`);
        if (name === names.email && kept === crm.refusedAddress) refuse(invalid, 'The address is malformed');
        return [name, kept];
      }),
    );
  const store: Store = {
    rows,
    save(contacts) {
      const checked = contacts.map(({ id, values }) => {
        if (id !== undefined && !rows.has(id)) refuse(404, 'There is no such contact');
        return { id, values: read(values) };
      });
      return checked.map(({ id = vendor.newId(rows.size + 1), values }) => {
        rows.set(id, { ...rows.get(id), ...values });
        return id;
      });
    },
  };

  const app = new Hono();
  app.use(async ({ req }, next) => {
    if (!vendor.isAuthorized(req.raw)) refuse(401, 'The credential is wrong');
    await next();
  });
  app.onError((error, context) => {
    if (!(error instanceof HTTPException)) throw error;
    return context.json(vendor.errorBody(error.status, error.message), error.status);
  });
  vendor.addRoutes(app, store);

  const crm: Crm = {
    credential: vendor.credential,
    answers: {
      [vendor.host]: (request) =>
        answerCall(
          crm,
          request,
          (each) => app.fetch(each),
          () => Response.json(vendor.errorBody(500, 'The service failed'), { status: 500 }),
        ),
    },
    calls: [],
    failing: undefined,
    refusedAddress: undefined,
    contacts: () =>
      [...rows.values()].map((row) => ({
        email: textOf(row[names.email]),
        firstName: textOf(row[names.firstName]),
        topics: textOf(row[names.topics]),
        status: textOf(row[names.status]),
        optOut: row[names.optOut] === vendor.yes,
        token: textOf(row[names.token]),
      })),
    save(email, { firstName, optOut }) {
      const [id] = [...rows].find(([, row]) => row[names.email] === email) ?? [];
      const values = {
        [names.email]: email,
        ...(firstName !== undefined && { [names.firstName]: firstName }),
        ...(optOut === true && { [names.optOut]: vendor.yes }),
      };
      store.save([id === undefined ? { values } : { id, values }]);
    },
  };
  return crm;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A page of at most `limit` contacts from this number on, and the number of the next one. */
function pageOf(rows: ReadonlyMap<string, Values>, from: number, limit: number) {
  const page = [...rows].slice(from, from + limit);
  return { page, next: from + limit < rows.size ? from + limit : undefined };
}

/** https://developers.hubspot.com/docs/api-reference/crm-contacts-v3 */
export function createHubspot(): Crm {
  const token = 'pat-test-hubspot';
  const names = {
    email: 'email',
    firstName: 'firstname',
    topics: 'newsletter_topics',
    status: 'newsletter_status',
    optOut: 'newsletter_opt_out',
    token: 'newsletter_sync_token',
  };
  const path = '/crm/v3/objects/contacts';
  const at = '2026-01-01T00:00:00.000Z';
  /** The requested properties; one without a value is null. */
  const contact = (id: string, values: Values, asked: readonly string[]) => ({
    id,
    properties: {
      createdate: at,
      hs_object_id: id,
      lastmodifieddate: at,
      ...Object.fromEntries(asked.map((name) => [name, values[name] ?? null])),
    },
    createdAt: at,
    updatedAt: at,
    archived: false,
  });
  interface Input {
    readonly id: string;
    readonly properties: Values;
  }
  const completed = { status: 'COMPLETE', startedAt: at, completedAt: at };
  const inputsOf = ({ inputs }: { readonly inputs?: readonly Input[] }): readonly Input[] =>
    inputs === undefined || inputs.length === 0 || inputs.length > 100
      ? refuse(400, 'A batch has 1 to 100 inputs')
      : inputs;

  return createCrm({
    host: 'api.hubapi.com',
    credential: { type: 'hubspotAppToken', data: { appToken: token } },
    isAuthorized: ({ headers }) => headers.get('authorization') === `Bearer ${token}`,
    errorBody: (status, message) => ({
      status: 'error',
      message,
      correlationId: crypto.randomUUID(),
      category:
        { 400: 'VALIDATION_ERROR', 401: 'INVALID_AUTHENTICATION', 404: 'OBJECT_NOT_FOUND', 409: 'CONFLICT' }[status] ??
        'INTERNAL_ERROR',
    }),
    invalid: 400,
    names,
    yes: 'true',
    read(name, value) {
      if (typeof value !== 'string') return undefined;
      if (name === names.optOut && !['true', 'false', ''].includes(value)) return undefined;
      if (value === '') return null;
      return name === names.email ? value.trim().toLowerCase() : value;
    },
    newId: (count) => String(100_000 + count),
    addRoutes(app, { rows, save }) {
      const create = (inputs: readonly Pick<Input, 'properties'>[]): string[] => {
        const taken = new Set([...rows.values()].map((row) => row['email']));
        for (const { properties } of inputs) if (taken.has(properties['email'])) refuse(409, 'Contact already exists.');
        return save(inputs.map(({ properties }) => ({ values: properties })));
      };
      const results = (ids: readonly string[]) =>
        ids.map((id) => contact(id, rows.get(id) ?? {}, Object.keys(rows.get(id) ?? {})));
      app.get(path, ({ req, json }) => {
        const limit = Number(req.query('limit') ?? 10);
        if (limit > 100) refuse(400, 'limit must be at most 100');
        const after = req.query('after');
        if (after === '') refuse(400, 'after must not be empty');
        const { page, next } = pageOf(rows, Number(after ?? 0), limit);
        const asked = (req.query('properties') ?? '').split(',');
        return json({
          results: page.map(([id, values]) => contact(id, values, asked)),
          ...(next !== undefined && { paging: { next: { after: String(next), link: `?after=${next}` } } }),
        });
      });
      app.post(`${path}/batch/create`, async ({ req, json }) =>
        json({ ...completed, results: results(create(inputsOf(await req.json()))) }, 201),
      );
      app.post(`${path}/batch/update`, async ({ req, json }) => {
        const inputs = inputsOf(await req.json());
        const found = inputs.filter(({ id }) => rows.has(id));
        const missing = inputs.filter(({ id }) => !rows.has(id)).map(({ id }) => id);
        const updated = results(save(found.map(({ id, properties }) => ({ id, values: properties }))));
        if (missing.length === 0) return json({ ...completed, results: updated });
        const error = { status: 'error', category: 'OBJECT_NOT_FOUND', context: { ids: missing } };
        return json({ ...completed, results: updated, numErrors: 1, errors: [error] }, 207);
      });
      app.post(path, async ({ req, json }) => json(results(create([await req.json<Input>()]))[0], 201));
      app.patch(`${path}/:id`, async ({ req, json }) => {
        const { properties } = await req.json<Input>();
        return json(results(save([{ id: req.param('id'), values: properties }]))[0]);
      });
    },
  });
}

/** https://airtable.com/developers/web/api/list-records */
export function createAirtable({ base, table }: { readonly base: string; readonly table: string }): Crm {
  const token = 'pat.test.airtable';
  const names = {
    email: 'Email',
    firstName: 'First Name',
    topics: 'Newsletter Topics',
    status: 'Newsletter Status',
    optOut: 'Newsletter Opt-Out',
    token: 'Newsletter Sync Token',
  };
  /** A field without a value is left out, and so is a checkbox that is not ticked. */
  const record = (id: string, values: Values = {}) => ({
    id,
    createdTime: '2026-01-01T00:00:00.000Z',
    fields: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)),
  });
  interface Draft {
    readonly id: string;
    readonly fields: Values;
  }
  const path = `/v0/${base}/${table}`;
  return createCrm({
    host: 'api.airtable.com',
    credential: { type: 'airtableTokenApi', data: { accessToken: token } },
    isAuthorized: ({ headers }) => headers.get('authorization') === `Bearer ${token}`,
    errorBody: (status, message) => ({
      error: {
        type:
          { 401: 'AUTHENTICATION_REQUIRED', 404: 'NOT_FOUND', 422: 'INVALID_VALUE_FOR_COLUMN' }[status] ??
          'SERVER_ERROR',
        message,
      },
    }),
    invalid: 422,
    names,
    yes: true,
    read(name, value) {
      if (value === null || value === '') return null;
      if (name === names.optOut) return typeof value === 'boolean' ? value || null : undefined;
      return typeof value === 'string' ? value : undefined;
    },
    newId: (count) => `rec${String(count).padStart(14, '0')}`,
    addRoutes(app, { rows, save }) {
      app.get(path, ({ req, json }) => {
        const { page, next } = pageOf(rows, Number(req.query('offset') ?? 0), Number(req.query('pageSize') ?? 100));
        return json({
          records: page.map(([id, values]) => record(id, values)),
          ...(next !== undefined && { offset: String(next) }),
        });
      });
      app.post(path, async ({ req, json }) => {
        const { fields } = await req.json<Draft>();
        const [id = ''] = save([{ values: fields }]);
        return json(record(id, rows.get(id)));
      });
      app.patch(path, async ({ req, json }) => {
        const { records } = await req.json<{ readonly records: readonly Draft[] }>();
        if (records.length > 10) refuse(422, 'You must provide an array of up to 10 record objects');
        const ids = save(records.map(({ id, fields }) => ({ id, values: fields })));
        return json({ records: ids.map((id) => record(id, rows.get(id))) });
      });
    },
  });
}

/** https://developers.pipedrive.com/docs/api/v1/Persons, version 2 of the API */
export function createPipedrive(): Crm {
  const token = 'test-pipedrive';
  const key = (digit: string): string => digit.repeat(40);
  const names = {
    email: 'email',
    firstName: key('a'),
    topics: key('b'),
    status: key('c'),
    optOut: key('d'),
    token: key('e'),
  };
  const yes = 42;
  const field = (code: string, name: string, type: string) => ({
    field_name: name,
    field_code: code,
    field_type: type,
    options: type === 'enum' ? [{ id: yes, label: 'Yes' }] : null,
    is_custom_field: code.length === 40,
  });
  const personFields = [
    field('name', 'Name', 'varchar'),
    field('emails', 'Email', 'varchar'),
    field(names.firstName, 'Newsletter First Name', 'varchar'),
    field(names.topics, 'Newsletter Topics', 'text'),
    field(names.status, 'Newsletter Status', 'varchar'),
    field(names.optOut, 'Newsletter Opt-Out', 'enum'),
    field(names.token, 'Newsletter Sync Token', 'varchar'),
  ];
  interface Draft {
    readonly name?: string;
    readonly emails?: readonly { readonly value: string; readonly primary?: boolean }[];
    readonly custom_fields?: Values;
  }
  /** A custom field without a value is null. The primary address is not always the first one. */
  const person = (id: string, { email, ...custom }: Values = {}) => ({
    id: Number(id),
    name: String(email),
    emails: [
      { value: `second.${String(email)}`, primary: false, label: 'home' },
      { value: email, primary: true, label: 'work' },
    ],
    phones: [],
    is_deleted: false,
    custom_fields: Object.fromEntries(
      Object.values(names)
        .filter((name) => name !== names.email)
        .map((name) => [name, custom[name] ?? null]),
    ),
  });
  const persons = '/api/v2/persons';
  return createCrm({
    host: 'api.pipedrive.com',
    credential: { type: 'pipedriveApi', data: { apiToken: token } },
    isAuthorized: ({ url }) => new URL(url).searchParams.get('api_token') === token,
    errorBody: (status, message) => ({ success: false, error: message, code: `ERR_${status}`, data: null }),
    invalid: 400,
    names,
    yes,
    read(name, value) {
      if (value === null) return null;
      if (name === names.optOut) return value === yes ? yes : undefined;
      return typeof value === 'string' ? value : undefined;
    },
    newId: String,
    addRoutes(app, { rows, save }) {
      app.get('/api/v2/personFields', ({ json }) =>
        json({ success: true, data: personFields, additional_data: { next_cursor: null } }),
      );
      app.get(persons, ({ req, json }) => {
        const { page, next } = pageOf(rows, Number(req.query('cursor') ?? 0), Number(req.query('limit') ?? 100));
        const data = page.map(([id, values]) => person(id, values));
        return json({
          success: true,
          data,
          additional_data: { next_cursor: next === undefined ? null : String(next) },
        });
      });
      app.post(persons, async ({ req, json }) => {
        const { name, emails = [], custom_fields } = await req.json<Draft>();
        if (!name) refuse(400, 'name is required');
        const email = emails.find(({ primary }) => primary)?.value;
        const [id = ''] = save([{ values: { ...(email !== undefined && { email }), ...custom_fields } }]);
        return json({ success: true, data: person(id, rows.get(id)) }, 201);
      });
      app.patch(`${persons}/:id`, async ({ req, json }) => {
        const { custom_fields = {} } = await req.json<Draft>();
        const [id = ''] = save([{ id: req.param('id'), values: custom_fields }]);
        return json({ success: true, data: person(id, rows.get(id)) });
      });
    },
  });
}
