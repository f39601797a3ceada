/** The memory that V8 has for new objects, which it enlarges where it is short, and keeps. */
import { setFlagsFromString } from 'node:v8';

/** How many times as much it takes each time. V8 reads this whenever it enlarges; the limit only at its start. */
const growBy = (factor: number): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`);

/** While the program is loaded, which leaves garbage alone: an idle relay would keep 20 MB for it. */
export const keepSmall = (): void => growBy(1);

/** V8's default. */
export const letGrow = (): void => growBy(2);
