import type { MessagePort } from 'node:worker_threads';
import { watchEventLoop } from '../observability/event-loop.ts';
import { createThreadLog, LogSender } from '../observability/thread-log.ts';
import type { OutboxCommand } from '../writer/client/outbox-protocol.ts';
import { mailDuty } from './mail-duty.ts';
import { Notifier } from './notifier.ts';
import {
  type NotifierMessage,
  type NotifierRequest,
  type NotifierSetup,
  notifierMetrics,
  type OutboxAnswer,
} from './notifier-protocol.ts';
import { readSmtpUrl, sendMail } from './send-mail.ts';

/** Mails the letters of the outbox until the control port says stop. */
export async function serveNotifier(setup: NotifierSetup, port: MessagePort): Promise<void> {
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
