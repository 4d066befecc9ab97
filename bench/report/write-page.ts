import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResultFile } from '../comparison.ts';
import type { Scenario } from '../scenario.ts';
import { withMeasuredWays } from './clients-section.ts';
import { makePage, plotsFolder } from './page.ts';
import { tasksScenario, tasksScenarioBefore, withCountedTasks } from './tasks-section.ts';

/** Written by hand: what was tried to make Burgee faster. */
const handWritten = join('bench', 'report', 'what-was-tried.md');
/** Ends with figures. */
const clientsPage = join('docs', 'clients.md');
/** Ends with the tasks of the console. */
const walkPage = join('docs', 'console-walk.md');

function isOnOwnPage(scenario: string): boolean {
  return scenario === tasksScenario || scenario === tasksScenarioBefore;
}

type MakeText = (page: string, results: readonly ResultFile[]) => string;

/** A page that ends with a section of results, where it exists. */
function completed(root: string, path: string, results: readonly ResultFile[], make: MakeText) {
  const place = join(root, path);
  return existsSync(place) ? [[path, make(readFileSync(place, 'utf8'), results)] as const] : [];
}

/** @returns the files of the page of results, and the pages that end with results, by path in the checkout */
export function pageFiles(
  root: string,
  results: readonly ResultFile[],
  catalogue: readonly Scenario[],
): ReadonlyMap<string, string> {
  const { markdown, plots } = makePage(
    results.filter(({ report }) => !isOnOwnPage(report.scenario)),
    catalogue.filter(({ name }) => !isOnOwnPage(name)),
    readFileSync(join(root, handWritten), 'utf8'),
  );
  const pictures = plots.map(({ file, svg }) => [join('docs', plotsFolder, file), svg] as const);
  return new Map([
    [join('docs', 'benchmarks.md'), markdown],
    ...completed(root, clientsPage, results, withMeasuredWays),
    ...completed(root, walkPage, results, withCountedTasks),
    ...pictures,
  ]);
}

/** Writes `docs/benchmarks.md` and its pictures, and removes pictures that the page no longer shows. */
export function writePage(
  root: string,
  results: readonly ResultFile[],
  catalogue: readonly Scenario[],
): void {
  const files = pageFiles(root, results, catalogue);
  const folder = join(root, 'docs', plotsFolder);
  const present = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.svg')) : [];
  for (const name of present) if (!files.has(join('docs', plotsFolder, name))) rmSync(join(folder, name));
  if (results.length > 0) mkdirSync(folder, { recursive: true });
  for (const [path, text] of files) writeFileSync(join(root, path), text);
}
