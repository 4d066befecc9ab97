import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

const heading = /^## \[(?<version>\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$/;

function readSections() {
  const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  return text.split(/^(?=## )/m).slice(1);
}

/** @returns the text below the heading of a version in CHANGELOG.md; null if it has none with a date */
export function sectionOf(version) {
  const section = readSections().find(
    (each) => heading.exec(each.split('\n', 1)[0])?.groups.version === version,
  );
  return section === undefined
    ? null
    : section
        .slice(section.indexOf('\n'))
        .replace(/^\[.*\]: .*$/gm, '')
        .trim();
}
