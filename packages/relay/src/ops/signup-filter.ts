/** Parses and formats filters of signups, as in the query of an address or the options of a command. */
import * as z from 'zod';
import { signupStates, type SignupFilter } from '../store/signup-store.ts';

const list = (text: string): string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);

/** A moment: `2026-03-01`, `2026-03-01T12:00Z`, or an age such as `2h` or `7d`. */
const ages = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const moment = (now: number) =>
  z.string().transform((text, context): number => {
    const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
    const at = count && unit ? now - Number(count) * ages[unit as keyof typeof ages] : Date.parse(text);
    if (!Number.isNaN(at)) return at;
    context.addIssue({
      code: 'custom',
      message: 'must be a moment such as 2026-03-01 or 2026-03-01T12:00Z, or an age such as 30m, 2h or 7d',
    });
    return z.NEVER;
  });

/** Every part of a filter, with its check and description. */
export const filterSchema = (now: number) =>
  z.strictObject({
    state: z
      .string()
      .transform(list)
      .pipe(
        z.array(z.enum(signupStates, `must be one or more of ${signupStates.join(', ')}, with commas between them`)),
      )
      .optional()
      .describe('States, with commas between them'),
    form: z.string().optional().describe('Name of the form'),
    email: z.string().optional().describe('Address of a person, in any spelling'),
    reason: z.string().optional().describe('Text within the reason, for example `custom field`'),
    since: moment(now)
      .optional()
      .describe('Received at or after: `2026-03-01`, `2026-03-01T12:00Z`, or an age such as `2h` or `7d`'),
    until: moment(now).optional().describe('Received before, likewise'),
    id: z.string().transform(list).optional().describe('Ids, with commas between them'),
  });

const parts = filterSchema(0);
/** Names of the parts. */
export const filterParts = parts.keyof().options.map((name) => ({ name, about: parts.shape[name].description ?? '' }));

/** A filter, or every error in it. */
export type ReadFilter =
  | { readonly ok: true; readonly filter: SignupFilter }
  | { readonly ok: false; readonly errors: readonly string[] };

/**
 * @param parameters - texts by name; an empty text counts as absent
 * @param now - ages such as `2h` count back from it
 */
export function readFilter(parameters: Readonly<Record<string, string | undefined>>, now: number): ReadFilter {
  const result = filterSchema(now).safeParse(Object.fromEntries(Object.entries(parameters).filter(([, text]) => text)));
  if (result.success) {
    const { state, id, since, until, ...rest } = result.data;
    const moments = {
      ...(since !== undefined && { receivedFrom: since }),
      ...(until !== undefined && { receivedUntil: until }),
    };
    return { ok: true, filter: { ...rest, ...moments, ...(state && { states: state }), ...(id && { ids: id }) } };
  }
  const errors = result.error.issues.map((issue) =>
    issue.code === 'unrecognized_keys'
      ? `There is no filter "${issue.keys.join('", "')}"`
      : `"${String(issue.path[0])}" ${issue.message}`,
  );
  return { ok: false, errors };
}

/** Formats a filter as texts, for a query. Moments are exact. */
export function writeFilter({
  states,
  ids,
  receivedFrom,
  receivedUntil,
  ...rest
}: SignupFilter): Record<string, string> {
  const moment = (at: number | undefined) => at !== undefined && new Date(at).toISOString();
  const texts: Readonly<Record<string, string | false | undefined>> = {
    state: states?.join(','),
    id: ids?.join(','),
    since: moment(receivedFrom),
    until: moment(receivedUntil),
    ...rest,
  };
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => (text === undefined || text === false ? [] : [[name, text]])),
  );
}
