/** Whether a value is in a list already. Upper and lower case are told apart, as the service does; Mantine's lists do not. */
export function isExactDuplicate(value: string, present: readonly string[]): boolean {
  return present.includes(value);
}
