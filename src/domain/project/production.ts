import type { Environment, Project } from './project.ts';

const productionNames = ['production', 'prod', 'live'];
const separators = ['-', '_', '.'];

/**
 * Whether an environment serves the users of an application, as far as the console can know: an Admin protected it, or
 * it is called `production`, `prod` or `live`, alone or before a `-`, `_` or `.` (`prod-eu`). For looks and order only:
 * confirmations depend on `isProtected` alone.
 */
export function isProduction({ name, isProtected }: Pick<Environment, 'name' | 'isProtected'>): boolean {
  if (isProtected) return true;
  const lower = name.toLowerCase();
  return productionNames.some(
    (word) => lower === word || separators.some((separator) => lower.startsWith(word + separator)),
  );
}

/**
 * The same for a state of a flag. A single-environment project's only state counts as production.
 *
 * @param environment its number, also as the decimal that states have as their key. @returns false for a deleted one
 */
export function isProductionState(
  { isMultiEnvironment, environments }: Pick<Project, 'isMultiEnvironment' | 'environments'>,
  environment: number | string,
): boolean {
  if (!isMultiEnvironment) return true;
  return environments.some((one) => one.number === Number(environment) && isProduction(one));
}
