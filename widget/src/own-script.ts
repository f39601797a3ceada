/**
 * The script element our script stands in, as long as it runs for the first time: modules do not know theirs. An
 * element that calls itself `currentScript` may stand in its place.
 */
export const { currentScript } = document;
