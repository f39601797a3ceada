/** A fake of HubSpot: https://developers.hubspot.com/docs/api-reference/crm-contacts-v3 */
import { HTTPException } from 'hono/http-exception';
import { createCrm, pageOf, refuse, type Crm, type Values } from './crms.ts';

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
    readonly idProperty?: string;
    readonly objectWriteTraceId?: string;
  }
  /** Read by users and apps; the API refuses to write them. */
  const readOnly = ['hs_email_optout', 'hs_additional_emails', 'hs_merged_object_ids'];
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
    edited: ({ otherOptOut, furtherAddress }) => ({
      ...(otherOptOut !== undefined && { hs_email_optout: String(otherOptOut) }),
      ...(furtherAddress !== undefined && { hs_additional_emails: furtherAddress }),
    }),
    merge({ rows }, email, other) {
      const idOf = (address: string): string => [...rows].find(([, row]) => row['email'] === address)?.[0] ?? '';
      const [winner, loser] = [idOf(email), idOf(other)];
      const kept = rows.get(winner);
      const listed = (name: string, added: string): string => [kept?.[name], added].filter(Boolean).join(';');
      rows.set(winner, {
        ...rows.get(loser),
        ...kept,
        hs_additional_emails: listed('hs_additional_emails', other),
        hs_merged_object_ids: listed('hs_merged_object_ids', loser),
      });
      rows.delete(loser);
    },
    addRoutes(app, { rows, save }) {
      const listed = (value: unknown): string[] => String(value ?? '').split(';');
      /** A contact is found by each of its addresses, and a merged one by its former id. */
      const find = ({ id, idProperty }: Input): string | undefined => {
        if (idProperty === undefined && rows.has(id)) return id;
        const matches =
          idProperty === 'email'
            ? (row: Values): boolean =>
                [row['email'], ...listed(row['hs_additional_emails'])].includes(id.toLowerCase())
            : (row: Values): boolean => listed(row['hs_merged_object_ids']).includes(id);
        return [...rows].find(([, row]) => matches(row))?.[0];
      };
      const results = (ids: readonly string[]) =>
        ids.map((id) => contact(id, rows.get(id) ?? {}, Object.keys(rows.get(id) ?? {})));
      /**
       * Writes each contact of a batch. With a trace id for each, one refused contact does not fail the others.
       *
       * @throws HTTPException where one is refused and traces are missing
       */
      const write = (inputs: readonly Input[], canCreate: boolean) => {
        const isTraced = inputs.every(({ objectWriteTraceId }) => objectWriteTraceId !== undefined);
        const written: string[] = [];
        const errors: object[] = [];
        for (const input of inputs) {
          try {
            const { properties, idProperty, id: key, objectWriteTraceId } = input;
            const forbidden = Object.keys(properties).find((name) => readOnly.includes(name));
            if (forbidden) refuse(400, `"${forbidden}" is a read only property`);
            const id = find(input);
            if (id === undefined && !canCreate) {
              errors.push({ category: 'OBJECT_NOT_FOUND', context: { ids: [objectWriteTraceId ?? key] } });
              continue;
            }
            const address = id === undefined && idProperty === 'email' ? { email: key } : {};
            written.push(...save([{ ...(id !== undefined && { id }), values: { ...address, ...properties } }]));
          } catch (error) {
            if (!(error instanceof HTTPException) || !isTraced) throw error;
            const context = { objectWriteTraceId: [input.objectWriteTraceId] };
            errors.push({ category: 'VALIDATION_ERROR', message: error.message, context });
          }
        }
        return { written, errors: errors.map((error) => ({ status: 'error', ...error })) };
      };
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
      for (const [action, canCreate] of [
        ['upsert', true],
        ['update', false],
      ] as const)
        app.post(`${path}/batch/${action}`, async ({ req, json }) => {
          const { written, errors } = write(inputsOf(await req.json()), canCreate);
          const answer = { ...completed, results: results(written) };
          return errors.length === 0 ? json(answer) : json({ ...answer, numErrors: errors.length, errors }, 207);
        });
    },
  });
}
