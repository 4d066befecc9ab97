import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResultFile } from '../comparison.ts';

/** @returns where each scenario's newest result is kept */
export function resultsFolder(root: string): string {
  return join(root, 'bench', 'results');
}

/** Whole or not at all: an interrupted run leaves the older result. */
function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

/** A list keeps its elements a line each: a histogram or the rounds of a contender, in a diff. */
function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2).replace(/\[\n\s+((?:-?[\d.e+-]+,?\s+)+)\]/g, (_all, numbers: string) => `[${numbers.trim().replace(/\s+/g, ' ')}]`)}\n`;
}

/** Keeps a scenario's newest result in `bench/results`. @returns where */
export function saveResult(root: string, result: ResultFile): string {
  const folder = resultsFolder(root);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${result.report.scenario}.json`);
  writeWhole(path, toJson(result));
  return path;
}

/** Writes the results of one run in a list. */
export function writeResultList(path: string, results: readonly ResultFile[]): void {
  writeWhole(path, toJson(results));
}
