/** Where an evaluator tells what went wrong: a synchronous log line, for its event loop turns some times a second only. */
export type ReportFault = (fault: unknown, during: string, requestId?: string) => void;
