/** Generates the table of the sandbox's options in the documentation. */
import { serverOptions } from '../src/command/options.ts';
import { pagePath, withSections } from '../../../test/support/documentation.ts';

/** The text of the page, by its path from the root of the repository. */
export function generate(): Readonly<Record<string, string>> {
  const rows = serverOptions().map(({ flags, envVar = '', defaultValue, description }) => {
    const [about = ''] = /^.*?(?= \(default:|$)/.exec(description) ?? [];
    const cells = [`\`${flags}\``, `\`${envVar}\``, `\`${String(defaultValue ?? 'none')}\``, about];
    return `| ${cells.join(' | ')} |`;
  });
  return withSections(pagePath('sandbox/command'), {
    options: ['| Option | Variable | Default | |', '|---|---|---|---|', ...rows].join('\n'),
  });
}
