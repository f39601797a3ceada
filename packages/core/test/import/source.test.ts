/** The source of an import: lists, streams and iterables of rows. */
import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { numbered, pull } from '../../src/import/source.ts';

describe('a source', () => {
  it('numbers rows by their position unless they have a number', () => {
    const own = { row: 40, subscription: {} };
    expect(numbered(own, 2)).toBe(own);
    const broken = { row: 41, problem: 'no' };
    expect(numbered(broken, 2)).toBe(broken);
    for (const value of [
      'text',
      null,
      { email: 'a@b.c' },
      { row: 1.5, subscription: {} },
      { row: 40 },
      { subscription: {} },
    ])
      expect(numbered(value, 2)).toEqual({ row: 2, subscription: value });
  });

  it('is read no further after its signal, and closed', async () => {
    const stop = new AbortController();
    let closed = 0;
    const source = {
      [Symbol.iterator]: () => ({
        next: () => ({ done: false, value: 1 }) as const,
        return: () => {
          closed += 1;
          return { done: true, value: undefined } as const;
        },
      }),
    };
    const rows = pull<number>(source, stop.signal);
    expect(await rows.next()).toEqual({ done: false, value: 1 });
    stop.abort();
    expect(rows.next()).toBeUndefined();
    await rows.close();
    expect(closed).toBe(1);
  });

  it('without a way to close it is closed by reading no further', async () => {
    const rows = pull<number>([1, 2], undefined);
    expect(await rows.next()).toEqual({ done: false, value: 1 });
    await expect(rows.close()).resolves.toBeUndefined();
  });

  it('leaves no listener at the signal after each row, also after one that failed', async () => {
    const { signal } = new AbortController();
    async function* torn(): AsyncGenerator<number> {
      yield 1;
      throw new Error('row 2 is torn');
    }
    const rows = pull<number>(torn(), signal);
    await rows.next();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    await expect(rows.next()).rejects.toThrow('row 2 is torn');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('may fail while it is read and while it is closed', async () => {
    const stop = new AbortController();
    const failing = (next: () => Promise<IteratorResult<number>>): AsyncIterable<number> => ({
      [Symbol.asyncIterator]: () => ({ next, return: () => Promise.reject(new Error('not closed')) }),
    });
    const open = pull(
      failing(async () => ({ done: false, value: 1 })),
      stop.signal,
    );
    expect(await open.next()).toEqual({ done: false, value: 1 });
    await expect(open.close()).rejects.toThrow('not closed');
    const torn = pull(
      failing(() => Promise.reject(new Error('row 1 is torn'))),
      stop.signal,
    );
    await expect(torn.next()).rejects.toThrow('row 1 is torn');
  });

  it('that hangs is left at the signal, and closing does not wait for it', async () => {
    const stop = new AbortController();
    let fail: ((error: Error) => void) | undefined;
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<IteratorResult<number>>(() => undefined),
        return: () => new Promise<IteratorResult<number>>((_resolve, reject) => (fail = reject)),
      }),
    };
    const rows = pull<number>(source, stop.signal);
    const next = rows.next();
    stop.abort();
    expect(await next).toBeUndefined();
    await rows.close();
    // What becomes of the source after that is no error of the import.
    const unhandled = vi.fn<() => void>();
    process.once('unhandledRejection', unhandled);
    fail?.(new Error('not closed'));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
