/** The files of the operator's page, by name; `vite build page` writes them. */
declare module '#operator-page' {
  export const files: Readonly<Record<string, string>>;
}
