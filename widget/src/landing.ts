/** Entry of `signup-landing.js`, the script of pages without a form: keeps their visits. */
import { currentScript, loadChunk } from './chunks.ts';
import './visits.ts';
import { warn } from './warnings.ts';

if (currentScript && currentScript.dataset?.['debug'] !== undefined) {
  const script = currentScript;
  loadChunk('doctor.js', import('./doctor.ts')).then(
    ({ explainLanding }) => explainLanding(),
    (error: unknown) => warn(script, 'file', String(error)),
  );
}
