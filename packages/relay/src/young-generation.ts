/**
 * Keeps what V8 sets aside for new objects small while the relay loads. Loading would let it grow tenfold, for objects
 * that are gone a moment later, and V8 does not give that memory back: 12 MB of an idle relay.
 */
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--semi-space-growth-factor=1');

/** From now on it grows as V8 sees fit: under load its size is speed. */
export function letYoungGenerationGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
