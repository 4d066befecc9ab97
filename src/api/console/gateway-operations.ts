import type { ConsoleOperationId } from '../../contracts/console/console-paths.ts';
import type { GatewayOperation } from './gateway-operation.ts';
import { watchProject } from './watch-project.ts';

/** Every operation whose actor is the gateway. */
export const gatewayOperations: Readonly<Partial<Record<ConsoleOperationId, GatewayOperation>>> = {
  'watch-project': watchProject,
};
