/** From the arguments to an exit code, and the only place that ends the process. */
import { CommanderError } from 'commander'
import { failureOf } from './errors.ts'
import { exitCodes } from './exit.ts'
import { styled } from './output.ts'
import { createProgram } from './program.ts'

// Whoever closes the pipe has read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.ok)
  throw error
})

let takesKey = false
try {
  const program = createProgram().hook('preAction', (_, { options }) => {
    takesKey = options.some(({ long }) => long === '--idempotency-key')
  })
  await program.parseAsync(process.argv)
} catch (error) {
  process.exitCode = error instanceof CommanderError ? usageExit(error) : tell(error)
}

/** Commander has said what is wrong already. */
function usageExit({ exitCode }: CommanderError): number {
  return exitCode === 0 ? exitCodes.ok : exitCodes.usage
}

function tell(error: unknown): number {
  const { message, next, exit, code, requestId } = failureOf(error, takesKey)
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
