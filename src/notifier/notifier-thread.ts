import type { MessagePort } from 'node:worker_threads';
import { watchEventLoop } from '../observability/event-loop-delay.ts';
import { createThreadLog } from '../observability/logger.ts';
import type { OutboxCommand } from '../writer/outbox-protocol.ts';
import { Notifier } from './notifier.ts';
import {
  type NotifierAsk,
  type NotifierRequest,
  type NotifierSetup,
  notifierMetrics,
  type OutboxAnswer,
} from './notifier-protocol.ts';
import { sendMail } from './send-mail.ts';
import { readSmtpUrl } from './smtp-settings.ts';

/** Mails what the outbox holds until it is told to stop. */
export async function serveNotifier(setup: NotifierSetup, port: MessagePort): Promise<void> {
  const log = createThreadLog(setup.logLevel).child({ actor: 'notifier' });
  const cells = new Float64Array(setup.metrics);
  const loopWatch = watchEventLoop(cells, notifierMetrics.metrics.loopDelay);
  const asked = new Map<number, (answer: OutboxAnswer) => void>();
  let lastTicket = 0;
  const ask = (command: OutboxCommand): Promise<OutboxAnswer> => {
    lastTicket += 1;
    const message: NotifierAsk = { ticket: lastTicket, command };
    return new Promise((resolve) => {
      asked.set(message.ticket, resolve);
      port.postMessage(message);
    });
  };
  const smtp = readSmtpUrl(setup.smtpUrl);
  const notifier = new Notifier({
    ...{ mailFrom: setup.mailFrom, baseUrl: setup.baseUrl, cells, retriesFailed: setup.retriesFailed, ask },
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
  clearInterval(loopWatch);
  port.close();
}
