type Answers = Map<string, Promise<Response>>;

function answersUnderWay(): Answers | undefined {
  return (globalThis as { burgeeFirstAnswers?: Answers }).burgeeFirstAnswers;
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
