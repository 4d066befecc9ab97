/** A role as it is written everywhere: `Owner`. */
export function roleWord(role: string): string {
  return `${role.slice(0, 1).toUpperCase()}${role.slice(1)}`;
}
