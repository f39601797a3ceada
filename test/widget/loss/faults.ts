/**
 * A fault in a page: the n-th call of a built-in function after the submit event was cancelled throws. Every function
 * and accessor that pages have is wrapped, so that none has to be listed.
 */

/** The state of the fault, as `globalThis.faults` in the page. */
export interface Faults {
  /** Whether calls are counted. */
  isArmed: boolean;
  /** Calls so far. */
  count: number;
  /** The function that threw. */
  name: string;
  /** The first call at each place in the source; only if none throws. */
  readonly places: Record<string, number>;
}

/**
 * JavaScript that installs the fault, before the scripts of the page.
 *
 * @param at - an expression: the call that throws; 0 for none
 */
export const faultCode = (at: string): string => `(${install.toString()})(${at});`;

/** Runs in the page, and uses only what it has saved before it wraps anything. */
function install(at: number): void {
  const { apply, construct, getOwnPropertyDescriptor, defineProperty, ownKeys } = Reflect;
  const faults: Faults = { isArmed: false, count: 0, name: '', places: {} };
  defineProperty(globalThis, 'faults', { value: faults });
  const { split } = String.prototype;
  const ErrorClass = Error;

  function call(name: string): void {
    if (!faults.isArmed) return;
    faults.count += 1;
    if (at === 0) {
      faults.isArmed = false;
      const [, , , place = ''] = apply(split, new ErrorClass().stack, ['\n']) as string[];
      faults.places[place] ??= faults.count;
      faults.isArmed = true;
    }
    if (faults.count !== at) return;
    faults.name = name;
    throw new ErrorClass(`a fault in ${name}`);
  }

  // A proxy keeps the properties of the function, such as its prototype.
  const wrap = (original: object, name: string): unknown =>
    new Proxy(original as () => unknown, {
      apply(target, receiver, values) {
        call(name);
        return apply(target, receiver, values);
      },
      construct(target, values, newTarget) {
        call(`new ${name}`);
        return construct(target, values, newTarget) as object;
      },
    });

  const isFunction = (value: unknown): value is object => typeof value === 'function';

  function wrapMembers(owner: object, path: string): void {
    for (const key of ownKeys(owner)) {
      const descriptor = getOwnPropertyDescriptor(owner, key);
      if (!descriptor?.configurable || key === 'constructor') continue;
      for (const part of ['value', 'get', 'set'] as const) {
        const original: unknown = descriptor[part];
        if (isFunction(original)) descriptor[part] = wrap(original, `${path}.${String(key)}`);
      }
      defineProperty(owner, key, descriptor);
    }
  }

  const globals: [name: string, value: unknown][] = [];
  for (const key of ownKeys(globalThis))
    if (typeof key === 'string') globals.push([key, getOwnPropertyDescriptor(globalThis, key)?.value]);
  const classes = globals.filter(([name, value]) => /^[A-Z]/.test(name) && isFunction(value)) as [string, object][];
  const functions = globals.filter(([name, value]) => /^[a-z]/.test(name) && isFunction(value)) as [string, object][];

  // What the proxies themselves use stays as it is.
  for (const [name, value] of classes) {
    const prototype: unknown = Reflect.get(value, 'prototype');
    if (prototype instanceof Object && name !== 'Function') wrapMembers(prototype, name);
    wrapMembers(value, name);
  }
  for (const name of ['JSON', 'Math', 'Intl', 'Reflect']) wrapMembers(Reflect.get(globalThis, name) as object, name);
  for (const [name, value] of [...classes, ...functions])
    if (!['Object', 'Function', 'Promise', 'Error', 'Symbol', 'Proxy'].includes(name))
      defineProperty(globalThis, name, { value: wrap(value, name), configurable: true, writable: true });

  // The next statement of the listener is the first that can fail.
  const { preventDefault } = Event.prototype;
  Event.prototype.preventDefault = function (): void {
    apply(preventDefault, this, []);
    if (this.type === 'submit') faults.isArmed = true;
  };
}
