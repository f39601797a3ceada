/** Writes tables as code in which an object that occurs more than once is a constant, so that bundles hold it once. */

/** A constant to export. */
export interface Table {
  readonly name: string;
  readonly doc: string;
  /** What stands behind the value, such as `as const`. */
  readonly type: string;
  readonly value: object;
}

export function writeShared(tables: readonly Table[]): string {
  const repeated = findRepeated(tables.map(({ value }) => value));
  const names = new Map<string, string>();
  const taken = new Set(tables.map(({ name }) => name));
  const constants: string[] = [];

  const write = (key: string, value: unknown): string => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
    const json = JSON.stringify(value);
    const known = names.get(json);
    if (known !== undefined) return known;
    const text = members(value);
    if (!repeated.has(json)) return text;
    const name = identifier(key, taken);
    names.set(json, name);
    constants.push(`const ${name} = ${text} as const;\n`);
    return name;
  };
  const members = (value: object): string => {
    const written = Object.entries(value).map(([key, each]) => {
      const text = write(key, each);
      return text === key ? key : `${JSON.stringify(key)}: ${text}`;
    });
    return `{ ${written.join(', ')} }`;
  };

  const exported = tables.map(
    ({ name, doc, type, value }) => `/** ${doc} */\nexport const ${name} = ${members(value)} ${type};\n`,
  );
  return [...constants, ...exported].join('\n');
}

/** JSON of each object that occurs more than once; what stands in one of these counts once. */
function findRepeated(tables: readonly object[]): ReadonlySet<string> {
  const [seen, repeated] = [new Set<string>(), new Set<string>()];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const json = JSON.stringify(value);
    if (seen.has(json)) return void repeated.add(json);
    seen.add(json);
    Object.values(value).forEach(visit);
  };
  for (const table of tables) Object.values(table).forEach(visit);
  return repeated;
}

/** `customFields.update` as `customFieldsUpdate`; a second one as `customFieldsUpdate2`. */
function identifier(key: string, taken: Set<string>): string {
  const base = key.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());
  let name = base;
  for (let number = 2; taken.has(name); number++) name = `${base}${number}`;
  taken.add(name);
  return name;
}
