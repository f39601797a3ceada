/** Tells a recording when a request does its work: requests that arrive together may do it in another order. */

const listeners = new WeakMap<Request, (time: number) => void>();

/** Calls `listener` with the sandbox's time, in milliseconds, at which the request is handled. */
export const onHandled = (request: Request, listener: (time: number) => void): void =>
  void listeners.set(request, listener);

export const handled = (request: Request, time: number): void => listeners.get(request)?.(time);
