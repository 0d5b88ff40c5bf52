/** `doctor`: what is wrong with the installation that the token belongs to, and what to do about it. */
import type { Command } from 'commander'
import { declare } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError } from '../exit.ts'
import { styled } from '../output.ts'

const marks = { ok: 'green', warn: 'yellow', fail: 'red' } as const

export function doctorCommand(program: Command): void {
  declare(program, 'doctor', 'Check the installation, for an ADMIN token', doctor)
}

async function doctor({ client, output, signal }: Context): Promise<void> {
  const system = await (await client()).system.get({ signal })
  const lines = system.checks.map(({ status, title, detail, advice }) => {
    const line = `${styled(marks[status], status.padEnd(5))} ${title}: ${detail}`
    return advice === null ? line : `${line}\n      ${advice}`
  })
  output.result(system, lines.join('\n'))
  const failed = system.checks.filter(({ status }) => status === 'fail').length
  if (failed > 0) throw new CliError('failed', `${failed} of ${system.checks.length} checks failed.`)
}
