/** `doctor`: what is wrong with the installation that the token belongs to, and what to do about it. */
import type { Command } from 'commander'
import { declare } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError } from '../exit.ts'
import { styled } from '../output.ts'

const marks = { ok: 'green', warn: 'yellow', fail: 'red' } as const

/** What is wrong is read first. */
const order = ['fail', 'warn', 'ok']

export function doctorCommand(program: Command): void {
  declare(program, 'doctor', 'Check the installation, for an ADMIN token', doctor)
}

async function doctor({ client, output, signal }: Context): Promise<void> {
  const system = await (await client()).system.get({ signal })
  const worstFirst = system.checks.toSorted(
    (one, other) => order.indexOf(one.status) - order.indexOf(other.status),
  )
  const lines = worstFirst.map(({ status, title, detail, advice }) => {
    const line = `${styled(marks[status], status.padEnd(5))} ${title}: ${detail}`
    return advice === null ? line : `${line}\n      ${advice}`
  })
  output.result(system, lines.join('\n'))
  const failed = system.checks.filter(({ status }) => status === 'fail').length
  if (failed > 0) throw new CliError('failed', `${failed} of ${system.checks.length} checks failed.`)
}
