import { isUtf8 } from 'node:buffer';
import { compileSchema, stepInto } from '../contracts/compiled-schema.ts';
import {
  type ProvisionDocument,
  provisionDocumentSchema,
} from '../contracts/provision/provision-document.ts';
import type { ProblemList } from '../domain/problem-list.ts';
import { type ByteRange, JsonFault, JsonScanner, lineAndColumn } from '../support/json-scan.ts';

/** Adjacent flags of one project in the file: items of an array, without its brackets. */
export interface SlicePlace extends ByteRange {
  readonly firstIndex: number;
  readonly count: number;
}

/** The `flags` array of one project. */
export interface FlagsPlace extends ByteRange {
  /** Path of the project, for example `organisations[0].projects[1]`. */
  readonly projectPath: string;
  readonly slices: readonly SlicePlace[];
}

/** A file without its flags, and the places of the flags. */
export interface ProvisionOutline {
  readonly document: ProvisionDocument;
  readonly flags: readonly FlagsPlace[];
  readonly flagCount: number;
}

const flagsPerSliceMax = 500;
const bytesPerSliceMax = 256 * 1024;

const documentCheck = compileSchema(provisionDocumentSchema);

/**
 * Reads a file in one pass over its bytes. Everything but the flags is parsed and checked; the flags are only cut into
 * slices, so that a million flags are never in memory at once.
 *
 * @returns undefined when the file is not JSON or has another shape; `problems` then has the reasons.
 */
export function readOutline(file: Uint8Array, problems: ProblemList): ProvisionOutline | undefined {
  if (!isUtf8(file)) {
    problems.add(() => 'the file is not UTF-8 text');
    return undefined;
  }
  try {
    const flags = new OutlineScan(file, problems).run();
    const document: unknown = JSON.parse(withoutFlags(file, flags));
    const texts = documentCheck.problems(document, { name: 'the document' });
    for (const text of texts) problems.add(() => text);
    if (texts.length > 0) return undefined;
    const flagCount = flags.flatMap(({ slices }) => slices).reduce((sum, { count }) => sum + count, 0);
    return { document: document as ProvisionDocument, flags, flagCount };
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
    const { line, column } = lineAndColumn(file, fault.start);
    problems.add(() => `the file is not valid JSON: line ${line}, column ${column}: ${fault.message}`);
    return undefined;
  }
}

/** The text of the file with every array of flags empty. */
function withoutFlags(file: Uint8Array, flags: readonly FlagsPlace[]): string {
  const decoder = new TextDecoder();
  let text = '';
  let at = 0;
  for (const { start, end } of flags) {
    text += `${decoder.decode(file.subarray(at, start))}[]`;
    at = end;
  }
  return text + decoder.decode(file.subarray(at));
}

/** Finds the arrays of flags. A value of an unexpected shape is skipped; the schema reports it. */
class OutlineScan {
  readonly #file: Uint8Array;
  readonly #scanner: JsonScanner;
  readonly #problems: ProblemList;
  readonly #flags: FlagsPlace[] = [];

  constructor(file: Uint8Array, problems: ProblemList) {
    this.#file = file;
    this.#scanner = new JsonScanner(file, hasByteOrderMark(file) ? 3 : 0);
    this.#problems = problems;
  }

  run(): readonly FlagsPlace[] {
    const scanner = this.#scanner;
    this.#object('', (key) => {
      if (key === 'organisations') this.#organisations();
      else if (key === 'personalProjects') this.#projects(key);
      else scanner.value();
    });
    scanner.end();
    return this.#flags;
  }

  #organisations(): void {
    this.#scanner.array((index) => {
      const path = stepInto('organisations', index);
      this.#object(path, (key) => {
        if (key === 'projects') this.#projects(stepInto(path, key));
        else this.#scanner.value();
      });
    });
  }

  #projects(path: string): void {
    this.#scanner.array((index) => {
      const projectPath = stepInto(path, index);
      this.#object(projectPath, (key) => {
        if (key === 'flags') this.#flagsOf(projectPath);
        else this.#scanner.value();
      });
    });
  }

  /** An object whose keys must differ: `JSON.parse` would silently drop one of two equal keys. */
  #object(path: string, visitValue: (key: string) => void): void {
    const seen = new Set<string>();
    this.#scanner.object((key) => {
      if (seen.has(key)) this.#problems.add(() => `${stepInto(path, key)} is given twice`);
      seen.add(key);
      visitValue(key);
    });
  }

  #flagsOf(projectPath: string): void {
    const slices: SlicePlace[] = [];
    let open: SlicePlace | null = null;
    const range = this.#scanner.array((index) => {
      const { start, end } = this.#scanner.value();
      open =
        open === null ? { start, end, firstIndex: index, count: 1 } : { ...open, end, count: open.count + 1 };
      if (open.count < flagsPerSliceMax && open.end - open.start < bytesPerSliceMax) return;
      slices.push(open);
      open = null;
    });
    if (open !== null) slices.push(open);
    if (this.#file[range.start] === 0x5b) this.#flags.push({ projectPath, slices, ...range });
  }
}

function hasByteOrderMark(file: Uint8Array): boolean {
  return file[0] === 0xef && file[1] === 0xbb && file[2] === 0xbf;
}
