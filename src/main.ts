import { runCommandLine } from './cli/command-line.ts';

// A reader that ends early, such as `head`, is no failure: the command goes on, and what it prints is dropped.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (fault: NodeJS.ErrnoException) => {
    if (fault.code !== 'EPIPE') throw fault;
  });
}

async function run(): Promise<void> {
  process.exitCode = await runCommandLine(process.argv.slice(2));
}

// Without top-level await: the bundle is made of scripts (decision 0073).
run().catch((fault: unknown) => {
  throw fault;
});
