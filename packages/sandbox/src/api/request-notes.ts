/**
 * Notes about a request that other modules read: the text of its body, the text of its answer, and when it was
 * handled.
 */
/**
 * The texts of requests that were read and of answers that were made, for the request log: it neither reads a request
 * a second time nor copies an answer.
 */
const texts = new WeakMap<Request | Response, string>();

/** Notes the text of a body. */
export function noteText<Message extends Request | Response>(message: Message, text: string): Message {
  texts.set(message, text);
  return message;
}

export const notedText = (message: Request | Response): string | undefined => texts.get(message);

const handledListeners = new WeakMap<Request, (time: number) => void>();

/** Calls `listener` with the sandbox's time, in milliseconds, at which the request is handled. */
export const onHandled = (request: Request, listener: (time: number) => void): void =>
  void handledListeners.set(request, listener);

export const handled = (request: Request, time: number): void => handledListeners.get(request)?.(time);
