import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A named number at the top level of a source file. */
export interface SourceConstant {
  /** The name; with the member's name if the constant is an object of numbers: `backOffMs.max`. */
  readonly name: string;
  readonly value: number;
}

/**
 * Every constant of `src` whose value is arithmetic on numbers and on constants above it in the same file, by
 * `src/<path>#<name>`. The files are parsed as text, because most constants are not exported, and importing some files
 * starts a thread's work.
 */
export function readSourceConstants(root: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const path of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(path)) continue;
    const file = `src/${path.replaceAll('\\', '/')}`;
    for (const { name, value } of constantsIn(readFileSync(join(root, file), 'utf8'))) {
      found.set(`${file}#${name}`, value);
    }
  }
  return found;
}

/** @param text as the formatter writes it: a top-level declaration begins its line */
export function constantsIn(text: string): readonly SourceConstant[] {
  const known = new Map<string, number>();
  for (const [, name = '', value = ''] of text.matchAll(/^(?:export )?const (\w+)(?:: \w+)? = ([^;]+);$/gm)) {
    if (/^\{[^{}]*\}$/.test(value)) noteMembers(name, value, known);
    else note(name, value, known);
  }
  return Array.from(known, ([name, value]) => ({ name, value }));
}

function noteMembers(name: string, object: string, known: Map<string, number>): void {
  for (const [, member = '', value = ''] of object.matchAll(/(\w+): ([^,}]+)/g)) {
    note(`${name}.${member}`, value, known);
  }
}

function note(name: string, expression: string, known: Map<string, number>): void {
  const value = new Arithmetic(expression, known).value;
  if (value !== null) known.set(name, value);
}

/** Computes `+ - * / **`, parentheses, numbers and known names. */
class Arithmetic {
  readonly #tokens: readonly string[];
  readonly #known: ReadonlyMap<string, number>;
  #at = 0;

  constructor(expression: string, known: ReadonlyMap<string, number>) {
    this.#tokens = expression.match(/\*\*|[\w.]+|\S/g) ?? [];
    this.#known = known;
  }

  /** @returns null for any other expression */
  get value(): number | null {
    this.#at = 0;
    const value = this.#sum();
    return this.#at === this.#tokens.length && !Number.isNaN(value) ? value : null;
  }

  #isNext(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at += 1;
    return true;
  }

  #sum(): number {
    let value = this.#product();
    for (;;) {
      if (this.#isNext('+')) value += this.#product();
      else if (this.#isNext('-')) value -= this.#product();
      else return value;
    }
  }

  #product(): number {
    let value = this.#power();
    for (;;) {
      if (this.#isNext('*')) value *= this.#power();
      else if (this.#isNext('/')) value /= this.#power();
      else return value;
    }
  }

  #power(): number {
    const base = this.#operand();
    return this.#isNext('**') ? base ** this.#power() : base;
  }

  #operand(): number {
    if (this.#isNext('(')) {
      const value = this.#sum();
      return this.#isNext(')') ? value : Number.NaN;
    }
    const token = this.#tokens[this.#at] ?? '';
    this.#at += 1;
    if (/^\d/.test(token)) return Number(token.replaceAll('_', '').replace(/n$/, ''));
    return this.#known.get(token) ?? Number.NaN;
  }
}
