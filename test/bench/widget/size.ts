/** The bytes that each form's script tag brings, and what our package adds to a bundle that has Lit. */
import { readFile } from 'node:fs/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { tell } from '../figure.ts';
import { codeOf, ours, peers } from './peers.ts';

const told: string[] = [];
for (const peer of peers) {
  const code = await codeOf(peer);
  const [min, gzip, brotli] = [code.length, gzipSync(code, { level: 9 }).length, brotliCompressSync(code).length].map(
    (bytes) => bytes.toLocaleString('en'),
  );
  told.push(`${peer.name} ${min} / ${gzip} / ${brotli}`);
}

/** Counted by the widget's own script, whose record the tests compare with the built files to the byte. */
const { npm } = JSON.parse(await readFile(new URL('../../../widget/size.json', import.meta.url), 'utf8')) as {
  npm: { bytes: number; brotli: number };
};

tell({
  script: {
    value: brotliCompressSync(await codeOf(ours)).length,
    detail: `minified / gzip / brotli: ${told.join(' · ')} (the loader alone)`,
  },
  npm: {
    value: npm.brotli,
    detail: `${npm.bytes.toLocaleString('en')} B minified: what is loaded to show a form, Lit and our core's part for sending not counted`,
  },
});
