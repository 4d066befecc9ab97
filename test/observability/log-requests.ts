import { createMainLog } from '../../src/observability/logger.ts';
import { endProcessNow } from '../../src/support/end-process.ts';

const line = {
  tokenId: null,
  method: 'get',
  route: 'read-flag',
  status: 200,
  durationMs: 0.5,
  address: '127.0.0.1',
  outcome: undefined,
} as const;

// Logs requests, then what the argument says: an end at once, or nothing more while the process lives on.
const { log, logRequest, flush } = createMainLog(process.argv[3] ?? 'info');
for (let request = 1; request <= 100; request += 1) logRequest({ ...line, requestId: `r${request}` });
if (process.argv[2] === 'end') flush().then(endProcessNow, endProcessNow);
else if (process.argv[2] === 'other') log.warn('another line');
process.stdin.resume();
