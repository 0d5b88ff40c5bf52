/** Runs the command and sets the exit code. No other file ends the process. */
import { CommanderError } from 'commander'
import { failureOf } from './errors.ts'
import { exitCodes } from './exit.ts'
import { styled } from './output.ts'
import { createProgram } from './program.ts'

// The reader of a pipe, such as `head`, can close it early. That is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.ok)
  throw error
})

let acceptsIdempotencyKey = false
try {
  const program = createProgram().hook('preAction', (_, { options }) => {
    acceptsIdempotencyKey = options.some(({ long }) => long === '--idempotency-key')
  })
  await program.parseAsync(process.argv)
} catch (error) {
  process.exitCode = error instanceof CommanderError ? exitCodeOfUsageError(error) : reportError(error)
}

/** Commander has already printed the error. */
function exitCodeOfUsageError({ exitCode }: CommanderError): number {
  return exitCode === 0 ? exitCodes.ok : exitCodes.usage
}

function reportError(error: unknown): number {
  const { message, next, exit, code, requestId } = failureOf(error, acceptsIdempotencyKey)
  if (exit === exitCodes.interrupted) return exit
  if (process.argv.includes('--json'))
    process.stderr.write(
      `${JSON.stringify({ error: { message, code, next, request_id: requestId, exit_code: exit } })}\n`,
    )
  else {
    process.stderr.write(`${styled('red', 'Error:')} ${message}\n`)
    if (requestId !== null && !message.includes(requestId)) process.stderr.write(`Request: ${requestId}\n`)
    if (next !== null) process.stderr.write(`${next}\n`)
  }
  return exit
}
