/** The bytes that each form's script tag brings, and what our package adds to a bundle that has Lit. */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { measure } from '../../../widget/scripts/size.ts';
import { reportFigures } from '../figure.ts';
import { codeOf, ours, peers } from './peers.ts';

const sizes: string[] = [];
const compressed = new Map<string, number>();
for (const peer of peers) {
  const code = await codeOf(peer);
  const [min, gzip, brotli] = [code.length, gzipSync(code, { level: 9 }).length, brotliCompressSync(code).length].map(
    (bytes) => bytes.toLocaleString('en'),
  );
  compressed.set(peer.name, brotliCompressSync(code).length);
  sizes.push(`${peer.name} ${min} / ${gzip} / ${brotli}`);
}

const own = compressed.get(ours.name) ?? Number.NaN;
const sending = await measure('dist/signup.js');
const ratiosOf = (bytes: number): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...compressed].filter(([name]) => name !== ours.name).map(([name, theirs]) => [name, bytes / theirs]),
  );
reportFigures({
  script: {
    value: own,
    ratios: ratiosOf(own),
    detail: `minified / gzip / brotli: ${sizes.join(' · ')} (the loader alone)`,
  },
  signup: {
    value: own + sending,
    ratios: ratiosOf(own + sending),
    detail: `ours in two requests: the script, and ${sending} B once the focus enters the form. Ghost’s script also sends; Typeform’s is the loader alone, and its form a page of its own`,
  },
  npm: {
    value: await measure('dist/index.js'),
    detail: `what is loaded to show a form beside Lit; ${sending} B more to send it`,
  },
});
