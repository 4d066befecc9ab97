import type { consoleOperations } from '../../operations/console-operations.ts';
import { type ConsoleOperationId, consoleRoutes } from '../../operations/console-routes.ts';
import { consolePath } from './base-path.ts';

type Operations = typeof consoleOperations;

/** The names in the braces of a path. */
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;
export type ParamsOf<Id extends ConsoleOperationId> = Readonly<
  Record<NamesIn<Operations[Id]['route']>, string | number>
>;
export type QueryOf<Id extends ConsoleOperationId> = Readonly<
  Partial<Record<Operations[Id]['query'][number], string>>
>;

/** The address of an operation, its parameters filled in. */
export function addressOf<Id extends ConsoleOperationId>(
  id: Id,
  params: ParamsOf<Id>,
  query?: QueryOf<Id>,
): string {
  const values = params as Readonly<Record<string, string | number>>;
  const [, template] = consoleRoutes[id].split(' ') as [string, string];
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const sent = Object.entries<string | undefined>(query ?? {}).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  );
  // Not URLSearchParams: it writes a space as a plus.
  const pairs = sent.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${consolePath}api${path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
}
