/** Environment names are identifiers, case-sensitive and unique in a project (decisions). */
export const environmentNameRule = '1 to 64 characters of a-z, 0-9, "-", "_" and "."';

export function isEnvironmentName(text: string): boolean {
  return /^[a-z0-9._-]{1,64}$/.test(text);
}
