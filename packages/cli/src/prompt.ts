/** Interactive prompts. Without a terminal the answer must be given as an option or on standard input. */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { CliError } from './exit.ts'

export function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

/** Reads a secret without echoing it; from a pipe, the first line. */
export async function askSecret(question: string, signal: AbortSignal): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const output = isInteractive() ? silent : undefined
  if (output) process.stderr.write(question)
  const reader = createInterface({ input: process.stdin, ...(output ? { output, terminal: true } : {}) })
  try {
    return output ? (await reader.question('', { signal })).trim() : await firstLine(reader)
  } finally {
    reader.close()
    if (output) process.stderr.write('\n')
  }
}

/** Returns if `--yes` was given or the user confirms; otherwise throws. */
export async function requireConsent(
  question: string,
  yes: boolean | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (yes) return
  if (!isInteractive()) throw new CliError('usage', 'Nothing was changed.', 'Add --yes to confirm.')
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await reader.question(`${question} [y/N] `, { signal }).finally(() => reader.close())
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('failed', 'Nothing was changed.')
}

/** Reads all of standard input, unchanged. */
export async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

async function firstLine(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) return line.trim()
  return ''
}
