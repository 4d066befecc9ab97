import { compileSchema } from '../contracts/compiled-schema.ts';
import { declaredFlagsSchema } from '../contracts/provision/declared-flag.ts';
import { stepInto } from '../contracts/provision/provision-paths.ts';
import { describeSchemaErrors } from '../contracts/provision/schema-problems.ts';
import { type ProblemList, shown } from '../domain/problem-list.ts';
import type { SlicePlace } from './provision-outline.ts';

const flagsCheck = compileSchema(declaredFlagsSchema);
const decoder = new TextDecoder();

/** @returns the slice as the bytes of a JSON array of its own. */
export function cutSlice(file: Uint8Array, { start, end }: SlicePlace): Uint8Array {
  const json = new Uint8Array(end - start + 2);
  json[0] = 0x5b;
  json.set(file.subarray(start, end), 1);
  json[json.length - 1] = 0x5d;
  return json;
}

/** Checks the flags of one project, slice by slice, and keeps their names. */
export class FlagSliceCheck {
  readonly #projectPath: string;
  readonly #problems: ProblemList;
  /** In the order of the file. */
  readonly #names = new Set<string>();

  constructor(projectPath: string, problems: ProblemList) {
    this.#projectPath = projectPath;
    this.#problems = problems;
  }

  /** The flags' names, trimmed; each stands once. */
  get names(): Iterable<string> {
    return this.#names;
  }

  check(json: Uint8Array, firstIndex: number): void {
    const flags: unknown = JSON.parse(decoder.decode(json));
    const path = stepInto(this.#projectPath, 'flags');
    if (!flagsCheck.isRight(flags)) {
      const texts = describeSchemaErrors(declaredFlagsSchema, flagsCheck.errors(flags), path, firstIndex);
      for (const text of texts) this.#problems.add(() => text);
      return;
    }
    for (const [index, flag] of flags.entries()) {
      const name = flag.name.trim();
      if (this.#names.has(name)) {
        const at = firstIndex + index;
        this.#problems.add(() => `${stepInto(path, at)}.name: "${shown(name)}" stands in the file twice`);
      }
      this.#names.add(name);
    }
  }
}
