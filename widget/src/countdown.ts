/** Counts down to a moment. */

/**
 * Calls back at every whole second that is left, and at the moment itself.
 *
 * @param until - in milliseconds since the epoch
 * @returns what stops it
 */
export function countDown(until: number, tick: (isOver: boolean) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (): void => {
    const left = until - Date.now();
    if (left > 0) timer = setTimeout(onSecond, ((left - 1) % 1000) + 1);
  };
  const onSecond = (): void => {
    tick(Date.now() >= until);
    wait();
  };
  wait();
  return () => clearTimeout(timer);
}
