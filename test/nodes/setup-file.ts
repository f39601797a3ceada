/**
 * The ES modules of n8n-workflow name files without their endings, which Vite understands and Node does not: where Node
 * imports modules by itself, it gets the CommonJS ones.
 */
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, specifier === 'n8n-workflow' ? { ...context, conditions: ['require'] } : context),
});
