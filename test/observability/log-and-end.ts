import { createMainLog } from '../../src/observability/logger.ts';
import { endProcessNow } from '../../src/support/end-process.ts';

// Logs some lines and a last one, and ends at once when the log reports that as written.
const { log, flush } = createMainLog('info');
for (let line = 1; line <= 100; line += 1) log.info({ line }, 'before');
log.fatal('the last words');
flush().then(endProcessNow, endProcessNow);
