/**
 * @returns text escaped so that Markdown shows it literally: no emphasis, no link, no HTML, no end of a table's cell
 */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\`*_[\]<>|~@]/g, '\\$&')
    .replaceAll('://', ':\\//')
    .replace(/\s+/g, ' ');
}

/** The first column is aligned left, the others as `others` says. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  others: 'left' | 'right',
): string {
  const rule = head.map((_cell, column) => (column > 0 && others === 'right' ? '--:' : '---'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
