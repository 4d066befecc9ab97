/** @returns a time as it may stand in the name of a file anywhere: `20261121T094704123Z`. */
export function timeInName(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:.]/g, '');
}
