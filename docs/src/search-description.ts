/** Lets the search read the description of each page; Pagefind takes it from the head of the page. */

/** Of the page that Starlight renders, what is used here. */
interface Rendered {
  readonly starlightRoute: {
    readonly entry: { readonly data: { readonly description?: string } };
    readonly head: { readonly tag: 'meta'; readonly attrs: Readonly<Record<string, string>> }[];
  };
}

/** Starlight calls this for each page. */
export function onRequest({ locals }: { readonly locals: Rendered }): void {
  const { entry, head } = locals.starlightRoute;
  const { description: content } = entry.data;
  if (content !== undefined)
    head.push({ tag: 'meta', attrs: { name: 'summary', content, 'data-pagefind-meta': 'summary[content]' } });
}
