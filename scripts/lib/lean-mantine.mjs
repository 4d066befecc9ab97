// Plugins of the console's build: they leave out of Mantine what the console does not use, and what a bundler cannot see is
// unused, because components hold their parts as properties (`Menu.Sub`) and the theme holds every colour.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

const mantine = join(root, 'node_modules/@mantine/core/esm');
/** Mantine's colours that no page names; `blue` is the first choice of its theme, with which it compares. */
const unused = ['pink', 'grape', 'violet', 'indigo', 'cyan', 'teal', 'green', 'lime', 'yellow', 'orange'];
const unusedList = new RegExp(`\\s(?:${unused.join('|')}): \\[[^\\]]*\\],?`, 'g');
const unusedVariable = new RegExp(`^--mantine-color-(?:${unused.join('|')})-`);

/** @returns every `Component.Part` that a file below the folder reads */
function* partsRead(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!/[.](tsx|mjs)$/.test(name)) continue;
    const text = readFileSync(join(folder, name), 'utf8');
    for (const [part] of text.matchAll(/\b[A-Z]\w+[.][A-Z]\w+\b(?! = )/g)) yield part;
  }
}

/** For scripts. */
export function leanMantine() {
  let used;
  return {
    name: 'lean-mantine',
    enforce: 'pre',
    buildStart() {
      used = new Set([...partsRead(mantine), ...partsRead(join(root, 'src/console'))]);
    },
    transform(code, id) {
      if (id.endsWith('/MantineProvider/default-colors.mjs')) return withoutColours(code);
      if (!id.startsWith(join(mantine, 'components'))) return null;
      return code.replace(/^(\w+)[.]([A-Z]\w+) = \1\2;$/gm, (line, component, part) =>
        used.has(`${component}.${part}`) ? line : '',
      );
    },
  };
}

/** @throws if Mantine writes its colours in another way than before */
function withoutColours(code) {
  const lean = code.replace(unusedList, '');
  if (lean.length * 2 > code.length) throw new Error("Mantine's list of colours is not as it was");
  return lean;
}

/** For style sheets: a plugin of PostCSS. */
export const leanColours = {
  postcssPlugin: 'lean-colours',
  Declaration(declaration) {
    if (unusedVariable.test(declaration.prop)) declaration.remove();
  },
};
