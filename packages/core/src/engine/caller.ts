/** Makes prepared calls: sends them, checks their answers, and tells what is not as the specification has it. */
import type { OperationId } from '../contract/index.ts';
import { isRecord } from '../is-record.ts';
import type { Head } from './api-promise.ts';
import { Call, type CallContext } from './call.ts';
import { unknownStatuses, type Deviation, type FieldDeviation } from './deviations.ts';
import { InvalidAnswerError, isOperationId, type CallName } from './errors.ts';
import { isListId, type CalledOperation, type Validator } from './options.ts';
import type { PreparedCall } from './prepare.ts';

/** What of a call is not as the specification has it. */
interface Deviations {
  readonly sent: readonly Deviation[];
  readonly found: readonly FieldDeviation[];
}

/** An answer, and the deviations that are to be told. */
export interface Answered extends Deviations {
  readonly data: unknown;
  readonly head: Head;
}

/** Makes the calls of an engine. */
export type Caller = ReturnType<typeof createCaller>;

/** @param validator - null where nothing is checked */
export function createCaller(context: CallContext, validator: Validator | null, tell: (deviation: Deviation) => void) {
  /** Sends a call and checks its answer; what deviates is not told yet. */
  async function answerOf(call: PreparedCall): Promise<Answered> {
    const { value: data, head } = await new Call(context, call).run();
    const { operation, deviations: sent } = call;
    if (!isOperationId(operation.id)) return { data, head, sent, found: [] };
    checkData(operation.id, operation, data, head);
    const invalid = validator?.answer(operation.id, data) ?? [];
    // Told with the word, for which the shapes have no room.
    const isOfPeople = operation.id.startsWith('subscriptions.') && isRecord(data);
    return { data, head, sent, found: [...(isOfPeople ? unknownStatuses(data['data']) : []), ...invalid] };
  }

  /** The head with the deviations of the call, which are told; of several about one field the first. */
  function tellAll(operation: CallName, head: Head, { sent, found }: Deviations): Head {
    if (sent.length + found.length === 0) return head;
    const first = new Map(found.toReversed().map((each) => [each.field, each]));
    const answered = found
      .filter((each) => first.get(each.field) === each)
      .map((each): Deviation => ({ operation, part: 'answer', records: 1, ...each }));
    const deviations = [...sent, ...answered];
    for (const each of deviations) tell(each);
    return { ...head, deviations };
  }

  return {
    answerOf,
    tellAll,
    /** A call from its preparation to its data. */
    async run(prepare: () => PreparedCall): Promise<{ readonly data: unknown; readonly head: Head }> {
      const call = prepare();
      const { data, head, ...deviations } = await answerOf(call);
      return { data, head: tellAll(call.operation.id, head, deviations) };
    },
  };
}

/** `data` alone ends a call: whatever else is odd is told, and given as it came. */
function checkData(id: OperationId, { content }: CalledOperation, value: unknown, { status }: Head): void {
  if (content !== 'data' || !isRecord(value) || !('data' in value)) return;
  const isWhole = isListId(id) ? Array.isArray(value['data']) : isRecord(value['data']);
  if (!isWhole) throw new InvalidAnswerError(id, status, [`"data" is not ${isListId(id) ? 'a list' : 'an object'}`]);
}
