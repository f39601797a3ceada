/** Every command. Help and dispatch both read this table. */
import { exportCommand } from '../export/command.ts';
import { importCommand } from '../import/command.ts';
import { login } from '../login/command.ts';
import { logout } from '../logout/command.ts';
import { sync } from '../sync/command.ts';
import { watch } from '../watch/command.ts';
import { whoami } from '../whoami/command.ts';
import type { Command } from './definition.ts';

export const commands: Readonly<Record<string, Command>> = {
  login,
  logout,
  whoami,
  export: exportCommand,
  import: importCommand,
  watch,
  sync,
};
