/** What spreadsheets take for the beginning of a formula, or drop before one. */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/u;
const needsQuotes = /[",\r\n]/;

/**
 * @returns a value as a cell of a CSV file (RFC 4180). One that a spreadsheet would execute is preceded by an apostrophe,
 *   which makes it text.
 */
export function csvCell(value: string): string {
  const text = formulaStart.test(value) ? `'${value}` : value;
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
