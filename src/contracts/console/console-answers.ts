import type { ConsoleProblem } from '../../domain/console/console-problem.ts';
import type { Member } from '../../domain/member/member.ts';
import { needsTouch, type Session } from '../../domain/session/session.ts';
import type { ConsoleAnswer, ConsoleAnswerHead } from './console-call.ts';
import type { ConsoleReply } from './console-handler.ts';
import { consoleProblemTable } from './console-problem-table.ts';

const json = 'application/json';

/** Who asked, as far as the answer tells of it; null when nobody is signed in. */
export type Asker = {
  readonly session: Session;
  readonly member: Pick<Member, 'id' | 'organisationId'>;
} | null;

/** @returns a problem as the body of an answer, JSON text: `{error, detail, docs}` and what the problem adds. */
export function consoleEnvelope({ code, detail, extra }: ConsoleProblem, docsUrl: string): string {
  const { title } = consoleProblemTable[code];
  return JSON.stringify({ ...extra, error: title, detail, docs: `${docsUrl}#console` });
}

export function consoleRefusal(
  problem: ConsoleProblem,
  docsUrl: string,
  asker: Asker,
  now: number,
): ConsoleAnswer {
  const { status } = consoleProblemTable[problem.code];
  return { status, body: consoleEnvelope(problem, docsUrl), ...headOf(asker, now, json) };
}

/** @returns the answer to what went well: 204 when there is nothing to show. */
export function consoleSuccess(reply: ConsoleReply, asker: Asker, now: number): ConsoleAnswer {
  const { status = 200, value, pieces } = reply;
  if (pieces !== undefined) {
    const { text, contentType, fileName } = pieces;
    const head = headOf(asker, now, contentType);
    return { status, body: text, ...head, ...(fileName === undefined ? {} : { fileName }) };
  }
  if (value === undefined) return { status: 204, body: '', ...headOf(asker, now, null) };
  return { status, body: JSON.stringify(value), ...headOf(asker, now, json) };
}

function headOf(asker: Asker, now: number, contentType: string | null): ConsoleAnswerHead {
  const touchedSessionId = asker !== null && needsTouch(asker.session, now) ? asker.session.id : null;
  const { id: memberId = null, organisationId = null } = asker?.member ?? {};
  return { touchedSessionId, memberId, organisationId, contentType };
}
