import { Command, CommanderError } from 'commander';
import { defineApply } from './apply-command.ts';
import { defineBackup } from './backup-command.ts';
import { defineCheck } from './check-command.ts';
import { defineClusterCheck } from './cluster-check-command.ts';
import { defineClusterCreate } from './cluster-create-command.ts';
import { defineClusterLeave } from './cluster-leave-command.ts';
import { defineClusterStatus } from './cluster-status-command.ts';
import { type Action, setAction } from './command-action.ts';
import { exitCodes } from './command-failure.ts';
import { defineCompact } from './compact-command.ts';
import { defineConfig } from './config-command.ts';
import { defineDemo } from './demo-command.ts';
import { defineExport } from './export-command.ts';
import { defineSignInLink } from './member-sign-in-link-command.ts';
import { defineSetPlan } from './organisation-set-plan-command.ts';
import { defineRestore } from './restore-command.ts';
import { defineServe } from './serve-command.ts';
import { defineStart, startName } from './start-command.ts';
import { defineStat } from './stat-command.ts';
import { defineRevoke } from './token-revoke-command.ts';
import { defineSecret } from './token-secret-command.ts';
import { defineVersion, versionText } from './version-command.ts';

const examples = `Examples:
  burgee start
  burgee serve --data-dir ./data
  burgee apply flags.json --data-dir ./data
  burgee backup /backups/monday --data-dir ./data
  burgee check --data-dir ./data
  burgee config --json
`;

/** Adds a command to its parent, and returns it with its action. */
export type DefineCommand = (parent: Command) => { readonly command: Command; readonly action: Action };

/**
 * Runs one command.
 *
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage.
 */
export async function runCommandLine(arguments_: readonly string[]): Promise<number> {
  let exitCode: number = exitCodes.done;
  const program = buildProgram((code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(withCommand(arguments_), { from: 'user' });
    return exitCode;
  } catch (fault) {
    if (fault instanceof CommanderError) return fault.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    throw fault;
  }
}

/** `burgee` alone starts a service, also with options. */
function withCommand(arguments_: readonly string[]): string[] {
  const [first = '-'] = arguments_;
  const isCommand = !first.startsWith('-') || /^(-h|--help|-V|--version)$/.test(first);
  return isCommand ? [...arguments_] : [startName, ...arguments_];
}

const organisationExamples = `Examples:
  burgee organisation set-plan Acme --plan teams
`;
const memberExamples = `Examples:
  burgee member sign-in-link owner@example.com
`;
const clusterExamples = `Examples:
  burgee cluster create --data-dir /var/lib/burgee/data
  burgee cluster status
  burgee cluster check --data-dir /var/lib/burgee/data
`;
const tokenExamples = `Examples:
  burgee token secret
  burgee token revoke e4KcbX2nG4DjS7N1GkMD
`;

const clusterCommands: readonly DefineCommand[] = [
  defineClusterCreate,
  defineClusterStatus,
  defineClusterCheck,
  defineClusterLeave,
];

const topCommands: readonly DefineCommand[] = [
  ...[
    defineStart,
    defineServe,
    defineApply,
    defineExport,
    defineBackup,
    defineRestore,
    defineCompact,
    defineCheck,
    defineStat,
  ],
  ...[defineConfig, defineDemo, defineVersion],
];

function group(program: Command, name: string, description: string, text: string): Command {
  return program.command(name).description(description).addHelpText('before', text);
}

function buildProgram(setExitCode: (code: number) => void): Command {
  const program = new Command('burgee');
  program.description('Burgee: self-hosted feature flags.').exitOverride();
  program.version(versionText(), '-V, --version', 'print the version');
  program.showHelpAfterError('Run burgee --help, or burgee <command> --help.');
  program.addHelpText('before', examples);
  program.configureHelp({ helpWidth: 100 });
  const add = (parent: Command, define: DefineCommand): void => {
    const { command, action } = define(parent);
    setAction(command, action, setExitCode);
  };
  for (const define of topCommands) add(program, define);
  add(group(program, 'organisation', 'Manage organisations.', organisationExamples), defineSetPlan);
  add(group(program, 'member', 'Help members sign in.', memberExamples), defineSignInLink);
  const cluster = group(program, 'cluster', 'Serve one store from several nodes.', clusterExamples);
  for (const define of clusterCommands) add(cluster, define);
  const token = group(program, 'token', 'Manage tokens.', tokenExamples);
  for (const define of [defineSecret, defineRevoke]) add(token, define);
  return program;
}
