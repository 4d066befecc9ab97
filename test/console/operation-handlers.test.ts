import t from 'tap';
import { consoleConversations } from '../../src/api/console/console-conversations.ts';
import type { ConsoleOperation } from '../../src/contracts/console/console-operation.ts';
import {
  type ConsoleOperationId,
  consoleOperations,
} from '../../src/contracts/console/console-operations.ts';
import { consoleReads } from '../../src/evaluator/reads/console/console-reads.ts';
import { consoleCommands } from '../../src/writer/commands/console/console-commands.ts';

const operations = Object.entries(consoleOperations) as [ConsoleOperationId, ConsoleOperation][];

function hasHandler(id: ConsoleOperationId): boolean {
  return (
    consoleReads[id] !== undefined ||
    consoleCommands[id] !== undefined ||
    consoleConversations[id] !== undefined
  );
}

t.test('every operation has a handler of its actor, and no other', async (t) => {
  const missing = operations.filter(([id]) => !hasHandler(id)).map(([id]) => id);
  t.strictSame(missing, []);
  for (const [id, { actor }] of operations) {
    // What is a conversation may read, under the same name.
    if (actor === 'writer') t.equal(consoleReads[id], undefined, `${id} is no read`);
    if (actor !== 'writer') t.equal(consoleCommands[id], undefined, `${id} is not the writer's`);
    if (actor !== 'conversation') t.equal(consoleConversations[id], undefined, `${id} is no conversation`);
  }
});
