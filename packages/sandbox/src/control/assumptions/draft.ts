/** An answer before it is sent, as assumptions see it. */

export interface Draft {
  /** Id in the contract, null where the request matched none. */
  readonly operation: string | null;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON body; undefined where there is none. */
  readonly body: unknown;
  readonly facts: Facts;
}

/** What an answer does not say of itself. */
export interface Facts {
  /** Whether the request made something that was not there before. */
  readonly created: boolean;
  /** Counts the whole list behind a page; null where the answer is none. */
  readonly total: (() => number) | null;
  /** Seconds until the window of the rate limit ends. */
  readonly resetsIn: number;
  /** Seconds since the Unix epoch. */
  readonly now: number;
}

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The answer with another body. */
export function withBody(draft: Draft, change: (body: Json) => Json): Draft {
  return isJson(draft.body) ? { ...draft, body: change(draft.body) } : draft;
}

/** The answer with every record in its `data` changed, be it one or a list. */
export function withRecords(draft: Draft, change: (record: Json) => Json): Draft {
  const each = (record: unknown): unknown => (isJson(record) ? change(record) : record);
  return withBody(draft, (body) =>
    'data' in body
      ? { ...body, data: Array.isArray(body['data']) ? body['data'].map(each) : each(body['data']) }
      : body,
  );
}

/** A copy without these keys. */
export function without(record: Json, ...keys: readonly string[]): Json {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}
