import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A number that a file of the source gives a name to, at its top level. */
export interface SourceConstant {
  /** With the name of the member, where the constant is an object of numbers: `backOffMs.max`. */
  readonly name: string;
  readonly value: number;
}

type Arithmetic = (left: number, right: number) => number;

const operators: ReadonlyMap<ts.SyntaxKind, Arithmetic> = new Map<ts.SyntaxKind, Arithmetic>([
  [ts.SyntaxKind.PlusToken, (left, right) => left + right],
  [ts.SyntaxKind.MinusToken, (left, right) => left - right],
  [ts.SyntaxKind.AsteriskToken, (left, right) => left * right],
  [ts.SyntaxKind.SlashToken, (left, right) => left / right],
  [ts.SyntaxKind.AsteriskAsteriskToken, (left, right) => left ** right],
]);

/**
 * Every constant of `src` whose value is arithmetic on numbers and on constants above it in the same file, by
 * `src/<path>#<name>`. They are read from the text: most are not exported, and importing some files starts a thread's
 * work.
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

export function constantsIn(text: string): readonly SourceConstant[] {
  const known = new Map<string, number>();
  const source = ts.createSourceFile('source.tsx', text, ts.ScriptTarget.Latest);
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    if ((statement.declarationList.flags & ts.NodeFlags.Const) === 0) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (ts.isIdentifier(name) && initializer !== undefined) note(name.text, initializer, known);
    }
  }
  return Array.from(known, ([name, value]) => ({ name, value }));
}

/** Notes a constant, or the members of one that is an object, as far as they are numbers. */
function note(name: string, expression: ts.Expression, known: Map<string, number>): void {
  const value = evaluate(expression, known);
  if (value !== null) known.set(name, value);
  if (!ts.isObjectLiteralExpression(expression)) return;
  for (const member of expression.properties) {
    if (!ts.isPropertyAssignment(member) || !ts.isIdentifier(member.name)) continue;
    const memberValue = evaluate(member.initializer, known);
    if (memberValue !== null) known.set(`${name}.${member.name.text}`, memberValue);
  }
}

/** @returns null for anything that is not arithmetic */
function evaluate(expression: ts.Expression, known: ReadonlyMap<string, number>): number | null {
  if (ts.isNumericLiteral(expression)) return Number(expression.text);
  if (ts.isBigIntLiteral(expression)) return Number(expression.text.slice(0, -1));
  if (ts.isIdentifier(expression)) return known.get(expression.text) ?? null;
  if (ts.isParenthesizedExpression(expression)) return evaluate(expression.expression, known);
  if (!ts.isBinaryExpression(expression)) return null;
  const operator = operators.get(expression.operatorToken.kind);
  const [left, right] = [evaluate(expression.left, known), evaluate(expression.right, known)];
  return operator === undefined || left === null || right === null ? null : operator(left, right);
}
