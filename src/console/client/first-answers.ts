/** What the scripts of the page share, as `burgeeFirstAnswers`. */
export interface FirstAnswers {
  /** Answers under way, by address. Each is taken once, and the others are dropped. */
  readonly answers: Map<string, Promise<Response>>;
  /** Ends when all are asked for. */
  readonly asked: Promise<void>;
}

function answersUnderWay(): FirstAnswers['answers'] | undefined {
  return (globalThis as { burgeeFirstAnswers?: FirstAnswers }).burgeeFirstAnswers?.answers;
}

/** @returns the answer that the page's first script has asked for; undefined for none. Only the first call gets it */
export function takeFirstAnswer(address: string): Promise<Response> | undefined {
  const answers = answersUnderWay();
  const answer = answers?.get(address);
  answers?.delete(address);
  return answer;
}

/** The first page has begun: from now on an answer that nobody has taken would be too old. */
export function dropFirstAnswers(): void {
  answersUnderWay()?.clear();
  Reflect.deleteProperty(globalThis, 'burgeeFirstAnswers');
}
