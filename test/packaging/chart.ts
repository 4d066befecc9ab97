import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../support/repository-root.ts';

/** The Helm chart, and what `helm template` has made of it for each shape. */
const root = repositoryRoot();
export const chart = join(root, 'deploy', 'helm', 'burgee');
export const shapes = ['single', 'cluster'] as const;

const folder = join(root, 'test', 'packaging', 'chart');
export const valuesFileOf = (shape: string): string => join(folder, `${shape}.values.yaml`);
export const renderedFileOf = (shape: string): string => join(folder, `${shape}.yaml`);

/** @returns the first line of a rendered file: it names the content of the chart and the values that it was made of */
export function headOf(shape: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(chart, { recursive: true, encoding: 'utf8' }).sort();
  for (const path of files.filter((each) => statSync(join(chart, each)).isFile()))
    hash.update(`${path}\n`).update(readFileSync(join(chart, path)));
  hash.update(readFileSync(valuesFileOf(shape)));
  return `# Made by helm of ${hash.digest('hex')}. WRITE_FIXTURE=1 npm test -- packaging/deployment-tools\n`;
}
