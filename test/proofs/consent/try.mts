import { explore } from './explore.ts';
import { guards } from './guards.ts';
if (process.env['G'])
  for (const guardOff of guards.filter(({ name }) => name.includes(process.env['G']!) || process.env['G'] === 'all')) {
    const only = (a: any) => a.person !== 1 && (a.publication ?? guardOff.publication) === guardOff.publication;
    for (let depth = 1; depth <= guardOff.depth; depth++) {
      const r = await explore(depth, { guardOff, from: [[guardOff.from, 'active']], stopAtFirst: true, only });
      if (r.counterexamples.length || depth === guardOff.depth) {
        console.log(
          guardOff.name,
          depth,
          guardOff.depth,
          r.states,
          r.steps,
          r.counterexamples.map(
            (c) => (c.problem === guardOff.problem ? '' : 'OTHER ' + c.problem) + ' ' + c.path.join(' > '),
          ),
        );
        break;
      }
    }
  }
else
  for (const depth of (process.env['D'] ?? '1,2').split(',')) {
    const r = await explore(Number(depth));
    console.log(JSON.stringify(r, null, 1), process.cpuUsage());
  }
