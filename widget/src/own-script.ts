/** The script element our script stands in, as long as it runs for the first time: modules do not know theirs. */
const { currentScript } = document;

/** An element that calls itself `currentScript` is none. */
export const ownScript = currentScript instanceof HTMLScriptElement ? currentScript : undefined;
