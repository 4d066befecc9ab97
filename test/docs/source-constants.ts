import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A named number at the top level of a source file. */
export interface SourceConstant {
  /** The name; with its key or index if it is in an object or array: `backOffMs.max`, `weights.0`. */
  readonly name: string;
  readonly value: number;
}

/**
 * Every constant of `src` whose value is arithmetic on numbers and on constants above it in the same file, by
 * `src/<path>#<name>`. The files are parsed and not imported, because most constants are not exported, and importing some
 * files starts a thread's work.
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
  const { statements } = ts.createSourceFile('constants.tsx', text, ts.ScriptTarget.Latest);
  for (const statement of statements) {
    if (!ts.isVariableStatement(statement) || !(statement.declarationList.flags & ts.NodeFlags.Const))
      continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (ts.isIdentifier(name) && initializer !== undefined) note(name.text, initializer, known);
    }
  }
  return Array.from(known, ([name, value]) => ({ name, value }));
}

function note(name: string, written: ts.Expression, known: Map<string, number>): void {
  const expression = withoutTypes(written);
  if (ts.isObjectLiteralExpression(expression)) {
    for (const member of expression.properties) {
      if (
        ts.isPropertyAssignment(member) &&
        (ts.isIdentifier(member.name) || ts.isStringLiteral(member.name))
      ) {
        note(`${name}.${member.name.text}`, member.initializer, known);
      }
    }
  } else if (ts.isArrayLiteralExpression(expression)) {
    for (const [index, element] of expression.elements.entries()) note(`${name}.${index}`, element, known);
  } else {
    const value = computed(expression, known);
    if (!Number.isNaN(value)) known.set(name, value);
  }
}

/** @returns the expression in its parentheses, `as const` and `satisfies` */
function withoutTypes(expression: ts.Expression): ts.Expression {
  const isWrapped =
    ts.isParenthesizedExpression(expression) ||
    ts.isAsExpression(expression) ||
    ts.isSatisfiesExpression(expression);
  return isWrapped ? withoutTypes(expression.expression) : expression;
}

const operations = new Map<ts.SyntaxKind, (left: number, right: number) => number>([
  [ts.SyntaxKind.PlusToken, (left, right) => left + right],
  [ts.SyntaxKind.MinusToken, (left, right) => left - right],
  [ts.SyntaxKind.AsteriskToken, (left, right) => left * right],
  [ts.SyntaxKind.SlashToken, (left, right) => left / right],
  [ts.SyntaxKind.AsteriskAsteriskToken, (left, right) => left ** right],
]);

/** @returns NaN for an expression that is not arithmetic on numbers and known names */
function computed(written: ts.Expression, known: ReadonlyMap<string, number>): number {
  const expression = withoutTypes(written);
  if (ts.isNumericLiteral(expression)) return Number(expression.text);
  if (ts.isBigIntLiteral(expression)) return Number(expression.text.slice(0, -1));
  if (ts.isIdentifier(expression)) return known.get(expression.text) ?? Number.NaN;
  if (ts.isPropertyAccessExpression(expression) && ts.isIdentifier(expression.expression)) {
    return known.get(`${expression.expression.text}.${expression.name.text}`) ?? Number.NaN;
  }
  if (!ts.isBinaryExpression(expression)) return Number.NaN;
  const operation = operations.get(expression.operatorToken.kind);
  return operation?.(computed(expression.left, known), computed(expression.right, known)) ?? Number.NaN;
}
