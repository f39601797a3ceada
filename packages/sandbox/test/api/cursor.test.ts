import fc from 'fast-check';
import { expect, test } from 'vitest';
import { create, fresh, list, noon } from '../caller.ts';

/** What may happen between two pages. */
const interlude = fc.record({
  inserts: fc.integer({ min: 0, max: 4 }),
  /** 0: in the same second as what is there. */
  seconds: fc.integer({ min: 0, max: 2 }),
  reuse: fc.boolean(),
});

test('cursors return every earlier subscription exactly once, in order, in both directions, while others subscribe', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('asc' as const, 'desc' as const),
      fc.integer({ min: 1, max: 7 }),
      fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 30 }),
      fc.infiniteStream(interlude),
      fc.boolean(),
      async (direction, limit, arrivals, interludes, filtered) => {
        const sandbox = fresh({ now: () => noon });
        let n = 0;
        const arrive = async (): Promise<string> =>
          (await create(sandbox, { email: `reader+${(n += 1)}@example.com`, double_opt_override: 'off' })).data.id;
        const there: string[] = [];
        for (const seconds of arrivals) {
          sandbox.clock.advance(seconds * 1000);
          there.push(await arrive());
        }
        const later: string[] = [];
        const met: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await list(sandbox, {
            direction,
            limit: String(limit),
            ...(filtered && { status: 'active', tier: 'free' }),
            ...(cursor && { cursor }),
          });
          expect(page.has_more).toBe(page.next_cursor !== null);
          met.push(...page.data.map((one) => one.id));
          // Without this a list that repeats would never end.
          expect(new Set(met).size).toBe(met.length);
          cursor = page.next_cursor ?? undefined;
          const [between] = interludes.take(1);
          if (!between || later.length > 20) continue;
          sandbox.clock.advance(between.seconds * 1000);
          if (between.reuse && n > 0) await create(sandbox, { email: 'READER+1@example.com' });
          for (let i = 0; i < between.inserts; i += 1) later.push(await arrive());
        } while (cursor !== undefined);

        // Those that came later stand behind everyone in ascending order and in front in descending order.
        const expected = direction === 'asc' ? [...there, ...later].slice(0, met.length) : there.toReversed();
        expect(met).toEqual(expected);
        expect(met.filter((id) => there.includes(id))).toHaveLength(there.length);
        sandbox.close();
      },
    ),
    { numRuns: 100 },
  );
});
