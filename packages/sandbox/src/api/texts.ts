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
