/** The functions of a TypeScript file, and the names and texts in each. */
import { parseSync } from 'vite';

export interface SourceFile extends Contents {
  readonly functions: readonly DeclaredFunction[];
}

/** A function, a method or a class. */
export interface DeclaredFunction extends Contents {
  /** The names around it and its own, joined by dots, such as `Lane.#startDue` or `createPacer.turn`. */
  readonly name: string;
}

/** What stands in a part of the code, comments aside. */
interface Contents {
  /** Names, without `#`. */
  readonly names: ReadonlySet<string>;
  /** The words of its strings in lower case, such as the types of events. */
  readonly words: ReadonlySet<string>;
}

type Node = Readonly<Record<string, unknown>>;

/** @throws Error for a file that is no TypeScript */
export function readSource(path: string, source: string): SourceFile {
  const { program, errors } = parseSync(path, source);
  const [error] = errors;
  if (error) throw new Error(`${path}: ${error.message}`);
  const functions: DeclaredFunction[] = [];
  return { functions, ...read(program, [], functions) };
}

/** Reads a node, and adds the functions in it to the list. */
function read(node: unknown, around: readonly string[], functions: DeclaredFunction[]): Contents {
  const names = new Set<string>();
  const words = new Set<string>();
  if (isNode(node)) {
    if (String(node['type']).endsWith('Identifier')) names.add(String(node['name']));
    for (const word of textOf(node)
      .toLowerCase()
      .split(/[^\w-]+/))
      words.add(word);
  }
  const name = isNode(node) ? declaredName(node) : undefined;
  const inside = name === undefined ? around : [...around, name];
  for (const child of Object.values(node ?? {})) {
    if (typeof child !== 'object') continue;
    const found = read(child, inside, functions);
    for (const each of found.names) names.add(each);
    for (const each of found.words) words.add(each);
  }
  if (isNode(node) && name !== undefined && isFunction(node)) functions.push({ name: inside.join('.'), names, words });
  return { names, words };
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

function textOf({ type, value }: Node): string {
  if (type === 'TemplateElement') return (value as { readonly raw: string }).raw;
  return type === 'Literal' && typeof value === 'string' ? value : '';
}

/** The name that a declaration gives to what is in it. */
function declaredName({ type, id, key }: Node): string | undefined {
  if (!/^(?:FunctionDeclaration|ClassDeclaration|VariableDeclarator|.*Definition|Property)$/.test(String(type)))
    return undefined;
  const name = id ?? key;
  if (!isNode(name) || !String(name['type']).endsWith('Identifier')) return undefined;
  return `${name['type'] === 'PrivateIdentifier' ? '#' : ''}${String(name['name'])}`;
}

function isFunction({ type, init, value }: Node): boolean {
  const held = init ?? value;
  return /^(?:Function|Class)/.test(String(type)) || (isNode(held) && /Function/.test(String(held['type'])));
}

/**
 * The function of this name. Names between the first and the last may be left out: `createPacer.turn`.
 *
 * @param name - as in {@link DeclaredFunction}
 */
export function findFunction({ functions }: SourceFile, name: string): DeclaredFunction | undefined {
  return functions.find((each) => each.name === name) ?? functions.find((each) => isShortFor(name, each.name));
}

function isShortFor(name: string, whole: string): boolean {
  const left = name.split('.');
  const parts = whole.split('.');
  if (parts.at(-1) !== left.at(-1)) return false;
  for (const part of parts) if (part === left[0]) left.shift();
  return left.length === 0;
}

/** What stands in a function and in the functions of its file that it names, and so on. */
export function reachedFrom({ functions }: SourceFile, start: DeclaredFunction): Contents {
  const reached = new Set([start]);
  // A set visits what is added meanwhile.
  for (const { names } of reached) for (const each of functions) if (names.has(lastName(each.name))) reached.add(each);
  return {
    names: new Set([...reached].flatMap(({ names }) => [...names])),
    words: new Set([...reached].flatMap(({ words }) => [...words])),
  };
}

/** The last of the names that dots join, without `#`. */
export function lastName(name: string): string {
  return (name.split('.').at(-1) ?? name).replace('#', '');
}
