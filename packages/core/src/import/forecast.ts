/** Says before an import what it will do: it reads the rows as the import does, and sends nothing. */
import type { Engine } from '../engine/engine.ts';
import type { CallOptions } from '../engine/options.ts';
import { readQuotaHeaders } from '../engine/rate-limit.ts';
import { hasLeft, isUnknownStatus } from '../facts/subscriber-status.ts';
import type { SubscriptionRequest } from '../schema/types.ts';
import { addressKey } from '../signup/address.ts';
import { AddressSet } from './address-set.ts';
import { bulkBytes, maxBatchSize, runImport } from './import-subscriptions.ts';
import type { CommonOptions, ImportResult } from './options.ts';
import type { Rejection } from './source.ts';

/** Requests a minute that the service usually allows; estimates are by it where no answer has stated another limit. */
export const usualQuota = 180;

/** An import that changes more people than this, and a larger share of its publication, is asked for first. */
export const largeImport = { people: 100, share: 0.1 } as const;

/** Largest page of the list of subscriptions. */
const pageSize = 100;

/** Most rows of each kind that are given as examples. */
const examples = 10;

/** Most rows of which the addresses are kept, to look them up one by one. */
const mostLookups = 10_000;

/** What reading who is known costs. */
export interface ReadingCost {
  /** How: the whole list, or a request for each row. */
  readonly by: 'list' | 'lookup';
  readonly requests: number;
  readonly minutes: number;
  /** People in the publication. */
  readonly people: number;
}

/** Options of {@link forecastImport}. */
export interface ForecastOptions extends Pick<
  CommonOptions,
  'source' | 'publicationId' | 'keepOut' | 'signal' | 'onProgress'
> {
  readonly engine: Pick<Engine, 'call' | 'list' | 'host'>;
  /** Rows of a call of the import. Default 1000. */
  readonly batchSize?: number | undefined;
  /** Whether to read who is known already: the list, or each row's address, whichever takes fewer requests. */
  readonly known: boolean;
  /** Called before that with its cost; awaited. */
  readonly onCost?: ((cost: ReadingCost) => unknown) | undefined;
  readonly call?: CallOptions | undefined;
}

/** From the least to the most that there can be. */
interface Range {
  readonly least: number;
  readonly most: number;
}

/** What an import will do. */
export interface Forecast extends Pick<ImportResult, 'read' | 'rejected' | 'duplicates' | 'left' | 'unconfirmed'> {
  /** Rows that will be sent. */
  readonly sent: number;
  /** The first ten rows of each kind that are left out. */
  readonly leftOut: Readonly<Partial<Record<Rejection['kind'], readonly Rejection[]>>>;
  /**
   * The rows to send, by what the publication knows of their person; undefined where that was not read. `away` are
   * people who left this publication: they stay away, unless their row asks to reactivate them (`returning`). Nobody
   * returns from a status that the specification lacks.
   */
  readonly known:
    | { readonly fresh: number; readonly present: number; readonly away: number; readonly returning: number }
    | undefined;
  /** Confirmation mails: a range where only the publication's setting decides, or who is known was not read. */
  readonly confirmations: Range;
  /** Welcome mails; likewise. */
  readonly welcomes: Range;
  /** Automations that rows name, with their number. Those that start by themselves at a signup come in addition. */
  readonly automations: readonly { readonly id: string; readonly rows: number }[];
  /** Requests of the import, and the minutes that they take. */
  readonly requests: number;
  readonly minutes: number;
  /** Requests a minute: as the service has stated it, or {@link usualQuota}. */
  readonly perMinute: number;
}

/** What a row asks for, as bits. */
const asks = { confirmation: 1, none: 2, welcome: 4, reactivation: 8 } as const;

const bitsOf = (request: SubscriptionRequest): number =>
  (request.double_opt_override === 'on' ? asks.confirmation : 0) |
  (request.double_opt_override === 'off' ? asks.none : 0) |
  (request.send_welcome_email === true ? asks.welcome : 0) |
  (request.reactivate_existing === true ? asks.reactivation : 0);

/** The rows that would be sent. */
class Rows {
  readonly bits: number[] = [];
  readonly addresses: string[] = [];
  readonly automations = new Map<string, number>();
  readonly #rowOf = new AddressSet();

  add(request: SubscriptionRequest): void {
    this.bits.push(bitsOf(request));
    this.#rowOf.add(request.email, this.bits.length);
    if (this.addresses.length <= mostLookups) this.addresses.push(request.email);
    for (const id of request.automation_ids ?? []) this.automations.set(id, (this.automations.get(id) ?? 0) + 1);
  }

  bitsFor(address: string): { readonly row: number; readonly bits: number } | undefined {
    const row = this.#rowOf.rowOf(address);
    return row === undefined ? undefined : { row, bits: this.bits[row - 1] ?? 0 };
  }
}

