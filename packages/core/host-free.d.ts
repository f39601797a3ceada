/**
 * The globals that host-free code may use beside the language itself: Node 20, browsers and Workers have them all.
 * A newer member, such as `URL.parse` of Node 22, is a type error; one that all have is added here when it is needed.
 */
interface URL {
  readonly hash: string;
  readonly host: string;
  readonly hostname: string;
  readonly href: string;
  readonly origin: string;
  readonly password: string;
  readonly pathname: string;
  readonly port: string;
  readonly protocol: string;
  readonly search: string;
  readonly searchParams: URLSearchParams;
  readonly username: string;
}
declare const URL: {
  new (url: string, base?: string): URL;
  canParse(url: string, base?: string): boolean;
};

interface URLSearchParams extends Iterable<[string, string]> {
  get(name: string): string | null;
  toString(): string;
}
declare const URLSearchParams: {
  new (init?: string | Record<string, string>): URLSearchParams;
};

interface TextEncoder {
  encode(text: string): Uint8Array;
}
declare const TextEncoder: { new (): TextEncoder };

interface TextDecoder {
  decode(bytes: Uint8Array): string;
}
declare const TextDecoder: { new (label: string, options: { readonly fatal: boolean }): TextDecoder };

interface FormData extends Iterable<[string, string | { readonly size: number }]> {}
declare const Response: {
  new (body: Uint8Array, init: { readonly headers: Record<string, string> }): { formData(): Promise<FormData> };
};
