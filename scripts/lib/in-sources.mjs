import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './root.mjs';

/** A position in a stack: `dist/test/a.test.js:12:5`. */
const inStack = /\bdist\/(?<path>(?:src|test|bench)\/[^\s:()]+)\.js:(?<line>\d+):(?<column>\d+)/g;
/** The position of a failed assertion, as tap writes it. */
const inFields =
  /\bdist\/(?<path>(?:src|test|bench)\/\S+)\.js(?<indent>\n\s*)lineNumber: (?<line>\d+)\s*columnNumber: (?<column>\d+)/g;

/** @returns the position in the TypeScript file, counted from 1; null where the compiler left no map */
function positionInSource({ path, line, column }, maps) {
  if (!maps.has(path)) {
    try {
      const text = readFileSync(join(root, 'dist', `${path}.js.map`), 'utf8');
      maps.set(path, new SourceMap(JSON.parse(text)));
    } catch {
      maps.set(path, null);
    }
  }
  const entry = maps.get(path)?.findEntry(line - 1, column - 1);
  if (entry?.originalLine === undefined) return null;
  return { path: `${path}.ts`, line: entry.originalLine + 1, column: entry.originalColumn + 1 };
}

/**
 * Names the TypeScript files and their lines in what a test file wrote. Only the output of a failed one needs it: Node's
 * own source maps would be read for every module at its start.
 */
export function inSources(output) {
  const maps = new Map();
  const write =
    (text) =>
    (found, ...rest) => {
      const { indent, ...position } = rest.at(-1);
      const source = positionInSource(position, maps);
      return source === null ? found : text(source, indent);
    };
  return output
    .replaceAll(`${pathToFileURL(root).href}/`, '')
    .replaceAll(`${root}/`, '')
    .replace(
      inStack,
      write(({ path, line, column }) => `${path}:${line}:${column}`),
    )
    .replace(
      inFields,
      write(
        ({ path, line, column }, indent) =>
          `${path}${indent}lineNumber: ${line}${indent}columnNumber: ${column}`,
      ),
    );
}
