import { type BenchDirectory, makeDirectory } from './bench-directory.ts';

/** Runs a function, and then removes the directories that it made, also when it fails. */
export async function withDirectories<Result>(
  run: (make: typeof makeDirectory) => Promise<Result>,
): Promise<Result> {
  const made: BenchDirectory[] = [];
  try {
    return await run(async (...options) => {
      const directory = await makeDirectory(...options);
      made.push(directory);
      return directory;
    });
  } finally {
    for (const directory of made) directory.remove();
  }
}
