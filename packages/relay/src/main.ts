#!/usr/bin/env node
/** `newsletter-relay`: starts small, then does what its command line says. */
import './young-generation.ts';

// Imported at the top it would be loaded first.
await import('./command-line.ts');
