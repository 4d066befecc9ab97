import { runCommandLine } from './cli/command-line.ts';

async function run(): Promise<void> {
  process.exitCode = await runCommandLine(process.argv.slice(2));
}

// Without top-level await: the bundle is made of scripts (decision 0073).
run().catch((fault: unknown) => {
  throw fault;
});
