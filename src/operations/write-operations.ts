import { consoleWrites } from './console-writes.ts';
import type { ManagementWrite } from './management-operation.ts';
import { managementOperations } from './management-operations.ts';
import type { ConsoleWrite } from './operation.ts';

/** The operations that the writer decides, by id. */
const operations = new Map<string, ManagementWrite | ConsoleWrite>(
  [...Object.values(managementOperations), ...Object.values(consoleWrites)].flatMap((operation) =>
    operation.actor === 'write' ? [[operation.id, operation] as const] : [],
  ),
);

/** @throws Error when the writer does not decide the operation: a worker should have answered it */
export function writeOperation(id: string | null): ManagementWrite | ConsoleWrite {
  const operation = operations.get(id ?? '');
  if (operation === undefined) throw new Error(`the writer does not decide ${id}`);
  return operation;
}
