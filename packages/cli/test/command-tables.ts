/** Generates the tables of commands and options in the documentation, from the commands. */
import { Help } from '@commander-js/extra-typings';
import { commandTree, nameOf, overview } from './command-tree.ts';
import { pagePath, withSections } from '../../../test/support/documentation.ts';

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const cell = (text: string): string => text.replaceAll('|', '\\|');

/** Options of every command, which have a table of their own. */
const shared = ['--profile', '--api-url', '--publication', '--json'];

/** The text of each file, by its path from the root of the repository. */
export async function generate(): Promise<Readonly<Record<string, string>>> {
  const tree = await commandTree();
  const commands = overview(tree).map(([name, about]) => `| \`newsletter ${name}\` | ${about} |`);
  const sections = tree.flatMap((command) => {
    const rows = [
      ...command.registeredArguments.map((each) => [
        each.required ? `<${each.name()}>` : `[${each.name()}]`,
        each.description,
      ]),
      ...command.options
        .filter(({ long }) => !shared.includes(long ?? ''))
        .map((option) => [option.flags, new Help().optionDescription(option)]),
    ].map(([term = '', text = '']) => `| \`${cell(term)}\` | ${cell(text)} |`);
    return rows.length === 0
      ? []
      : [
          `## newsletter ${nameOf(command)}`,
          '',
          `${sentence(command.description())}.`,
          '',
          '| | |',
          '|---|---|',
          ...rows,
          '',
        ];
  });
  return {
    ...withSections('packages/cli/README.md', { commands: ['| Command | |', '|---|---|', ...commands].join('\n') }),
    ...withSections(pagePath('cli/options'), { options: sections.join('\n').trimEnd() }),
  };
}
