/** Entry of `signup-landing.js`, the script of pages without a form: keeps their visits. */
import { currentScript, loadPart } from './chunks.ts';
import './visits.ts';
import { warn } from './warnings.ts';

if (currentScript && currentScript.dataset?.['debug'] !== undefined) {
  const script = currentScript;
  void loadPart(script, 'doctor.js', import('./doctor.ts')).then((doctor) => doctor?.explainLanding(script, warn));
}
