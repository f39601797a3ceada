/** A file of the site as an answer: its type, its policy, and the endpoint in the place that is left for it. */

const types = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

export type FileType = keyof typeof types;

export function isFileType(extension: string): extension is FileType {
  return Object.hasOwn(types, extension);
}

/**
 * @param policy - the page's Content-Security-Policy
 * @param endpoint - stands in pages where they say `{{endpoint}}`
 */
export function fileResponse(text: string, type: FileType, policy: string, endpoint = ''): Response {
  return new Response(type === 'html' ? text.replaceAll('{{endpoint}}', escapeAttribute(endpoint)) : text, {
    headers: {
      'Content-Type': types[type],
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'strict-origin-when-cross-origin',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-cache',
    },
  });
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
