/** Sets an attribute for a while. */
import type { Undo } from './standing.ts';

/** Sets it; what is returned makes it what it was before. */
export function setAttribute(element: Element, name: string, value: string): Undo {
  const before = element.getAttribute(name);
  element.setAttribute(name, value);
  return () => (before === null ? element.removeAttribute(name) : element.setAttribute(name, before));
}
