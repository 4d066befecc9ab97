import { EnvironmentName, Guard } from '../../parts/environment-name.tsx';
import type { FlagColumn } from './flag-columns.ts';

/** The heading of a state: its environment, or the only state of a project. */
export function ColumnName({ column: { environment, isProtected } }: { readonly column: FlagColumn }) {
  if (environment !== null) return <EnvironmentName environment={environment} isBrief />;
  return <>State {isProtected && <Guard isBrief />}</>;
}
