/** Finds out whether a quota has grown. */

/** Full windows until a probe whether the quota has grown; three times as many after each probe in vain. */
const probeAfter = { first: 2, factor: 3, most: 12 };

/** When it is time to ask for more than is known to be there. */
export function probing() {
  let interval = probeAfter.first;
  let full = 0;
  return {
    get due() {
      return full >= interval;
    },
    /** A window was used up without a 429. */
    clean() {
      full += 1;
    },
    /** A 429. @param gain - what there was, against what was expected; above 1 the probe was worth it */
    refused(gain: number) {
      const inVain = gain <= 1.03;
      if (full >= interval && inVain) interval = Math.min(probeAfter.most, interval * probeAfter.factor);
      else if (!inVain || gain < 0.9) interval = probeAfter.first;
      full = 0;
    },
  };
}
