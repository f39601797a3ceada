/** Measures the heap after garbage collection. */
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** @returns the heap in use, in MB */
export function heapInUse(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1e6;
}
