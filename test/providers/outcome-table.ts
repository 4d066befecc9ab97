import { isFailure, type Outcome } from './run-language.ts';

const head = ['language', 'provider', 'version', 'questions', 'differences', 'change seen after', 'result'];

function rowOf(outcome: Outcome): readonly string[] {
  const { language, provider, result } = outcome;
  const row = [language, provider.package, provider.version];
  if (!('trial' in result)) return [...row, '', '', '', 'skipped' in result ? 'skipped' : 'failed'];
  const { questions, explained, seenAfterMs } = result.trial;
  const differences = Array.from(explained, ([cause, count]) => `${count}: ${cause}`).join('; ');
  const told = [String(questions), differences || '0', `${seenAfterMs.toFixed(1)} ms`];
  return [...row, ...told, isFailure(outcome) ? 'failed' : 'passed'];
}

/** A line for each provider. */
export function outcomeTable(outcomes: readonly Outcome[]): string {
  return columns([head, ...outcomes.map(rowOf)]);
}

/** A line for each row, with its cells in columns. The first row is the head. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}

/** Why a provider failed or was skipped, a line for each reason; nothing of one that passed. */
export function reasonsOf({ language, provider, result }: Outcome): readonly string[] {
  const reasons = 'trial' in result ? result.trial.problems : Object.values(result);
  return reasons.map((reason) => `${language} ${provider.package}: ${reason}`);
}
