/** Paths of fields, as messages write them. */

/** `custom_fields[2].name`. */
export const fieldPath = (keys: readonly PropertyKey[]): string =>
  keys.reduce<string>((path, key) => {
    const name = String(key);
    return path + (typeof key === 'number' ? `[${name}]` : path && `.${name}`) || name;
  }, '');

/** The same with any position of a list: `custom_fields[].name`. */
export const fieldOf = (keys: readonly PropertyKey[]): string => fieldPath(keys).replaceAll(/\[\d+\]/g, '[]');
