import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResultFile } from '../comparison.ts';

/** @returns the folder of every scenario's newest result */
export function resultsFolder(root: string): string {
  return join(root, 'bench', 'results');
}

/** Writes atomically, so that an interrupted run leaves the older result. */
function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

/** Puts an array of numbers on one line, so that a diff shows a contender's rounds as one line. */
function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2).replace(/\[\n\s+((?:-?[\d.e+-]+,?\s+)+)\]/g, (_all, numbers: string) => `[${numbers.trim().replace(/\s+/g, ' ')}]`)}\n`;
}

/** Saves a scenario's newest result in `bench/results`. @returns its path */
export function saveResult(root: string, result: ResultFile): string {
  const folder = resultsFolder(root);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${result.report.scenario}.json`);
  writeWhole(path, toJson(result));
  return path;
}

/** Writes the results of one run as a list. */
export function writeResultList(path: string, results: readonly ResultFile[]): void {
  writeWhole(path, toJson(results));
}
