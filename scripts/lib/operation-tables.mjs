// Makes the tables of all operations from the files of src/operations: a new operation needs no edit of a table.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

const folder = join(root, 'src/operations');
const makers = {
  managementRead: 'management',
  managementWrite: 'management',
  consoleRead: 'read',
  consoleWrite: 'write',
  conversation: 'conversation',
  readStep: 'read',
  writeStep: 'write',
};
const declaration = new RegExp(
  `^export const (\\w+) = (${Object.keys(makers).join('|')})\\(\\s*'([\\w-]+)'`,
  'gm',
);
const made =
  '// Generated from the files of operations by scripts/lib/operation-tables.mjs, with each build. Do not edit.\n';

/**
 * @returns every operation: its id, exported name and file, the thread that runs it, and its route (null for a step)
 */
function findOperations() {
  const found = [];
  for (const area of readdirSync(folder, { withFileTypes: true })) {
    if (!area.isDirectory()) continue;
    for (const file of readdirSync(join(folder, area.name))) {
      if (!file.endsWith('.ts')) continue;
      const text = readFileSync(join(folder, area.name, file), 'utf8');
      for (const [, name, maker, id] of text.matchAll(declaration)) {
        const isStep = maker.endsWith('Step');
        const route = isStep ? null : /^ {2}route: '([^']+)',$/m.exec(text)?.[1];
        if (route === undefined)
          throw new Error(`${area.name}/${file}: an operation has a line route: '...'`);
        if (!isStep && file !== `${id}.ts`) {
          throw new Error(`${area.name}/${file}: the operation ${id} is to be in a file of its name`);
        }
        found.push({ id, name, path: `./${area.name}/${file}`, actor: makers[maker], route });
      }
    }
  }
  const ids = new Set(found.map(({ id }) => id));
  if (ids.size !== found.length) throw new Error('two operations have the same id');
  return found.sort((left, right) => (left.path < right.path ? -1 : 1));
}

function importsOf(operations) {
  return [...groupByPath(operations)]
    .map(
      ([path, each]) =>
        `import { ${each
          .map(({ name }) => name)
          .sort()
          .join(', ')} } from '${path}';`,
    )
    .join('\n');
}

function groupByPath(operations) {
  const groups = new Map();
  for (const operation of operations) {
    groups.set(operation.path, [...(groups.get(operation.path) ?? []), operation]);
  }
  return groups;
}

function keyOf(id) {
  return /^[a-z]+$/.test(id) ? id : `'${id}'`;
}

function rowsOf(operations) {
  return operations.map(({ id, name }) => `  ${keyOf(id)}: ${name},\n`).join('');
}

/** @returns the text of each table, by path below the root */
function makeTables() {
  const all = findOperations();
  const management = all.filter(({ actor }) => actor === 'management');
  const console = all.filter(({ actor }) => actor !== 'management');
  const asked = console.filter(({ route }) => route !== null);
  const steps = all.filter(({ route }) => route === null);
  const writes = console.filter(({ actor }) => actor === 'write');
  return {
    'src/operations/console-operations.ts': `${made}${importsOf(console)}

/** Every operation of the console's API, below \`/console/api\`. */
export const consoleOperations = {
${rowsOf(asked)}} as const;

/** The steps of conversations. */
export const consoleSteps = {
${rowsOf(steps)}} as const;
`,
    'src/operations/management-operations.ts': `${made}${importsOf(management)}

/** Every operation of the Management API. */
export const managementOperations = {
${rowsOf(management)}} as const;
`,
    'src/operations/console-writes.ts': `${made}${importsOf(writes)}

/** The operations and steps that the writer decides for the console. */
export const consoleWrites = {
${rowsOf(writes)}} as const;
`,
    'src/operations/console-routes.ts': `${made}
/** The route of each operation. Without schemas, so that it can be part of the web app. */
export const consoleRoutes = {
${asked.map(({ id, route }) => `  ${keyOf(id)}: '${route}',\n`).join('')}} as const;

export type ConsoleOperationId = keyof typeof consoleRoutes;
`,
  };
}

/** Writes the tables that differ from what the files say. @returns their paths */
export function writeOperationTables() {
  const stale = findStaleTables();
  for (const [path, text] of stale) writeFileSync(join(root, path), text);
  return stale.map(([path]) => path);
}

/** @returns path and text of each table that differs from what the files say */
export function findStaleTables() {
  return Object.entries(makeTables()).filter(([path, text]) => {
    const file = join(root, path);
    return !existsSync(file) || readFileSync(file, 'utf8') !== text;
  });
}
