export async function runCli(argv: readonly string[]): Promise<void> {
  process.exitCode = 64
}
