/** Writes data as code in which an object that occurs more than once is a constant, so that bundles hold it once. */

export interface SharedCode {
  /** The declarations of the constants. */
  readonly constants: string;
  /** The code of one of the values. */
  readonly code: (value: object) => string;
}

export function shareRepeated(values: readonly object[]): SharedCode {
  const names = new Map<string, string>();
  // An object is longer than what it holds, which is declared first.
  for (const [json, key] of [...findRepeated(values)].sort(([a], [b]) => a.length - b.length)) {
    const isTaken = [...names.values()].includes(key);
    names.set(json, isTaken ? `${key}${names.size}` : key);
  }
  const code = (value: object): string =>
    JSON.stringify(value, (_key, each: unknown) => {
      const name = each === value ? undefined : names.get(JSON.stringify(each));
      return name === undefined ? each : `constant ${name}`;
    }).replaceAll(/"constant (\w+)"/g, '$1');
  const constants = [...names].map(([json, name]) => `const ${name} = ${code(JSON.parse(json) as object)} as const;\n`);
  return { constants: constants.join('\n'), code };
}

/** The JSON of each object that occurs more than once, with a name: the key under which it stands. */
function findRepeated(values: readonly object[]): ReadonlyMap<string, string> {
  const seen = new Set<string>();
  const repeated = new Map<string, string>();
  const visit = (key: string, value: unknown): void => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const json = JSON.stringify(value);
    if (seen.has(json)) return void repeated.set(json, identifier(key));
    seen.add(json);
    for (const [name, each] of Object.entries(value)) visit(name, each);
  };
  for (const value of values) for (const [name, each] of Object.entries(value)) visit(name, each);
  return repeated;
}

/** `customFields.update` as `customFieldsUpdate`. */
const identifier = (key: string): string => key.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());
