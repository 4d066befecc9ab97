/** Where an evaluator tells what went wrong: a synchronous log line, for its loop runs no event loop. */
export type ReportFault = (fault: unknown, during: string, requestId?: string) => void;
