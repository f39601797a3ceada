/**
 * What the fakes of CRMs have in common: contacts in memory, and the answers to calls, refusals included. The fakes of
 * HubSpot (crmHubspot.ts), Airtable and Pipedrive (crmsWithToken.ts), Salesforce and Google Sheets (crmsWithJwt.ts)
 * have the paths, pages, answers and errors that the vendors document.
 */
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { CrmFault } from '../../../packages/core/test/sync/crm-faults.ts';
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

/** An edit by a user of the CRM. */
export interface CrmEdit {
  readonly firstName?: string;
  readonly optOut?: boolean;
  /** The opt-out that the CRM has besides the one of the example: HubSpot's own, or that of a lead in Salesforce. */
  readonly otherOptOut?: boolean;
  /** Another address of the same contact, where the CRM has several. */
  readonly furtherAddress?: string;
}

/** A CRM that n8n reaches by its vendor's host names. */
export interface Crm {
  /** n8n's type of the credential, and its fields. */
  readonly credential: { readonly type: string; readonly data: Readonly<Record<string, string>> };
  /** The handler of each host. */
  readonly answers: Readonly<Record<string, StandIn>>;
  /** Calls of the API, without sign-ins. */
  readonly calls: CrmCall[];
  /** Answers the calls for which this is true with 500, or with this fault. */
  failing: ((call: Omit<CrmCall, 'status'>) => boolean | CrmFault) | undefined;
  /** An address that the vendor rejects. */
  refusedAddress: string | undefined;
  contacts(): readonly CrmContact[];
  /** Adds a contact, or changes the one with this address, as a user of the CRM does. */
  save(email: string, values: CrmEdit): void;
  /** Merges the second contact into the first, where the CRM can. */
  merge?(email: string, other: string): void;
}

/** What is a vendor's own in a fake. */
interface OwnParts extends Pick<Crm, 'credential' | 'contacts' | 'save' | 'merge'> {
  readonly host: string;
  answer(request: Request): Response | Promise<Response>;
  /** The answer to a call that the test lets fail. */
  failure(): Response;
  /** The handlers of other hosts, such as one to sign in at. */
  readonly others?: Crm['answers'];
}

/** The fake of a CRM, which records its calls, and fails those that the test wants to fail. */
export function fakeOf({ host, answer, failure, others, ...own }: OwnParts): Crm {
  const crm: Crm = {
    ...own,
    answers: {
      ...others,
      async [host](request) {
        const call = { method: request.method, path: new URL(request.url).pathname };
        const failing = crm.failing?.(call) ?? false;
        const response =
          typeof failing === 'object' ? faultResponse(failing) : failing ? failure() : await answer(request);
        crm.calls.push({ ...call, status: response.status });
        return response;
      },
    },
    calls: [],
    failing: undefined,
    refusedAddress: undefined,
  };
  return crm;
}

function faultResponse({ status, headers = {}, body }: CrmFault): Response {
  const isPage = typeof body === 'string';
  return new Response(isPage ? body : JSON.stringify(body), {
    status,
    headers: { ...headers, 'content-type': isPage ? 'text/html' : 'application/json' },
  });
}

export type Values = Readonly<Record<string, unknown>>;

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
  /** Values of an edit for which the CRM has fields of its own. */
  readonly edited?: (edit: CrmEdit) => Values;
  readonly merge?: (store: Store, email: string, other: string) => void;
}

/** The contacts by their ids, in the order of their creation. */
export interface Store {
  readonly rows: Map<string, Values>;
  /**
   * Checks all contacts before it changes any. One without an id is created.
   *
   * @returns their ids
   * @throws HTTPException where one is refused
   */
  save(contacts: readonly { readonly id?: string; readonly values: Values }[]): string[];
}

export function refuse(status: ContentfulStatusCode, message: string): never {
  throw new HTTPException(status, { message });
}

export function createCrm({ names, invalid, ...vendor }: Vendor): Crm {
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

  const crm = fakeOf({
    credential: vendor.credential,
    host: vendor.host,
    answer: (request) => app.fetch(request),
    failure: () => Response.json(vendor.errorBody(500, 'The service failed'), { status: 500 }),
    contacts: () =>
      [...rows.values()].map((row) => ({
        email: textOf(row[names.email]),
        firstName: textOf(row[names.firstName]),
        topics: textOf(row[names.topics]),
        status: textOf(row[names.status]),
        optOut: row[names.optOut] === vendor.yes,
        token: textOf(row[names.token]),
      })),
    save(email, edit) {
      const { firstName, optOut } = edit;
      const [id] = [...rows].find(([, row]) => row[names.email] === email) ?? [];
      const values = {
        [names.email]: email,
        ...(firstName !== undefined && { [names.firstName]: firstName }),
        ...(optOut === true && { [names.optOut]: vendor.yes }),
      };
      const [saved = ''] = store.save([id === undefined ? { values } : { id, values }]);
      // Of fields that no call writes.
      rows.set(saved, { ...rows.get(saved), ...vendor.edited?.(edit) });
    },
    ...(vendor.merge && { merge: (email, other) => vendor.merge?.(store, email, other) }),
  });
  return crm;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A page of at most `limit` contacts from this number on, and the number of the next one. */
export function pageOf(rows: ReadonlyMap<string, Values>, from: number, limit: number) {
  const page = [...rows].slice(from, from + limit);
  return { page, next: from + limit < rows.size ? from + limit : undefined };
}
