/** `npm run lint`: types, rules and unused code, without running a test. */
import { checkTypes, findUnused, lint } from '../steps/checks.ts';

let failed = 0;
for (const [title, check] of [['Types', checkTypes], ['Lint', lint], ['Unused code', findUnused]] as const) {
  const ok = await check();
  console.log(`${ok ? '✓' : '✗'} ${title}`);
  if (!ok) failed += 1;
}
process.exitCode = failed > 0 ? 1 : 0;