/**
 * Reads the rows of an import, and says what it would do. It sends nothing; it reads the publication only where `known`
 * is set.
 *
 * @throws errors of the source, of `keepOut`, and of the requests
 * @example
 * ```ts
 * const forecast = await forecastImport({ engine: client.engine, source: await readCsv('people.csv'), known: true });
 * console.log(forecast.sent, forecast.known?.fresh);
 * ```
 */
export async function forecastImport(options: ForecastOptions): Promise<Forecast> {
  const { engine, batchSize = maxBatchSize, known: reads } = options;
  const rows = new Rows();
  const leftOut: Partial<Record<Rejection['kind'], Rejection[]>> = {};
  const { source, publicationId, keepOut, signal, onProgress } = options;
  const result = await runImport(
    {
      engine,
      source,
      publicationId,
      keepOut,
      signal,
      onProgress,
      concurrency: 1,
      onRejected(rejection) {
        const of = (leftOut[rejection.kind] ??= []);
        if (of.length < examples) of.push(rejection);
      },
    },
    {
      limit: batchSize,
      bytes: bulkBytes,
      async send(batch) {
        for (const { request } of batch.rows) rows.add(request);
        return { id: undefined, notify: () => undefined };
      },
      failed: () => undefined,
    },
  );
  const known = reads && rows.bits.length > 0 ? await readKnown(rows, options) : undefined;
  // Only who is new gets mails; where that was not read, each of them can be.
  const fresh = known?.bits ?? rows.bits;
  const count = (test: (bits: number) => boolean): number => fresh.filter(test).length;
  const asked = count((bits) => (bits & asks.confirmation) !== 0);
  const undecided = count((bits) => (bits & (asks.confirmation | asks.none)) === 0);
  const welcomed = count((bits) => (bits & asks.welcome) !== 0);
  const perMinute = known?.perMinute ?? usualQuota;
  const { read, rejected, duplicates, left, unconfirmed, batches } = result;
  return {
    read,
    rejected,
    duplicates,
    left,
    unconfirmed,
    sent: rows.bits.length,
    leftOut,
    known: known?.counts,
    confirmations: { least: known ? asked : 0, most: asked + undecided },
    welcomes: { least: known ? welcomed : 0, most: welcomed },
    automations: [...rows.automations].map(([id, number]) => ({ id, rows: number })),
    requests: batches,
    minutes: batches / perMinute,
    perMinute,
  };
}

/** People in a publication by its own count; undefined where the service does not say. */
export async function countPeople(options: CountOptions): Promise<number | undefined> {
  return (await firstPage(options)).totalResults ?? undefined;
}

type CountOptions = Pick<ForecastOptions, 'engine' | 'publicationId' | 'call'>;

const firstPage = ({ engine, publicationId, call }: CountOptions) =>
  engine.list('subscriptions.list', { publicationId, limit: 1, page: 1 }, call);

interface Known {
  readonly counts: NonNullable<Forecast['known']>;
  /** What the rows of new people ask for. */
  readonly bits: readonly number[];
  /** See {@link Forecast.perMinute}. */
  readonly perMinute: number;
}

async function readKnown(rows: Rows, options: ForecastOptions): Promise<Known> {
  const { engine, publicationId, call, onCost } = options;
  const { totalResults, response } = await firstPage(options);
  const people = totalResults ?? Number.POSITIVE_INFINITY;
  const perMinute = readQuotaHeaders(response.headers, engine.host.now())?.limit || usualQuota;
  const pages = Math.ceil(people / pageSize);
  const by = rows.bits.length <= Math.min(pages, mostLookups) ? 'lookup' : 'list';
  const requests = by === 'lookup' ? rows.bits.length : pages;
  await onCost?.({ by, requests, minutes: requests / perMinute, people });

  const seen = new Set<number>();
  let [present, away, returning] = [0, 0, 0];
  const take = ({ email, status }: { readonly email?: unknown; readonly status?: unknown }): void => {
    const row = typeof email === 'string' ? rows.bitsFor(email) : undefined;
    if (row === undefined || seen.has(row.row)) return;
    seen.add(row.row);
    if (!hasLeft(status)) present += 1;
    else if (isUnknownStatus(status) || (row.bits & asks.reactivation) === 0) away += 1;
    else returning += 1;
  };
  if (by === 'list') {
    const all = engine.list('subscriptions.list', { publicationId, limit: pageSize }, call);
    for await (const subscription of all) take(subscription);
  } else
    for (const email of rows.addresses) {
      const page = await engine.list('subscriptions.list', { publicationId, email, limit: pageSize }, call);
      for (const found of page.items)
        if (typeof found.email === 'string' && addressKey(found.email) === addressKey(email)) take(found);
    }
  const bits = rows.bits.filter((_, index) => !seen.has(index + 1));
  return { counts: { fresh: bits.length, present, away, returning }, bits, perMinute };
}
