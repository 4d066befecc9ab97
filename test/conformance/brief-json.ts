import type { Json } from './conformance-case.ts';

const spaces = /[ \t]*/y;
const number = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y;
const text = /"(?:[^"\\]|\\.)*"/y;
const name = /[$A-Za-z_][$\w-]*/y;
const placeholder = /\$\{[^}]+\}/y;
const pattern = /\/[^/]+\//y;
const nonSpaces = /\S+/y;
const path = /[\w.-]+/y;
const repetition = /#\{(\d+)\*([^}]+)\}/g;

/**
 * Reads JSON in a short form, and the words around it, from one line of a case file:
 *
 *   {enabled: true}     names of objects need no quotes
 *   ${flag}             a string that is only a placeholder needs none
 *   $id, $absent        a matcher without an argument: `{"$id": true}`
 *   ~"part"             `{"$contains": "part"}`
 *   /^[0-9]+$/          `{"$regex": "^[0-9]+$"}`; a regex with a slash is written out
 *   "a#{300*k}"       in any string and path: `k`, 300 times
 *
 * A line that does not fit is an error: every method but `take` and `isAt` throws.
 */
export class BriefJson {
  readonly #line: string;
  #at = 0;

  constructor(line: string) {
    this.#line = line;
  }

  /** Whether the line continues with this. */
  isAt(literal: string): boolean {
    this.#match(spaces);
    return this.#line.startsWith(literal, this.#at);
  }

  isAtDigit(): boolean {
    this.#match(spaces);
    return /\d/.test(this.#line[this.#at] ?? '');
  }

  isAtEnd(): boolean {
    this.#match(spaces);
    return this.#at === this.#line.length;
  }

  /** Takes this word or sign if the line continues with it. @returns whether it did */
  take(literal: string): boolean {
    if (!this.isAt(literal)) return false;
    const after = this.#line[this.#at + literal.length];
    if (/\w$/.test(literal) && after !== undefined && /\w/.test(after)) return false;
    this.#at += literal.length;
    return true;
  }

  expect(literal: string): void {
    if (!this.take(literal)) this.#fail(`\`${literal}\``);
  }

  /** The text before the next space, or a string in quotes. */
  word(): string {
    if (this.isAt('"')) return this.#text();
    return expand(this.#match(nonSpaces) || this.#fail('a word'));
  }

  name(): string {
    this.#match(spaces);
    return this.#match(name) || this.#fail('a name');
  }

  /** Names with dots between them. */
  path(): string {
    this.#match(spaces);
    return this.#match(path) || this.#fail('a path');
  }

  integer(): number {
    this.#match(spaces);
    return Number(this.#match(number) || this.#fail('a number'));
  }

  value(): Json {
    if (this.isAt('"')) return this.#text();
    if (this.take('{')) return this.#object();
    if (this.take('[')) return this.#list();
    if (this.take('~')) return { $contains: this.value() };
    const found = this.#match(placeholder) || this.#match(number) || this.#match(pattern);
    if (found.startsWith('/')) return { $regex: found.slice(1, -1) };
    if (found !== '') return found.startsWith('$') ? found : Number(found);
    return this.#literal();
  }

  #object(): Json {
    const entries: [string, Json][] = [];
    while (!this.take('}')) {
      if (entries.length > 0) this.expect(',');
      const key = this.isAt('"') ? this.#text() : this.name();
      this.expect(':');
      entries.push([key, this.value()]);
    }
    // `fromEntries` defines properties: an environment may be called `__proto__`.
    return Object.fromEntries(entries);
  }

  #list(): Json {
    const items: Json[] = [];
    while (!this.take(']')) {
      if (items.length > 0) this.expect(',');
      items.push(this.value());
    }
    return items;
  }

  #literal(): Json {
    const word = this.name();
    if (word.startsWith('$')) return { [word]: true };
    return word === 'null' || word === 'true' || word === 'false' ? JSON.parse(word) : this.#fail('a value');
  }

  #text(): string {
    return expand(JSON.parse(this.#match(text) || this.#fail('a string')));
  }

  #match(expression: RegExp): string {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#line)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #fail(wanted: string): never {
    const rest = this.#line.slice(this.#at);
    throw new Error(`${wanted} is wanted ${rest === '' ? 'at the end' : `at «${rest.slice(0, 60)}»`}`);
  }
}

function expand(content: string): string {
  return content.replace(repetition, (_all, times: string, unit: string) => unit.repeat(Number(times)));
}
