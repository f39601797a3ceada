/** Counts down to a moment. */

/**
 * Calls back at every whole second that is left, and at the moment itself.
 *
 * @param until - in milliseconds since the epoch
 * @param tick - is given the seconds that are left: 0 once, at the end. It must not read the clock again, which may
 *   have reached the end meanwhile
 * @returns what stops it
 */
export function countDown(until: number, tick: (left: number) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (left: number): void => {
    if (left > 0) timer = setTimeout(onSecond, ((left - 1) % 1000) + 1);
  };
  const onSecond = (): void => {
    const left = Math.max(until - Date.now(), 0);
    tick(left / 1000);
    wait(left);
  };
  wait(until - Date.now());
  return () => clearTimeout(timer);
}
