/** Fakes of CRMs whose credential is a token: Airtable and Pipedrive. */
import { createCrm, pageOf, refuse, type Crm, type Values } from './crms.ts';

/** Types of the fields by which an upsert finds a record: https://airtable.com/developers/web/api/update-multiple-records */
const mergeable = ['Number', 'Single line text', 'Long text', 'Single select', 'Multiple select', 'Date'];

interface AirtableTable {
  readonly base: string;
  readonly table: string;
  /** The type of the field with the address. Default: a single line of text. */
  readonly emailType?: string;
}

/** https://airtable.com/developers/web/api/list-records */
export function createAirtable({ base, table, emailType = 'Single line text' }: AirtableTable): Crm {
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
    readonly id?: string;
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
        const { records, performUpsert } = await req.json<{
          readonly records: readonly Draft[];
          readonly performUpsert?: { readonly fieldsToMergeOn: readonly string[] };
        }>();
        if (records.length > 10) refuse(422, 'You must provide an array of up to 10 record objects');
        const createdRecords: string[] = [];
        const targets = records.map(({ id, fields }) => {
          if (!performUpsert || id !== undefined) return { ...(id !== undefined && { id }), values: fields };
          if (performUpsert.fieldsToMergeOn.some((name) => name !== names.email || !mergeable.includes(emailType)))
            refuse(422, 'fieldsToMergeOn names a field whose type it does not support');
          const found = [...rows].filter(([, row]) =>
            performUpsert.fieldsToMergeOn.every((name) => (row[name] ?? null) === (fields[name] ?? null)),
          );
          if (found.length > 1) refuse(422, 'Cannot update more than one record');
          return { ...(found[0] && { id: found[0][0] }), values: fields };
        });
        const ids = save(targets);
        for (const [index, id] of ids.entries()) if (targets[index]?.id === undefined) createdRecords.push(id);
        const saved = ids.map((id) => record(id, rows.get(id)));
        if (!performUpsert) return json({ records: saved });
        const updatedRecords = ids.filter((id) => !createdRecords.includes(id));
        return json({ records: saved, createdRecords, updatedRecords });
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
