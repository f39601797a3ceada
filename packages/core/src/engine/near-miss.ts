/** Tells a misspelt name from one that is not known: a misspelt one would do nothing, or the wrong thing. */

/** The known name that is probably meant, or undefined where the name is far from all of them. */
export function nearMiss(name: string, known: readonly string[]): string | undefined {
  const wanted = plain(name);
  const allowed = wanted.length < 6 ? 1 : 2;
  let best: string | undefined;
  let least = allowed + 1;
  for (const each of known) {
    const distance = Math.abs(each.length - name.length) > 8 ? least : edits(wanted, plain(each));
    if (distance < least) [best, least] = [each, distance];
  }
  return best;
}

/** A problem of a request, without a period: `"…" is not known here; did you mean "…"?` */
export function misspelt(path: string, meant: string, as: keyof typeof unknownTexts = 'name'): string {
  return `${as === 'name' ? `"${path}"` : `the value of "${path}"`} is not known here; did you mean "${meant}"?`;
}

/** What is told of a name, or of a value, that is sent although it is not known. */
export const unknownTexts = {
  name: 'is not in the specification; sent as it is',
  value: 'holds a value that the specification does not show; sent as it is',
} as const;

/** Without what names are often written differently in. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Letters to add, remove, replace or swap with their neighbour to make one text of the other. */
function edits(a: string, b: string): number {
  let [before, row] = [[] as number[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
