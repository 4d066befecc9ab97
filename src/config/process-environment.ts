/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The only place where Burgee reads its environment. */
export function processEnvironment(): Environment {
  return process.env;
}
