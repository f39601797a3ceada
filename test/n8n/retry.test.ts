/**
 * The operations that change something under *On Error* and *Retry On Fail*, in n8n: each item is carried out once, and
 * says what the service has. test/nodes/retry.test.ts runs the same rows under every setting.
 */
import { describe, expect } from 'vitest';
import { changes, type Subject, type Writing, writings } from '../nodes/retryRows.ts';
import { test, underTest } from './harness/test.ts';

/** A setting of n8n, and what goes wrong under it. */
interface Cell {
  readonly onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
  /** A wrong item, or one request that the service refuses. */
  readonly wrong: 'first item' | 'last item' | 'one request';
}

const cells: readonly Cell[] = [
  { onError: 'stopWorkflow', wrong: 'one request' },
  { onError: 'stopWorkflow', wrong: 'last item' },
  { onError: 'continueRegularOutput', wrong: 'first item' },
  { onError: 'continueErrorOutput', wrong: 'first item' },
];
const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const isLocator = (value: unknown): value is { mode: string; value: unknown } =>
  typeof value === 'object' && value !== null && 'mode' in value;

/** The parameters and the input items; what differs between the items is an expression that reads the item. */
function inputOf({ broken }: Writing, subjects: readonly Subject[], wrong: number) {
  const rows = subjects.map(({ parameters }, index) => ({ ...parameters, ...(index === wrong && broken) }));
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const parameters: Record<string, unknown> = {};
  const read = new Set<string>();
  for (const name of names) {
    const [first, ...others] = rows.map((row) => row[name as keyof typeof row] as unknown);
    const expression = `={{ $json.${name} }}`;
    const isSame = others.every((other) => JSON.stringify(other) === JSON.stringify(first));
    if (!isSame) read.add(name);
    if (isLocator(first)) parameters[name] = { __rl: true, mode: first.mode, value: isSame ? first.value : expression };
    else parameters[name] = isSame ? first : expression;
  }
  const items = rows.map((row, index) => ({
    row: index,
    ...Object.fromEntries(
      Object.entries(row)
        .filter(([name]) => read.has(name))
        .map(([name, value]) => [name, isLocator(value) ? value.value : value]),
    ),
  }));
  return { parameters, items };
}

describe.each(writings)('$resource $operation of $what', (row) => {
  test.for(cells)(
    'On Error $onError, Retry On Fail, wrong: $wrong',
    async ({ onError, wrong }, { sandboxOnPort: sandbox, api, runNode }) => {
      const subjects = await row.subjects(api);
      const wrongIndex = { 'first item': 0, 'last item': subjects.length - 1, 'one request': -1 }[wrong];
      const since = sandbox.requests().at(-1)?.n ?? 0;
      if (wrong === 'one request')
        sandbox.faults.add({ match: row.writes, effect: { status: 403 }, nth: row.together ? 1 : subjects.length });
      const { resource, operation } = row;
      const { parameters, items } = inputOf(row, subjects, wrongIndex);
      const run = await runNode({
        parameters: { resource, operation, ...parameters },
        items,
        settings: { ...settings, onError },
      });

      const isReported = row.reportsWrongItems === true && onError !== 'continueErrorOutput';
      const stops = onError === 'stopWorkflow' && wrongIndex >= 0 && !isReported;
      const changed = subjects.map((subject) => changes(sandbox, row, subject, since));
      if (stops) {
        expect(run.error?.message).toMatch(/\S/);
        expect(run.error?.message).not.toMatch(/already|exists/);
        for (const [index, times] of changed.entries()) expect(times).toBeLessThanOrEqual(index === wrongIndex ? 0 : 1);
        return;
      }
      expect(run.error).toBeUndefined();
      expect(changed).toEqual(subjects.map((_, index) => (index === wrongIndex ? 0 : 1)));
      const right = subjects
        .filter((_, index) => index !== wrongIndex)
        .map(({ says }) => expect.objectContaining(says));
      const failed = isReported ? { import_status: 'rejected' } : { error: expect.stringMatching(/\S/) };
      const all = subjects.map(({ says }, index) => expect.objectContaining(index === wrongIndex ? failed : says));
      expect(run.output(underTest)).toEqual(onError === 'continueErrorOutput' ? right : all);
      if (onError === 'continueErrorOutput')
        expect(run.errors(underTest)).toEqual([expect.objectContaining({ row: wrongIndex, ...failed })]);
      expect(run.hints(underTest).join()).not.toMatch(/did not apply(?!.*existed already)/);
    },
  );
});
