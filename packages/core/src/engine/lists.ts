/** Reads lists, page by page. */
import { operation as operationById } from '../contract/index.ts';
import { pageLimit } from '../contract/values.ts';
import { isRecord } from '../is-record.ts';
import { tellAll, type Answered } from './answer.ts';
import { Call, type CallContext } from './call.ts';
import { readRecords, type Deviation } from './deviations.ts';
import { BadRequestError, InvalidAnswerError, type CallName } from './errors.ts';
import type { CallOptions, ListId } from './options.ts';
import { noFurtherPage, Page, readPage, startTrail, takenAsWhole, type Trail } from './pages.ts';
import { prepareCall, withRequest, type ArgumentValues, type PreparedCall } from './prepare.ts';

/** Reads the first page of a list, which leads to the others. */
export function createListReader(context: CallContext) {
  /** The page sizes that the service takes where they are smaller than those of the specification. */
  const pageSizes = new Map<CallName, number>();
  /** The largest page size that the service took: a refusal of it is about something else. */
  const taken = new Map<CallName, number>();

  const withQuery = (call: PreparedCall, query: PreparedCall['parts']['query']): PreparedCall =>
    withRequest(context, { ...call, parts: { ...call.parts, query } }, call.request.body);

  async function pageOf(call: PreparedCall, trail: Trail): Promise<Page<unknown>> {
    const { operation, parts, options } = call;
    const { data, head: received, sent, found } = await answerOf(call, trail);
    const answer = data as { readonly data: readonly unknown[] };
    const read = readPage(answer, trail, { ...operation, limit: parts.query['limit'] });
    const usable = readRecords(read.repeats ? [] : answer.data, options.reader ?? 'client', latestOf(received));
    const all = { head: received, sent, found: [...usable.deviations, ...read.deviations, ...found] };
    const head = tellAll(operation.id, all, context.tell);
    const failed = (problem: string) => new InvalidAnswerError(operation.id, head.status, [problem]);
    if (read.repeats && read.problem !== null) throw failed(read.problem);
    const details = { ...read, head, continuation: read.next?.at ?? null, leftOut: usable.leftOut };
    return new Page<unknown>(usable.items, details, () => {
      if (read.problem !== null) return Promise.reject(failed(read.problem));
      if (read.next === null) return null;
      const { cursor: _cursor, page: _page, ...rest } = parts.query;
      const next = withQuery({ ...call, deviations: [] }, { ...rest, ...read.next.at });
      return pageOf(next, read.next);
    });
  }

  /**
   * Calls for a page. A page size that the service refuses is left out, and the size of its answer is the largest that
   * is asked for from then on.
   */
  async function answerOf(call: PreparedCall, trail: Trail): Promise<Answered> {
    const { operation, parts } = call;
    const { id } = operation;
    const { limit } = parts.query;
    const largest = pageSizes.get(id);
    const size = largest === undefined || limit === undefined ? limit : Math.min(Number(limit), largest);
    const sized = size === limit ? call : withQuery(call, { ...parts.query, limit: size });
    try {
      const answered = await new Call(context, sized).run();
      taken.set(id, Math.max(Number(size ?? 0), taken.get(id) ?? 0));
      return answered;
    } catch (error) {
      if (!(error instanceof BadRequestError)) throw error;
      // The page was asked for to see whether there is one.
      if (trail.statedBy === 'limit')
        throw new InvalidAnswerError(id, error.status, [noFurtherPage(trail.statedBy)], error);
      if (trail.statedBy === null) {
        const head = { status: operation.success, headers: {} };
        return { data: { data: [] }, head, sent: [], found: [takenAsWhole] };
      }
      if (Number(size ?? 0) <= Math.max(pageLimit.default, taken.get(id) ?? 0)) throw error;
      const { limit: _limit, ...rest } = parts.query;
      const answered = await new Call(context, withQuery(call, rest)).run().catch(() => {
        throw error; // it is about something else
      });
      const allowed = pageSizeOf(answered.data) ?? pageLimit.default;
      pageSizes.set(id, allowed);
      const problem = `pages of so many records are refused; asked for at most ${allowed} from now on`;
      const told: Deviation = { operation: id, part: 'request', field: 'limit', problem, records: 1 };
      return { ...answered, sent: [...answered.sent, told] };
    }
  }

  /** @param isRead - whether its other pages are read as well: then they are as large as the service allows */
  return async (id: ListId, args: ArgumentValues, options: CallOptions, isRead: boolean): Promise<Page<unknown>> => {
    const call = prepareCall(context, id, isRead ? withLargestPages(id, args) : args, options);
    const { cursor, page } = call.parts.query;
    return pageOf(call, startTrail(typeof cursor === 'string' ? { cursor } : { page: Number(page ?? 1) }));
  };
}

/** The page size of an answer: as it says, or else the number of its records. */
function pageSizeOf(data: unknown): number | undefined {
  const { limit, data: records } = isRecord(data) ? data : {};
  const size = Number.isSafeInteger(limit) ? Number(limit) : Array.isArray(records) ? records.length : 0;
  return size > 0 ? size : undefined;
}

/** No record is of a later time than a day after the service's own `Date`. */
function latestOf({ headers }: Pick<Answered['head'], 'headers'>): number | undefined {
  const answered = Date.parse(headers['date'] ?? '');
  return Number.isNaN(answered) ? undefined : answered + 86_400_000;
}

/** Adds the largest page size, unless a size is given, or a page number, which counts pages of the default size. */
function withLargestPages(id: ListId, args: ArgumentValues): ArgumentValues {
  const names: readonly string[] = operationById(id).query;
  if (!names.includes('limit') || args['page'] !== undefined) return args;
  return { ...args, limit: args['limit'] ?? pageLimit.max };
}
