/** @returns a time in a form that every file system accepts in a name: `20261121T094704123Z`. */
export function timeInName(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:.]/g, '');
}
