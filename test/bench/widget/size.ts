/** The bytes that each form's script tag brings, and what our package adds to a bundle that has Lit. */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { measure } from '../../../widget/scripts/size.ts';
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

tell({
  script: {
    value: brotliCompressSync(await codeOf(ours)).length,
    detail: `minified / gzip / brotli: ${told.join(' · ')} (the loader alone)`,
  },
  npm: {
    value: await measure('dist/index.js'),
    detail: `what is loaded to show a form beside Lit; ${await measure('dist/signup.js')} B more to send it`,
  },
});
