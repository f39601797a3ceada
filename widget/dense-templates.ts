/** What the builds do to the templates in our sources, and the base of the one-file script counts on. */

/**
 * Takes the indentation out of templates; minifiers leave strings alone. Only runs of a line break and spaces are
 * touched, which in our own files stand nowhere but between tags, attributes and CSS declarations.
 *
 * @param code - a source of ours
 */
export function withDenseTemplates(code: string): string {
  return (
    code
      .replace(/css`[^`]*`/g, (sheet) =>
        sheet
          .replace(/\/\*.*?\*\//g, '')
          .replace(/\s*([{};+!`>])\s*/g, '$1')
          .replace(/([:,])\s+/g, '$1')
          .replace(/;}/g, '}')
          .replace(/\b0\./g, '.'),
      )
      // Between tags it goes, between attributes a space is left of it. Lines of code begin with none of what follows
      // here.
      .replace(/(?<=[>}])\n +(?=<|\$\{)|(?<=\/>) (?=<)/g, '')
      .replace(/\n +(?=\??[a-z-]+=|\/>)/g, ' ')
      .replace(/(?<=[}"]) \/>/g, '>')
  );
}
