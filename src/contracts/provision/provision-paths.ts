import { shown } from '../../domain/problem-list.ts';

/** @returns `organisations[0].projects[1]` with another step: a key or an index. */
export function stepInto(path: string, step: string | number): string {
  if (typeof step === 'number') return `${path}[${step}]`;
  if (!/^[\w.-]+$/.test(step)) return `${path}[${JSON.stringify(shown(step))}]`;
  return path === '' ? shown(step) : `${path}.${shown(step)}`;
}
