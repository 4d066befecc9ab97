import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { DenialLetter } from '../domain/outbox/denial-letter.ts';
import { watchEventLoop } from '../observability/event-loop.ts';
import { createThreadLog, LogSender } from '../observability/thread-log.ts';
import { LeaseCell } from '../support/lease-cell.ts';
import { newId } from '../support/random-id.ts';
import type { OutboxCommand } from '../writer/client/outbox-protocol.ts';
import { Notifier } from './notifier.ts';
import {
  type NotifierMessage,
  type NotifierRequest,
  type NotifierSetup,
  notifierMetrics,
  type OutboxAnswer,
} from './notifier-protocol.ts';
import { readSmtpUrl, sendMail } from './send-mail.ts';

type Ask = (command: OutboxCommand) => Promise<OutboxAnswer>;

/** The part of the notifier's options in which a node of a cluster differs. */
interface MailDuty {
  readonly ask: Ask;
  begin(letter: DenialLetter): Promise<boolean>;
  /** Another node may have added a letter, without a message to this one. */
  readonly lookAtLeastEveryMs: number;
}

/** How often the node on duty looks for letters of other nodes. */
const lookEveryMs = 3000;
/** Attempts to begin a letter while the writer's answer is unknown. A letter that was begun after all is found later, as given up. */
const beginsMax = 3;

/**
 * Lets one node of a cluster send mails. The node checks before each letter that it is still on duty. What rules out a
 * second mail is the cluster's log: a letter is begun there before it is sent, and only one node can begin it, once.
 */
function mailDuty({ leaseMemory, mailMemory }: NonNullable<NotifierSetup['cluster']>, ask: Ask): MailDuty {
  const [lease, mail] = [new LeaseCell(leaseMemory), new LeaseCell(mailMemory)];
  const isOnDuty = (): boolean => lease.isValid() && mail.isValid();
  return {
    lookAtLeastEveryMs: lookEveryMs,
    ask: async (command) =>
      command.kind === 'take' && !isOnDuty() ? { kind: 'unavailable' } : await ask(command),
    begin: async ({ sequence }) => {
      const by = newId();
      for (let times = 0; times < beginsMax && isOnDuty(); times += 1) {
        const { kind } = await ask({ kind: 'begin', sequence, by });
        if (kind === 'recorded') return true;
        if (kind === 'taken') return false;
      }
      return false;
    },
  };
}

/** Mails the letters of the outbox until the control port says stop. */
async function serveNotifier(setup: NotifierSetup, port: MessagePort): Promise<void> {
  const post = (message: NotifierMessage): void => port.postMessage(message);
  const sender = new LogSender(setup.logMemory, (lines) => post({ kind: 'log', lines }));
  const log = createThreadLog(setup.logLevel, sender).child({ actor: 'notifier' });
  const cells = new Float64Array(setup.metrics);
  const loopWatch = watchEventLoop(cells, notifierMetrics.metrics.loopDelay);
  const asked = new Map<number, (answer: OutboxAnswer) => void>();
  let lastTicket = 0;
  const ask = (command: OutboxCommand): Promise<OutboxAnswer> => {
    lastTicket += 1;
    const message: NotifierMessage = { kind: 'ask', ticket: lastTicket, command };
    return new Promise((resolve) => {
      asked.set(message.ticket, resolve);
      post(message);
    });
  };
  const smtp = readSmtpUrl(setup.smtpUrl);
  const duty = setup.cluster === null ? { ask } : mailDuty(setup.cluster, ask);
  const notifier = new Notifier({
    ...{
      mailFrom: setup.mailFrom,
      baseUrl: setup.baseUrl,
      cells,
      retriesFailed: setup.retriesFailed,
      ...duty,
    },
    send: (mail) => sendMail(smtp, mail),
    onFault: (fault, sequence) => log.warn({ sequence, fault }, 'a mail was not sent'),
  });
  port.on('message', (request: NotifierRequest) => {
    if (request.kind === 'look') notifier.look();
    else if (request.kind === 'stop') notifier.stop();
    else {
      asked.get(request.ticket)?.(request.answer);
      asked.delete(request.ticket);
    }
  });
  await notifier.run();
  loopWatch.close();
  port.close();
}

if (parentPort === null) throw new Error('this file is a worker thread: it is started by the supervisor');
// Without top-level await: in the bundle a thread's entry is a script. A rejection ends the thread.
serveNotifier(workerData as NotifierSetup, parentPort).catch((fault: unknown) => {
  throw fault;
});
