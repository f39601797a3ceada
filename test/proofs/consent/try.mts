import { explore } from './explore.ts';
for (const depth of (process.env['D'] ?? '1,2').split(',')) { const r = await explore(Number(depth)); console.log(JSON.stringify(r, null, 1)); }
