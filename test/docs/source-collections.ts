import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A `Map`, `Set`, `WeakMap`, `WeakSet` or array that grows. */
export interface SourceCollection {
  /** Of the field with its `#`, of the member of an object, or of the constant. */
  readonly name: string;
  /** Declared in a function: most of these are over with its call, and only closures keep the others. */
  readonly isLocal: boolean;
}

/** The folders whose code runs in a server's threads. The console, the commands and the client package are others' programs. */
const folders =
  /^(worker|front|flagd|http|writer|cluster|notifier|operator|supervisor|passwords|admin|observability|support|storage|operations)\//;

const modifiers = '(?:(?:static|readonly|override|declare|private|protected|public) )*';
const keyed = '(?:Weak)?(?:Map|Set)';
const empty = String.raw`(?:new ${keyed}\b|\[\]|Array\.from\()`;
/** A type before a value may be any: `(() => void)[]` has an equals sign, too. */
const given = `(?:: .+?)? = ${empty}`;

const constants = new RegExp(String.raw`^(?:export )?(?:const|let) (\w+)${given}`, 'gm');
const locals = new RegExp(String.raw`^ +(?:const|let) (\w+)${given}`, 'gm');
const members = new RegExp(String.raw`\b(\w+): new ${keyed}\b`, 'g');
const classes = /^(?:export )?(?:abstract )?class .*?^\}/gms;
const fields = new RegExp(String.raw`^ {2}${modifiers}(#?\w+)${given}`, 'gm');
/** Filled in the constructor. What is readonly by its type was made elsewhere. */
const declared = new RegExp(
  String.raw`^ {2}${modifiers}(#?\w+): (?:${keyed}<[^=\n]+|(?!readonly )[^(=\n]+\[\]);$`,
  'gm',
);

/** Every collection of a server's threads: by `src/<path>#<name>`, whether it is local. Files are parsed as text. */
export function readSourceCollections(root: string): ReadonlyMap<string, boolean> {
  const found = new Map<string, boolean>();
  for (const path of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    const file = path.replaceAll('\\', '/');
    if (!folders.test(file) || !file.endsWith('.ts') || file.endsWith('.d.ts')) continue;
    for (const { name, isLocal } of collectionsIn(readFileSync(join(root, 'src', path), 'utf8'))) {
      const where = `src/${file}#${name}`;
      found.set(where, isLocal && (found.get(where) ?? true));
    }
  }
  return found;
}

/** @param text as the formatter writes it: a declaration at the top begins its line, and a field stands two spaces in */
export function collectionsIn(text: string): readonly SourceCollection[] {
  // A long declaration has its value on a line of its own.
  const joined = text.replace(/ =\n +/g, ' = ');
  const inClasses = Array.from(joined.matchAll(classes), ([body]) => body).join('\n');
  return [
    ...namesOf(joined, constants, false),
    ...namesOf(inClasses, fields, false),
    ...namesOf(inClasses, declared, false),
    ...namesOf(joined, members, false),
    ...namesOf(joined, locals, true),
  ];
}

function namesOf(text: string, pattern: RegExp, isLocal: boolean): readonly SourceCollection[] {
  return Array.from(text.matchAll(pattern), ([, name = '']) => ({ name, isLocal }));
}
