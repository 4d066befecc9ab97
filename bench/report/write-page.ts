import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResultFile } from '../comparison.ts';
import type { Scenario } from '../scenario.ts';
import { withMeasuredWays } from './clients-section.ts';
import { makePages, withServers } from './page.ts';

/** A page whose last section is generated. */
const clientsPage = join('docs', 'clients.md');

/** Comparisons with an older build are saved, but not shown on the page. */
function isOnPage(scenario: string): boolean {
  return !scenario.endsWith('-before');
}

type MakeText = (page: string, results: readonly ResultFile[]) => string;

/** A page with a section of results, if the page exists. */
function completed(root: string, path: string, results: readonly ResultFile[], make: MakeText) {
  const file = join(root, path);
  return existsSync(file) ? [[path, make(readFileSync(file, 'utf8'), results)] as const] : [];
}

/** @returns the page of results, and the pages that end with results, by path in the checkout */
export function pageFiles(
  root: string,
  results: readonly ResultFile[],
  catalogue: readonly Scenario[],
): ReadonlyMap<string, string> {
  const pages = makePages(
    results.filter(({ report }) => isOnPage(report.scenario)),
    catalogue.filter(({ name }) => isOnPage(name)),
  );
  return new Map([
    ...Array.from(pages, ([path, text]) => [join('docs', path), text] as const),
    ...completed(root, clientsPage, results, withMeasuredWays),
    ...completed(root, 'README.md', results, withServers),
  ]);
}

/** Writes `docs/benchmarks.md`, a page for each scenario, and the sections of results in other pages. */
export function writePage(
  root: string,
  results: readonly ResultFile[],
  catalogue: readonly Scenario[],
): void {
  mkdirSync(join(root, 'docs', 'benchmarks'), { recursive: true });
  for (const [path, text] of pageFiles(root, results, catalogue)) writeFileSync(join(root, path), text);
}
