import { type BenchDirectory, makeDirectory, type Provisioned } from './bench-directory.ts';
import { mainProgram } from './programs.ts';
import type { ProvisionedPart } from './provision-file.ts';
import type { ServerProcess } from './server-process.ts';
import { startProgram } from './start-program.ts';

export interface BurgeeOptions {
  /** More arguments of `serve`, such as those of `workerArguments`. */
  readonly args?: readonly string[];
  /** Modules that each thread loads before its own. */
  readonly imports?: readonly string[];
  /** The program that provisions and serves; the bundle unless given. */
  readonly program?: string;
}

export interface BurgeeProcess extends ServerProcess {
  readonly provisioned: Provisioned;
}

/** Serves a directory on a free port, and waits for the `listening` line. */
export function serveDirectory(
  directory: Pick<BenchDirectory, 'dataDir'>,
  options: BurgeeOptions = {},
): Promise<ServerProcess> {
  const { args = [], imports = [], program = mainProgram } = options;
  const listen = ['--data-dir', directory.dataDir, '--host', '127.0.0.1', '--port', '0'];
  const loaded = imports.flatMap((module) => ['--import', module]);
  return startProgram([...loaded, program, 'serve', ...listen, ...args]);
}

/** Serves a new directory, which `stop` removes. */
export async function startBurgee(
  projects: Iterable<ProvisionedPart>,
  options: BurgeeOptions = {},
): Promise<BurgeeProcess> {
  const directory = await makeDirectory(projects, undefined, options.program);
  const server = await serveDirectory(directory, options).catch((fault: unknown) => {
    directory.remove();
    throw fault;
  });
  return {
    ...server,
    provisioned: directory.provisioned,
    stop: async () => {
      await server.stop();
      directory.remove();
    },
  };
}
