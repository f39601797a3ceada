/** Adds a style sheet to an element, once; adoption by another document drops it. */
export function addSheet({ shadowRoot }: Element, sheet: CSSStyleSheet): void {
  // Before Chromium 99 the list is frozen.
  if (shadowRoot && !shadowRoot.adoptedStyleSheets.includes(sheet))
    shadowRoot.adoptedStyleSheets = [...shadowRoot.adoptedStyleSheets, sheet];
}
