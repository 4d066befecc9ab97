export class OperatorHost {
  constructor(_options: unknown) {}
  async start(): Promise<void> {}
  async stop(): Promise<void> {}
}
